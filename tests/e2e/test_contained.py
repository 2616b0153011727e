# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""An agent with each of its drivers in a process of its own. These processes die, alone and with the agent,
and no task notices. Other tests cover the rest: those marked CONTAINED in CMakeLists.txt run a second time
with such an agent."""
import os
import signal
import subprocess
import unittest

import harness
from agent_harness import Agent, agent_config
from harness import binary, group, job, mock, plugin_file, task
from test_takeover import TakeoverCase, Witness

DRIVERS = {"raw_exec": {"enabled": True}, "mock_driver": {}}
if harness.IS_ROOT:
    DRIVERS["exec"] = {}

# A task in a root of its own can only write to its allocation.
ISOLATED = """
echo "start $$" >> "$NOMAD_ALLOC_DIR/data/witness"
while :; do echo beat >> "$NOMAD_ALLOC_DIR/data/beats"; sleep 0.2; done
"""


class ContainedTest(TakeoverCase):
    def start(self):
        plugins = {name: {"file": str(plugin_file(name)), "config": config, "isolation": "process"}
                   for name, config in DRIVERS.items()}
        return Agent(self.sandbox, dev=False, config=agent_config(self.sandbox, plugins=plugins))

    def containers(self):
        """The existing processes of the agent's drivers, by driver."""
        return {each["Name"]: each["PID"] for each in self.agent.get("/v1/agent/plugins")
                if each["PID"] > 0}

    def healthy(self):
        node = self.agent.get("/v1/nodes")[0]["ID"]
        drivers = self.agent.get(f"/v1/node/{node}")["Drivers"]
        return all(drivers[name]["Healthy"] for name in DRIVERS)

    def wait_containers(self, other_than=()):
        """Waits until each driver is healthy in a process that is not one of these."""
        def all_of_them():
            found = self.containers()
            new = not set(found.values()) & set(other_than)
            return found if len(found) == len(DRIVERS) and new and self.healthy() else None
        return harness.wait_until(all_of_them, "a healthy process for each driver")

    def submit_all(self):
        """Starts a task of each driver. The tasks record their lives."""
        self.witnesses_of = self.submit_witness("raw_exec", 2)
        self.agent.submit(job(group(mock("t", run_for="1h")), id="mock", type="service"))
        self.mock = self.agent.wait_allocs("mock", 1, "running")[0]["ID"]
        if "exec" in DRIVERS:
            isolated = task("t", driver="exec", config={"command": "/bin/sh",
                                                        "args": ["-c", ISOLATED]})
            self.agent.submit(job(group(isolated), id="exec", type="service"))
            self.isolated = self.agent.wait_allocs("exec", 1, "running")[0]["ID"]
            self.data = self.sandbox.alloc_dirs[0] / self.isolated / "alloc/data"
            harness.wait_until((self.data / "witness").exists, "the start of the isolated task")

    def assert_nobody_noticed(self):
        self.assert_untouched(self.witnesses_of)
        for name in ("raw_exec", "mock", "exec")[:len(DRIVERS)]:
            for alloc in self.agent.allocs(name):
                state = alloc["TaskStates"]["t"]
                self.assertEqual((state["State"], state["Restarts"]), ("running", 0), state)
        if "exec" in DRIVERS:
            self.assertEqual(len(Witness(self.data, "witness").starts()), 1)
            beats = (self.data / "beats").stat().st_size
            harness.wait_until(lambda: (self.data / "beats").stat().st_size > beats, "a heartbeat")

    def command(self, alloc, *words):
        return subprocess.Popen([binary(), "alloc", "exec", "-task", "t", alloc, *words],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                stdin=subprocess.DEVNULL,
                                env=self.sandbox.environment({"DROVER_ADDR": self.agent.url}))

    def assert_serves(self):
        """Checks that commands, statistics, signals and stops reach the tasks."""
        alloc = self.agent.allocs("raw_exec")[0]["ID"]
        for each in [alloc, self.isolated] if "exec" in DRIVERS else [alloc]:
            out, _ = self.command(each, "sh", "-c", "echo $NOMAD_TASK_NAME; exit 3").communicate(
                timeout=harness.LIMIT)
            self.assertIn(b"t\n", out)
            usage = self.agent.get(f"/v1/client/allocation/{each}/stats")["Tasks"]["t"]
            self.assertGreater(usage["ResourceUsage"]["MemoryStats"]["RSS"], 0)

    def assert_stops(self):
        self.agent.must("DELETE", "/v1/job/raw_exec")
        self.agent.wait_allocs("raw_exec", 2, "complete", desired="stop")
        self.assertEqual([len(each.lines("stop")) for each in self.witnesses_of], [1, 1])

    def test_no_task_notices_that_its_driver_dies(self):
        self.submit_all()
        self.assert_serves()
        for number in (signal.SIGSEGV, signal.SIGKILL, signal.SIGABRT):
            with self.subTest(number.name):
                before = self.wait_containers()
                for pid in before.values():
                    os.kill(pid, number)
                self.wait_containers(before.values())
                self.assert_nobody_noticed()
        self.assertIn("(signal 11, Segmentation fault)", self.agent.run.err)
        self.assert_serves()
        self.assert_stops()

    def test_a_command_beside_a_task_ends_with_its_driver(self):
        self.submit_all()
        before = self.wait_containers()
        command = self.command(self.agent.allocs("raw_exec")[0]["ID"], "sh", "-c",
                               "echo here; exec sleep 1000")
        self.assertEqual(command.stdout.readline(), b"here\n")
        os.kill(before["raw_exec"], signal.SIGKILL)
        out, _ = command.communicate(timeout=harness.LIMIT)
        self.assertNotEqual(command.returncode, 0, out)
        self.wait_containers([before["raw_exec"]])
        self.assert_nobody_noticed()

    def test_no_task_notices_that_driver_and_agent_die(self):
        self.submit_all()
        for order in ("agent first", "drivers first", "agent alone"):
            with self.subTest(order):
                before = self.wait_containers()
                if order == "agent first":
                    self.kill()
                if order != "agent alone":
                    for pid in before.values():
                        try:
                            os.kill(pid, signal.SIGKILL)
                        except ProcessLookupError:
                            pass  # it has ended with its agent
                if order != "agent first":
                    self.kill()
                harness.wait_until(lambda: all(harness.is_gone(p) for p in before.values()),
                                   "the end of the drivers of an agent that is gone")
                self.agent = self.start()
                self.wait_containers(before.values())
                self.assert_nobody_noticed()
        self.assert_serves()
        self.assert_stops()


if __name__ == "__main__":
    unittest.main()
