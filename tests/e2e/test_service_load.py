# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""What a thousand registered services cost an agent."""
import pathlib
import re

import harness
from agent_harness import Agent, agent_config
from harness import SLACK, DroverTest, group, job, mock

ALLOCS = 20
SERVICES = 1000
MIB = 1 << 20
MOST = 2 * MIB
EXACT = SLACK <= 2  # a sanitizer keeps freed memory for a while


class ServiceMemoryTest(DroverTest):
    def setUp(self):
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()
        # With its state on the disk, as in operation.
        self.agent = Agent(self.sandbox, dev=False, config=agent_config(self.sandbox))

    def tearDown(self):
        if not self._outcome_failed():
            self.agent.stop()
        super().tearDown()

    def register(self, count):
        """Gives each allocation COUNT services."""
        services = [{"Name": f"service-{n}", "PortLabel": "http", "Provider": "nomad", "Tags": ["http"]}
                    for n in range(count)]
        self.agent.submit(job(
            group(mock("t", run_for="10h", Resources={"CPU": 1, "MemoryMB": 10}), Count=ALLOCS, Services=services,
                  ShutdownDelay=0, Networks=[{"DynamicPorts": [{"Label": "http"}]}]), id="web", type="service"))
        self.agent.wait_allocs("web", ALLOCS, "running")

        def registered():  # in small answers, so that the agent needs no memory for one of all
            return all(len(self.agent.get(f"/v1/service/service-{n}")) == ALLOCS for n in reversed(range(count)))
        harness.wait_until(registered, f"{count * ALLOCS} services")

    def memory(self):
        """The memory that only this agent has, in bytes, without what is free."""
        # After a large body, the agent gives back what it does not use.
        large = job(group(mock("t")), id="large", Meta={"text": "x" * (3 * MIB)})
        self.agent.must("PUT", "/v1/validate/job", large)
        text = pathlib.Path(f"/proc/{self.agent.run.pid}/smaps_rollup").read_text()
        return int(re.search(r"^Private_Dirty:\s+(\d+) kB", text, re.M).group(1)) << 10

    def test_a_thousand_services_take_little(self):
        self.register(1)  # all code has run, and all allocations are there
        allocs = {alloc["ID"] for alloc in self.agent.allocs("web")}
        before = self.memory()
        self.register(1 + SERVICES // ALLOCS)
        grown = self.memory() - before
        self.assertEqual({alloc["ID"] for alloc in self.agent.allocs("web")}, allocs, "the update was in place")
        print(f"{SERVICES} services: {grown / MIB:.2f} MiB, {grown / SERVICES:.0f} bytes each", flush=True)
        if EXACT:
            self.assertLess(grown, MOST)
        self.agent.forget_all(self.leftovers)
        self.assertEqual(self.agent.get("/v1/services"), [])


if __name__ == "__main__":
    harness.main()
