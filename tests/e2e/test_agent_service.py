# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The agent as a service: its limits, and what it tells who has started it."""
import pathlib
import resource
import socket

import harness
from agent_harness import Agent, agent_config
from harness import DroverTest, group, job, task


class AgentServiceTest(DroverTest):
    def setUp(self):
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()

    def test_the_agent_raises_its_limit_of_open_files_and_tasks_keep_theirs(self):
        soft, hard = 321, resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        agent = Agent(self.sandbox, "--log-level", "info",
                      command=["/bin/sh", "-c", f'ulimit -Sn {soft}; exec "$0" "$@"',
                               harness.binary()])
        limits = pathlib.Path(f"/proc/{agent.run.pid}/limits").read_text()
        line = next(l for l in limits.splitlines() if l.startswith("Max open files"))
        self.assertEqual(line.split()[3:5], [str(hard), str(hard)])
        self.assertEqual(agent.run.err.count(f"raised from {soft} to {hard}"), 1, agent.run.story())
        agent.submit(job(group(task("t", "ulimit -Sn; ulimit -Hn")), id="limits"))
        alloc = agent.wait_allocs("limits", 1, "complete")[0]["ID"]
        log = self.sandbox.alloc_dirs[0] / alloc / "alloc/logs/t.stdout.0"
        self.assertEqual(log.read_text(), f"{soft}\n{hard}\n")
        agent.stop()

    def test_the_service_manager_is_told(self):
        address = f"@{self.sandbox.root.name}"
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.settimeout(harness.LIMIT)
            manager.bind("\0" + address[1:])
            agent = Agent(self.sandbox, env={"NOTIFY_SOCKET": address})
            self.assertEqual(manager.recv(1000), b"READY=1")
            agent.submit(job(group(task("t", 'test -z "$NOTIFY_SOCKET"')), id="secret"))
            agent.wait_allocs("secret", 1, "complete")  # tasks do not speak for the agent
            agent.stop()
            self.assertEqual(manager.recv(1000), b"STOPPING=1")

    def test_a_service_manager_that_is_not_there_is_no_reason_to_stop(self):
        agent = Agent(self.sandbox, env={"NOTIFY_SOCKET": f"{self.sandbox.root}/none"})
        self.assertIn("the service manager was not told: NOTIFY_SOCKET", agent.run.err)
        agent.stop()
