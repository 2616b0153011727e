# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""A command on a terminal of its own, at which a test sits like a person."""
import contextlib
import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time

import harness
from harness import binary


class Typed:
    """What the terminal shows is in `shown`, with the control sequences that draw it."""

    def __init__(self, test, *arguments, rows=40, columns=120, **env):
        self.test = test
        self.shown = b""
        self.seen = 0  # what `until` has found ends here
        self.master, slave = pty.openpty()
        self.resize(rows, columns)

        def controlling_terminal():
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        environment = test.sandbox.environment(
            {"TERM": "xterm", "NO_COLOR": "1", "DROVER_ADDR": test.address, **env})
        self.process = subprocess.Popen(
            [str(binary()), *map(str, arguments)], stdin=slave, stdout=slave, stderr=slave,
            env=environment, cwd=test.sandbox.root, preexec_fn=controlling_terminal)
        os.close(slave)
        test.addCleanup(self.end)

    def resize(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, text):
        os.write(self.master, text.encode())

    def press_control_c(self):
        self.type("\x03")

    def read(self, seconds):
        """Reads what comes within SECONDS. Returns False when the command has closed the terminal."""
        if not select.select([self.master], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.master, 65536)
        except OSError:
            return False
        self.shown += data
        return bool(data)

    def until(self, text):
        """Reads until TEXT is shown behind what was found before."""
        wanted = text.encode()
        end = time.monotonic() + harness.LIMIT
        while (found := self.shown.find(wanted, self.seen)) < 0:
            if time.monotonic() > end or not self.read(0.2):
                self.test.fail(f"{text!r} is not shown:\n{self.shown.decode(errors='replace')}")
        self.seen = found + len(wanted)

    def wait(self, code):
        """Reads to the end. The command must end with CODE. Returns what was shown, as a text."""
        end = time.monotonic() + harness.LIMIT
        while self.read(0.2):
            if time.monotonic() > end:
                self.test.fail(f"the command goes on:\n{self.shown.decode(errors='replace')}")
        self.test.assertEqual(self.process.wait(harness.LIMIT), code, self.shown)
        return self.shown.decode(errors="replace").replace("\r\n", "\n")

    def close(self):
        """Closes the terminal, as somebody does who closes its window."""
        os.close(self.master)
        self.master = -1

    def end(self):
        self.process.kill()
        self.process.wait()
        if self.master >= 0:
            with contextlib.suppress(OSError):
                os.close(self.master)
