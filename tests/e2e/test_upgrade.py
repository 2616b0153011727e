# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The agent of an earlier release, with its supervisors and drivers, and the agent of this one. Each takes
over the tasks that the other has started."""
import json
import signal

import harness
import old_build
from agent_harness import Agent, agent_config
from harness import DroverTest, group, job, task, wait_until

COUNTS = {"raw_exec": 90, "exec": 60, "hello": 50}
# Records each SIGUSR1, and has only its first two processes.
SCRIPT = """
trap 'echo signal >> "$NOMAD_ALLOC_DIR/data/signals"' USR1
sleep 100000 &
echo start >> "$NOMAD_ALLOC_DIR/data/starts"
while :; do wait; done
"""
SHELL = {"command": "/bin/sh", "args": ["-c", SCRIPT]}
FEW = {driver: 3 for driver in COUNTS}
CONFIGS = {"raw_exec": SHELL, "exec": SHELL, "hello": {"name": "you", "times": 2, "pause": 100000},
           "hello_c": {}}
# The names of an agent's own processes, which end with it.
AGENTS = (b"drover\n", b"drover-plugin-h\n", b"drover-plugin\n")


class UpgradeCase(DroverTest):
    BEFORE = None  # the commit of the release before

    def setUp(self):
        if not harness.IS_ROOT:
            self.skipTest("exec needs root")
        if reason := old_build.reason_not_to_build(self.BEFORE):
            self.skipTest(reason)
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()
        old = old_build.build(self.BEFORE)
        new = harness.build_dir()
        self.old = self.release("old", old / "drover", old, old)
        self.new = self.release("new", harness.binary(), new / "lib/drover/plugins", new / "examples")
        self.new_with_old_drivers = self.release("mixed", harness.binary(), old, old)

    def release(self, name, binary, plugins, examples):
        config = agent_config(self.sandbox, f"{name}.json", plugins={
            "raw_exec": {"file": str(plugins / "raw_exec.so"), "config": {"enabled": True},
                         "isolation": "in-process"},
            "exec": {"file": str(plugins / "exec.so"), "isolation": "in-process"},
            "hello": {"file": str(examples / "hello.so"), "isolation": "process"},
            "hello_c": {"file": str(examples / "hello_c.so"), "isolation": "process"}})
        if name == "old" and not old_build.has_text(self.BEFORE, "host/agent/agent_config.cc",
                                                    '"/client"'):
            # These keys were at the top then.
            fields = json.loads(config.read_text())
            config = self.sandbox.write(f"{name}.json", {**fields.pop("client"), **fields})
        return {"config": config, "command": [binary]}

    def start(self, release):
        self.agent = Agent(self.sandbox, dev=False, **release)

    def kill(self):
        self.agent.run.process.send_signal(signal.SIGKILL)
        self.agent.run.process.wait()

    def submit(self, prefix, counts):
        for driver, count in counts.items():
            self.agent.submit(job(group(
                task("t", config=CONFIGS[driver], driver=driver, KillTimeout="1s",
                     Resources={"CPU": 1, "MemoryMB": 10}),
                Count=count), id=f"{prefix}-{driver}", type="service"))
        self.wait(prefix, counts)

    def wait(self, prefix, counts):
        for driver, count in counts.items():
            self.agent.wait_allocs(f"{prefix}-{driver}", count, "running")

    def processes(self):
        """All processes of tasks and supervisors: {pid: start time}."""
        found = {}
        for pid in harness.marked_processes(self.sandbox.root):
            stat = harness.process_text(pid, "stat").rpartition(b")")[2].split()
            if stat and harness.process_text(pid, "comm") not in AGENTS:
                found[pid] = stat[19]
        return found

    def settled(self):
        """The processes, when they no longer change."""
        last = None

        def same():
            nonlocal last
            before, last = last, self.processes()
            return last if last == before else None
        return wait_until(same, "no process to come or go", step=0.5)

    def starts(self):
        """How often each task has begun, by its own records."""
        found = []
        for alloc in self.sandbox.alloc_dirs[0].iterdir():
            starts, log = alloc / "alloc/data/starts", alloc / "alloc/logs/t.stdout.0"
            said = next((file for file in (starts, log) if file.exists()), None)
            found.append(len(said.read_text().splitlines()) if said else 0)
        return found

    def assert_untouched(self, before, allocs):
        for name, counts in allocs.items():
            self.wait(name, counts)
            for driver in counts:
                for alloc in self.agent.allocs(f"{name}-{driver}"):
                    state = alloc["TaskStates"]["t"]
                    self.assertEqual((state["State"], state["Restarts"]), ("running", 0))
                    self.assertNotIn("Failed Restoring Task", [e["Type"] for e in state["Events"]])
        self.assertEqual(self.processes(), before)
        self.assertEqual(set(self.starts()), {1})

    def use_old_one(self, driver):
        """Reaches a task that another agent has started: by a signal, a command, statistics."""
        alloc = self.agent.allocs(f"first-{driver}")[0]["ID"]
        usage = self.agent.get(f"/v1/client/allocation/{alloc}/stats")
        self.assertIn("t", usage["Tasks"])
        if driver == "hello":
            return
        signals = self.sandbox.alloc_dirs[0] / alloc / "alloc/data/signals"
        had = signals.read_text() if signals.exists() else ""
        self.agent.must("PUT", f"/v1/client/allocation/{alloc}/signal",
                        {"Signal": "SIGUSR1", "TaskName": "t"})
        wait_until(lambda: signals.exists() and signals.read_text() == had + "signal\n", "the signal")
        done = self.sandbox.command("alloc", "exec", "-task", "t", alloc, "sh", "-c", "exit 7",
                                    env={"DROVER_ADDR": self.agent.url})
        self.assertEqual(done.code, 7, done)

    def stop_old_one(self, driver):
        """Stops such a task, and another one takes its place."""
        name = f"first-{driver}"
        alloc = self.agent.allocs(name)[0]["ID"]
        self.agent.must("PUT", f"/v1/allocation/{alloc}/stop")
        wait_until(lambda: self.agent.get(f"/v1/allocation/{alloc}")["ClientStatus"] == "complete",
                   f"the end of a task of {driver}")
        self.wait("first", {driver: COUNTS[driver]})

    def use(self, turn):
        """Checks that the agent is in charge: it starts new tasks, and reaches and stops running ones."""
        name = f"turn-{turn}"
        self.submit(name, FEW)
        self.agent.submit(job(group(task("t", config={}, driver="hello_c")), id=f"{name}-hello_c"))
        self.agent.wait_allocs(f"{name}-hello_c", 1, "complete")
        self.agent.must("DELETE", f"/v1/job/{name}-hello_c", purge="true")
        for driver in FEW:
            self.use_old_one(driver)
            self.stop_old_one(driver)
        self.agent.must("PUT", "/v1/system/gc")
        wait_until(lambda: set(self.starts()) == {1}, "the others have begun")

    def check_turns(self, *turns):
        jobs = {"first": COUNTS}
        self.start(self.old)
        self.submit("first", COUNTS)
        wait_until(lambda: len(self.starts()) == sum(COUNTS.values()) and set(self.starts()) == {1},
                   "all have begun")
        before = self.settled()
        # Each agent is also killed before it has done anything.
        for turn, release in enumerate(turns):
            self.kill()
            self.assertEqual(self.processes(), before)
            self.start(release)
            self.kill()
            self.start(release)
            self.assert_untouched(before, jobs)
            self.use(turn)
            jobs[f"turn-{turn}"] = FEW
            before = self.settled()
        for name, counts in jobs.items():
            for driver in counts:
                self.agent.must("DELETE", f"/v1/job/{name}-{driver}", purge="true")
        wait_until(lambda: not self.processes(), "the end of all tasks")
        wait_until(lambda: all(a["ClientStatus"] == "complete"
                               for a in self.agent.get("/v1/allocations")), "their reports")
        self.agent.must("PUT", "/v1/system/gc")
        self.agent.stop()


class UpgradeTest(UpgradeCase):
    """From the last draft of the ABI: issues 3 and 4 of the project were closed with it."""

    BEFORE = "5d305a8"

    def test_the_tasks_of_each_are_taken_over_by_the_other(self):
        self.check_turns(self.new, self.old, self.new)


class MinorUpgradeTest(UpgradeCase):
    """From the first release of the ABI, with which issue 5 was closed. Its drivers still work."""

    BEFORE = "132e9ae"

    def test_the_tasks_of_each_are_taken_over_by_the_other(self):
        self.check_turns(self.new_with_old_drivers, self.old, self.new, self.new_with_old_drivers)


if __name__ == "__main__":
    harness.main()
