# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""An agent whose disk hangs. Each kind of work has threads of its own, so one kind does not delay the
others."""
import os
import signal
import unittest

import harness
from agent_harness import Agent
from hanging_disk import HangingDisk
from harness import DroverTest, group, job, plugin_file, task, wait_until


@unittest.skipUnless(harness.IS_ROOT, "a disk that hangs needs root to be made")
class HangingDiskTest(DroverTest):
    def setUp(self):
        super().setUp()
        self.alloc_dir = self.sandbox.alloc_dirs[0]
        self.alloc_dir.mkdir()

    def submit(self, agent, name):
        agent.submit(job(group(task("t", "true")), id=name, type="batch"))
        return agent.wait_allocs(name, 1, "complete")[0]["ID"]

    def test_starts_go_on_while_removals_hang(self):
        agent = Agent(self.sandbox)
        names = [f"old-{i}" for i in range(3)]
        ids = [self.submit(agent, name) for name in names]
        disks = [HangingDisk(self, self.alloc_dir / alloc) for alloc in ids]
        for name in names:
            agent.must("DELETE", f"/v1/job/{name}", purge="true")
        wait_until(lambda: not agent.get("/v1/allocations") or agent.must("PUT", "/v1/system/gc"),
                   "the old jobs to be forgotten")
        new = self.submit(agent, "new")
        self.assertEqual(set(os.listdir(self.alloc_dir)), {new, *ids}, "no removal hung")
        for disk in disks:
            disk.free()
        wait_until(lambda: os.listdir(self.alloc_dir) == [new], "another try of the removals")
        agent.stop()
        self.assertEqual(os.listdir(self.alloc_dir), [])

    def test_reload_relaunch_and_stop_go_on_while_starts_hang(self):
        config = self.sandbox.write_config("agent.json", log_level="info", plugins={
            "raw_exec": {"file": str(plugin_file("raw_exec")), "config": {"enabled": True}},
            "mock_driver": {"file": str(plugin_file("mock_driver")), "isolation": "process"}})
        agent = Agent(self.sandbox, config=config)

        def process():
            return agent.get("/v1/agent/plugins/mock_driver")["PID"]
        before = wait_until(process, "the process of the plugin")
        disk = HangingDisk(self, self.alloc_dir)
        agent.submit(job(group(task("t", "true"), Count=3), id="hang", type="batch"))
        agent.wait_allocs("hang", 3, "pending")

        agent.run.signal(signal.SIGHUP)
        agent.run.wait_for(lambda run: "configuration reloaded" in run.err, "the reload")
        os.kill(before, signal.SIGKILL)
        agent.run.wait_for(lambda run: "is back, with 0 runs" in run.err, "the relaunch")
        self.assertNotIn(process(), (0, before))
        agent.wait_allocs("hang", 3, "pending")
        agent.run.interrupt()

        def refuses():
            try:
                agent.ask("GET", "/v1/agent/health")
            except OSError:
                return True
            return False
        wait_until(refuses, "the end of the API")
        self.assertIsNone(agent.run.process.poll(), "no start hung")
        disk.free()
        self.assertEqual(agent.run.wait(), 0, agent.run.story())
        # The next agent removes the directories that could not be removed while the disk hung.
        Agent(self.sandbox, config=config).stop()


if __name__ == "__main__":
    harness.main()
