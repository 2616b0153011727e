# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The view of a run for people: colour and a status line on a terminal, plain lines elsewhere."""
import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time

import harness
from harness import DroverTest, binary, one, task

ESC = b"\x1b"


class TerminalTest(DroverTest):
    def on_terminal(self, spec, *options, until=None, columns=80, **env):
        """Runs a job on a terminal. Presses Ctrl-C when UNTIL is shown. Returns the whole output and the exit
        code."""
        path = self.sandbox.write("job.json", spec)
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

        def controlling_terminal():
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        environment = self.sandbox.environment({"TERM": "xterm-256color", "NO_COLOR": None, **env})
        process = subprocess.Popen(
            [str(binary()), "run", "--config", str(self.sandbox.config_file), *options, str(path)],
            stdin=slave, stdout=slave, stderr=slave, env=environment,
            preexec_fn=controlling_terminal)
        os.close(slave)
        shown = b""
        pressed = until is None
        end = time.monotonic() + harness.LIMIT
        try:
            while time.monotonic() < end:
                readable, _, _ = select.select([master], [], [], 0.2)
                if not readable:
                    if process.poll() is not None:
                        break
                    continue
                try:
                    data = os.read(master, 65536)
                except OSError:  # the other side is closed
                    break
                shown += data
                if not pressed and until in shown:
                    pressed = True
                    os.write(master, b"\x03")
            code = process.wait(harness.LIMIT)
        finally:
            process.kill()
            process.wait()
            with contextlib.suppress(OSError):
                os.close(master)
        return shown, code

    def test_colour_and_a_status_line_that_is_redrawn(self):
        shown, code = self.on_terminal(one(task("t", "echo up; exec sleep 2.5")))
        self.assertEqual(code, 0, shown)
        self.assertIn(ESC + b"[3", shown)
        self.assertIn(b"\r" + ESC + b"[K", shown)
        self.assertIn(b"MiB", shown)
        # The status line is removed before the end, so the last output is a whole line.
        self.assertTrue(shown.endswith(b"\n"), shown[-200:])

    def test_control_c_of_the_terminal(self):
        shown, code = self.on_terminal(
            one(task("t", "trap 'echo caught; exit 0' INT; echo up; while :; do sleep 0.05; done"),
                task("after", "echo sweeping", Lifecycle={"Hook": "poststop"})), until=b"up\r\n")
        self.assertEqual(code, 130, shown)
        # The tasks are not in the terminal's group, so they get one signal, from the agent.
        self.assertEqual(shown.count(b"caught"), 1, shown)
        self.assertIn(b"sweeping", shown)

    def test_no_color(self):
        shown, code = self.on_terminal(one(task("t", "echo up")), NO_COLOR="1")
        self.assertEqual(code, 0, shown)
        self.assertNotIn(ESC + b"[3", shown)
        self.assertNotIn(ESC + b"[9", shown)

    def test_dumb_terminal(self):
        shown, code = self.on_terminal(one(task("t", "echo up; exec sleep 1.5")), TERM="dumb")
        self.assertEqual(code, 0, shown)
        self.assertNotIn(ESC, shown)

    def test_long_status_stays_on_its_line(self):
        shown, _ = self.on_terminal(
            one(*(task(f"a-rather-long-name-{i}", "exec sleep 2") for i in range(4))), columns=40)
        for part in shown.split(b"\r" + ESC + b"[K")[1:]:
            status = part.split(b"\r")[0].split(b"\n")[0]
            if b"MiB" in status and b": " not in status:
                self.assertLess(len(status), 40, status)

    def test_plain_lines_without_a_terminal(self):
        run = self.run_job(one(task("t", "echo up; echo bad >&2")), json_lines=False)
        text = "\n".join(run.lines)
        self.assertNotIn("\x1b", text)
        self.assertNotIn("\r", text)
        self.assertIn("| up", text)
        self.assertIn("! bad", text)
        for event in ("Received", "Task Setup", "Started", "Terminated: Exit Code: 0"):
            self.assertIn(event, text)
        self.assertIn("complete: All tasks have completed", text)

    def test_task_cannot_steer_the_terminal(self):
        shown, code = self.on_terminal(one(task(
            "t", r"printf '\033[2J\033]0;owned\007\r\010\233 x\n'; kill -9 $$")))
        self.assertEqual(code, 1, shown)
        for bad in (ESC + b"[2J", ESC + b"]0;", b"\x07", b"\x08", b"\x9b"):
            self.assertNotIn(bad, shown)
        self.assertIn(b"\\x1b[2J", shown)

    def test_c1_controls_in_utf8_do_not_reach_the_terminal(self):
        shown, _ = self.on_terminal(one(task("t", r"printf '\302\233 31m csi\n'")))
        self.assertNotIn(b"\xc2\x9b", shown)

    def test_messages_of_drivers_cannot_steer_the_terminal(self):
        shown, _ = self.on_terminal(one(task("t", driver="mock_driver", config={
            "start_error": "bad\x1b[2Jend"})))
        self.assertNotIn(ESC + b"[2J", shown)

    def test_terminal_that_is_closed_ends_the_run_in_order(self):
        run = self.sandbox.run(one(task("t", "exec sleep 60"),
                                   task("after", "echo sweeping", Lifecycle={"Hook": "poststop"})))
        run.wait_event("t", "Started")
        run.signal(signal.SIGHUP)
        self.assertEqual(run.wait(), 130, run.story())
        self.assertEqual(run.logs("after"), ["sweeping"])


if __name__ == "__main__":
    harness.main()
