# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The agent of an earlier release, its supervisors and drivers, and the agent of this one: each takes
over the tasks that the other has started."""
import json
import os
import pathlib
import signal
import unittest

import harness
import old_build
from agent_harness import Agent, agent_config
from harness import DroverTest, group, job, task, wait_until

# The last commit of the release before: issues 3 and 4 of the project were closed with it.
BEFORE = os.environ.get("DROVER_UPGRADE_FROM", "5d305a8")
REASON = old_build.reason_not_to_build(BEFORE)
COUNTS = {"raw_exec": 90, "exec": 60, "hello": 50}
SCRIPT = "echo start >> $NOMAD_ALLOC_DIR/data/starts; exec sleep 100000"
SHELL = {"command": "/bin/sh", "args": ["-c", SCRIPT]}
CONFIGS = {"raw_exec": SHELL, "exec": SHELL, "hello": {"name": "you", "times": 2, "pause": 100000}}
# Of an agent, and goes with it.
AGENTS = (b"drover\n", b"drover-plugin-h\n", b"drover-plugin\n")


@unittest.skipUnless(harness.IS_ROOT, "exec needs root")
@unittest.skipIf(REASON, REASON)
class UpgradeTest(DroverTest):
    def setUp(self):
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()
        programs = old_build.build(BEFORE)
        new = harness.build_dir()
        self.old = self.release("old", programs / "drover", programs, programs)
        self.new = self.release("new", harness.binary(), new / "lib/drover/plugins", new / "examples")

    def release(self, name, binary, plugins, examples):
        config = agent_config(self.sandbox, f"{name}.json", plugins={
            "raw_exec": {"file": str(plugins / "raw_exec.so"), "config": {"enabled": True},
                         "isolation": "in-process"},
            "exec": {"file": str(plugins / "exec.so"), "isolation": "in-process"},
            "hello": {"file": str(examples / "hello.so"), "isolation": "process"}})
        if name == "old" and not old_build.has_text(BEFORE, "host/agent/agent_config.cc", '"/client"'):
            # These keys stood at the top then.
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
        """All of tasks and supervisors: {pid: start time}."""
        found = {}
        for pid in harness.marked_processes(self.sandbox.root):
            stat = harness.process_text(pid, "stat").rpartition(b")")[2].split()
            if stat and harness.process_text(pid, "comm") not in AGENTS:
                found[pid] = stat[19]
        return found

    def starts(self):
        """How often each task has begun, by its own account."""
        found = []
        for alloc in self.sandbox.alloc_dirs[0].iterdir():
            starts, log = alloc / "alloc/data/starts", alloc / "alloc/logs/t.stdout.0"
            found.append(len((starts if starts.exists() else log).read_text().splitlines()))
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

    def test_the_tasks_of_each_are_taken_over_by_the_other(self):
        few = {driver: 3 for driver in COUNTS}
        jobs = {"first": COUNTS}
        self.start(self.old)
        self.submit("first", COUNTS)
        wait_until(lambda: len(self.starts()) == sum(COUNTS.values()) and set(self.starts()) == {1},
                   "all have begun")
        before = self.processes()
        # There, back, and there again; each is also killed before it has done anything.
        for turn, release in enumerate((self.new, self.old, self.new)):
            with self.subTest(turn):
                self.kill()
                self.assertEqual(self.processes(), before)
                self.start(release)
                self.assert_untouched(before, jobs)
                # It is in charge: it starts others, stops one, and reaches those that run.
                name = f"turn-{turn}"
                self.submit(name, few)
                jobs[name] = few
                wait_until(lambda: set(self.starts()) == {1}, "the others have begun")
                for driver in few:
                    alloc = self.agent.allocs(f"first-{driver}")[0]["ID"]
                    usage = self.agent.get(f"/v1/client/allocation/{alloc}/stats")
                    self.assertIn("t", usage["Tasks"])
                before = self.processes()
        for name, counts in jobs.items():
            for driver in counts:
                self.agent.must("DELETE", f"/v1/job/{name}-{driver}", purge="true")
        wait_until(lambda: not self.processes(), "the end of all tasks")
        wait_until(lambda: all(a["ClientStatus"] == "complete"
                               for a in self.agent.get("/v1/allocations")), "it is told")
        self.agent.must("PUT", "/v1/system/gc")
        self.agent.stop()


if __name__ == "__main__":
    harness.main()
