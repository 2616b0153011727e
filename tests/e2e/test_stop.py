# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Stops: once, twice, of deaf tasks, and by the death of the agent."""
import os
import pathlib
import signal
import time

import harness
from harness import SLACK, DroverTest, group, job, mock, one, task, wait_until

# Forked twice, in a session of its own, deaf to all signals that can be ignored.
DAEMON = r'''
import os, signal, sys, time
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
    signal.signal(number, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.chdir("/")
        for fd in range(3):
            os.close(fd)
        os.environ.clear()
        time.sleep(600)
        os._exit(0)
    os._exit(0)
os.wait()
print("ready", flush=True)
time.sleep(600)
'''


class StopTest(DroverTest):
    def kills(self, run, name):
        return [t for t in run.event_types(name) if t in ("Killing", "Terminated", "Killed")]

    def daemon(self, name="d", **fields):
        script = self.sandbox.write("daemon.py", DAEMON)
        # The mark stands on the command line of the daemon; its environment is empty.
        return task(name, config={"command": "/usr/bin/env", "args": ["python3", str(script)]},
                    **fields)

    def test_first_interrupt_stops_in_order(self):
        run = self.sandbox.run(one(
            task("main", "trap 'echo main got it; exit 0' INT; echo up; "
                         "while :; do sleep 0.05; done"),
            task("side", "exec sleep 60", KillSignal="SIGTERM",
                 Lifecycle={"Hook": "prestart", "Sidecar": True}),
            task("after", "echo sweeping", Lifecycle={"Hook": "poststop"}), type="service"))
        run.wait_log("main", "up")
        run.interrupt()
        self.assertEqual(run.wait(), 130, run.story())
        self.assertTrue(any("stopping" in note.lower() for note in run.notes()), run.notes())
        self.assertEqual(self.kills(run, "main"), ["Killing", "Terminated", "Killed"])
        self.assertEqual(self.kills(run, "side"), ["Killing", "Terminated", "Killed"])
        self.assertEqual(run.logs("main"), ["up", "main got it"])
        self.assertEqual(run.event("side", "Terminated")["DisplayMessage"],
                         "Exit Code: 143, Signal: 15")
        self.assertEqual(run.logs("after"), ["sweeping"])
        self.assert_order(("main", run.state("main")["FinishedAt"]),
                          ("side", run.state("side")["FinishedAt"]),
                          ("after", run.state("after")["StartedAt"]))
        self.assertEqual(run.event("main", "Killing")["DisplayMessage"],
                         "Sent interrupt. Waiting 5s before force killing")
        # It is stopped, not failed, and must not be restarted.
        self.assertFalse(run.state("main")["Failed"])

    def test_terminate_stops_in_order_too(self):
        run = self.sandbox.run(one(task("main", "exec sleep 60"),
                                   task("after", "echo sweeping", Lifecycle={"Hook": "poststop"})))
        run.wait_event("main", "Started")
        run.signal(signal.SIGTERM)
        self.assertIn(run.wait(), (130, 143), run.story())
        self.assertEqual(run.logs("after"), ["sweeping"])

    def test_second_interrupt_kills_at_once(self):
        run = self.sandbox.run(one(
            task("deaf", "trap '' INT TERM; echo up; while :; do sleep 0.05; done",
                 KillTimeout="30s"), type="service"))
        run.wait_log("deaf", "up")
        run.interrupt()
        run.wait_note("stopping")
        run.wait_event("deaf", "Killing")
        start = time.monotonic()
        run.interrupt()
        self.assertEqual(run.wait(), 130, run.story())
        self.assertLess(time.monotonic() - start, 5 * SLACK, run.story())
        self.assertTrue(any("killing" in note.lower() for note in run.notes()), run.notes())

    def test_second_interrupt_ends_poststop_tasks_too(self):
        for options in ((), ("--keep",)):
            with self.subTest(options=options):
                run = self.sandbox.run(one(
                    task("main", "exec sleep 60"),
                    # After a kill, its policy would start it again without end.
                    task("after", "echo up; exec sleep 60", KillTimeout="1s",
                         Lifecycle={"Hook": "poststop"},
                         RestartPolicy={"Attempts": 5, "Interval": "10m", "Delay": "10ms",
                                        "Mode": "delay"})), *options)
                run.wait_event("main", "Started")
                run.interrupt()
                run.wait_log("after", "up")
                start = time.monotonic()
                run.interrupt()
                self.assertEqual(run.wait(), 130, run.story())
                self.assertLess(time.monotonic() - start, 1 + 4 * SLACK, run.story())
        self.leaves_allocations = True

    def test_interrupt_before_the_start_has_ended(self):
        run = self.sandbox.run(one(mock("slow", start_block_for="20s", run_for="60s"),
                                   task("after", "echo sweeping", Lifecycle={"Hook": "poststop"})))
        run.wait_event("slow", "Task Setup")
        start = time.monotonic()
        run.interrupt()
        self.assertEqual(run.wait(), 130, run.story())
        self.assertLess(time.monotonic() - start, 15 * SLACK)

    def test_interrupt_while_waiting_for_a_restart(self):
        run = self.sandbox.run(one(task("t", "exit 1"), type="service", RestartPolicy={
            "Attempts": 3, "Interval": "10m", "Delay": "2m", "Mode": "fail"}))
        run.wait_event("t", "Restarting")
        start = time.monotonic()
        run.interrupt()
        self.assertEqual(run.wait(), 130, run.story())
        self.assertLess(time.monotonic() - start, 5 * SLACK)

    def test_deaf_task_dies_when_its_timeout_is_over(self):
        run = self.sandbox.run(one(
            task("deaf", "trap '' INT; echo up; while :; do sleep 0.05; done", KillTimeout="1s")))
        run.wait_log("deaf", "up")
        run.interrupt()
        self.assertEqual(run.wait(), 130, run.story())
        killing = run.event("deaf", "Killing")
        terminated = run.event("deaf", "Terminated")
        self.assertEqual(killing["Details"]["kill_timeout"], "1s")
        self.assertEqual(terminated["Details"]["signal"], "9")
        took = (terminated["Time"] - killing["Time"]) / 1e9
        self.assertGreaterEqual(took, 0.99)
        self.assertLess(took, 1 + 0.6 * SLACK)

    def test_the_timeout_of_the_configuration_is_the_most(self):
        config = self.sandbox.write_config("short.json", client={"max_kill_timeout": "500ms"})
        run = self.sandbox.run(one(
            task("deaf", "trap '' INT; echo up; while :; do sleep 0.05; done", KillTimeout="25s")),
            config=config)
        run.wait_log("deaf", "up")
        run.interrupt()
        start = time.monotonic()
        self.assertEqual(run.wait(), 130, run.story())
        self.assertLess(time.monotonic() - start, 5 * SLACK)
        self.assertEqual(run.event("deaf", "Killing")["Details"]["kill_timeout"], "500ms")

    def test_kill_signal_of_the_task_is_used(self):
        run = self.sandbox.run(one(
            task("t", "trap 'echo got usr1; exit 0' USR1; trap 'echo got int' INT; echo up; "
                      "while :; do sleep 0.05; done", KillSignal="SIGUSR1")))
        run.wait_log("t", "up")
        run.interrupt()
        self.assertEqual(run.wait(), 130, run.story())
        # The shell also prints the signal of its child on standard error.
        self.assertEqual(run.logs("t", "stdout"), ["up", "got usr1"])

    def test_many_deaf_tasks_die_together(self):
        run = self.sandbox.run(one(
            task("deaf", "trap '' INT; echo up; while :; do sleep 0.2; done", KillTimeout="1s"),
            Count=8))
        run.wait_for(lambda r: len(r.logs("deaf")) == 8, "8 tasks up")
        run.interrupt()
        start = time.monotonic()
        self.assertEqual(run.wait(), 130, run.story())
        self.assertLess(time.monotonic() - start, 1 + 3 * SLACK, "stops must not wait for each other")

    def test_stop_reaches_what_has_left_session_and_parent(self):
        run = self.sandbox.run(one(self.daemon(KillTimeout="500ms")))
        run.wait_log("d", "ready")
        self.assertGreaterEqual(len(self.leftovers.processes()), 3)  # task, daemon, shim
        run.interrupt()
        self.assertEqual(run.wait(), 130, run.story())
        self.leftovers.clear(self, 2 * SLACK)

    def test_the_freezer_tracks_where_no_second_version_is_mounted(self):
        mounts = [line.split() for line in
                  pathlib.Path("/proc/self/mounts").read_text().splitlines()]
        first = {name: m[1] for m in reversed(mounts) if m[2] == "cgroup"
                 for name in m[3].split(",") if name in ("freezer", "cpuacct")}
        if os.geteuid() != 0 or "freezer" not in first:
            self.skipTest("it needs root and a mount of the version 1 freezer")
        second = [m[1] for m in mounts if m[2] == "cgroup2"]
        hidden = "".join(f"umount -l {path}; " for path in second)
        run = self.sandbox.run(
            one(self.daemon(KillTimeout="500ms")),
            command=["unshare", "-m", "--propagation", "private", "sh", "-c",
                     hidden + 'exec "$@"', "sh", harness.binary()])
        run.wait_log("d", "ready")
        tracked = set()
        for pid in self.leftovers.processes():
            for line in harness.process_text(pid, "cgroup").decode().splitlines():
                _, names, path = line.split(":", 2)
                tracked.update(first[name] + path for name in names.split(",")
                               if name in first and path.startswith("/drover/"))
        self.assertEqual(len(tracked), len(set(first.values())),
                         "the task and its daemon are in the cgroups of the run")
        run.interrupt()
        self.assertEqual(run.wait(), 130, run.story())
        self.leftovers.clear(self, 2 * SLACK)
        self.assertEqual([path for path in tracked if os.path.exists(path)], [])

    def test_what_a_task_has_started_ends_with_it(self):
        script = self.sandbox.write("daemon.py", DAEMON.rsplit("time.sleep(600)", 1)[0])
        self.run_job(one(task("d", config={"command": "/usr/bin/env",
                                           "args": ["python3", str(script)]})))
        self.leftovers.clear(self, 2 * SLACK)

    def test_kill_9_of_the_run_leaves_nothing(self):
        run = self.sandbox.run(job(
            group(self.daemon("d1", KillTimeout="1s"), name="a", Count=2),
            group(task("deaf", "trap '' INT TERM; echo ready; while :; do sleep 0.05; done",
                       KillTimeout="1s"), name="b")))
        run.wait_for(lambda r: r.logs().count("ready") == 3, "3 tasks ready")
        self.assertGreaterEqual(len(self.leftovers.processes()), 3 + 2 + 3)
        run.signal(signal.SIGKILL)
        self.assertEqual(run.wait(), -signal.SIGKILL)
        took = self.leftovers.clear(self, 1 + 2 * SLACK, what="left by kill -9")
        print(f"gone after {took:.2f} s", flush=True)

    def test_kill_9_of_the_run_and_its_shims_leaves_nothing(self):
        run = self.sandbox.run(one(self.daemon(), Count=2))
        run.wait_for(lambda r: r.logs().count("ready") == 2, "2 tasks ready")
        shims = self.leftovers.shims()
        run.signal(signal.SIGSTOP)  # it would see them die and clear up
        for pid in shims:
            os.kill(pid, signal.SIGKILL)
        run.signal(signal.SIGKILL)
        self.assertEqual(run.wait(), -signal.SIGKILL)
        self.leftovers.clear(self, 2 * SLACK, what="left by kill -9")

    def test_kill_9_while_tasks_start(self):
        for _ in range(3):
            run = self.sandbox.run(one(self.daemon(KillTimeout="200ms"), Count=4))
            run.wait_for(lambda r: r.of_type("TaskState"), "the first state")
            run.signal(signal.SIGKILL)
            run.wait()
            self.leftovers.clear(self, 1 + 2 * SLACK, what="left by kill -9")

    def test_shim_that_is_killed_takes_its_task_with_it(self):
        run = self.sandbox.run(one(self.daemon(), task("other", "echo up; exec sleep 60")))
        run.wait_log("d", "ready")
        run.wait_log("other", "up")
        shims = self.leftovers.shims()
        self.assertEqual(len(shims), 2, self.leftovers.processes())
        daemon_shim = wait_until(
            lambda: [pid for pid in shims if any(
                b"daemon.py" in harness.process_text(child, "cmdline")
                for child in harness.process_text(pid, f"task/{pid}/children").decode().split())],
            "the shim of the daemon")[0]
        os.kill(daemon_shim, signal.SIGKILL)
        terminated = run.wait_event("d", "Terminated", limit=5 * SLACK)
        self.assertIn("supervisor lost", terminated["DisplayMessage"])
        self.assertEqual(run.wait(), 1, run.story())


if __name__ == "__main__":
    harness.main()
