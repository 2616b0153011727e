# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Jobs of a high priority that take the room of others, and who may."""
import json
import signal

import harness
from agent_harness import Agent, agent_config
from harness import DroverTest, group, job, task

CONFIGURATION = "/v1/operator/scheduler/configuration"
FOREVER = "trap 'exit 0' INT TERM; while :; do sleep 0.1 & wait $!; done"


class PreemptionTest(DroverTest):
    def setUp(self):
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()
        self.agent = self.start()
        node = self.agent.get("/v1/nodes", resources="true")[0]
        self.memory = (node["NodeResources"]["Memory"]["MemoryMB"] -
                       node["ReservedResources"]["Memory"]["MemoryMB"])

    def tearDown(self):
        if not self._outcome_failed():
            self.agent.forget_all(harness.Leftovers(self.sandbox))
            self.agent.stop()
        super().tearDown()

    def start(self, **scheduler):
        fields = {"server": {"default_scheduler_config": scheduler}} if scheduler else {}
        return Agent(self.sandbox, dev=False, config=agent_config(self.sandbox, **fields))

    def job(self, id, share, priority, type="service", script=FOREVER):
        """A job that asks for SHARE, in percent, of the node's memory."""
        one = task("t", script, Resources={"CPU": 1, "MemoryMB": self.memory * share // 100}, KillTimeout=3 * 10**9)
        return job(group(one), id=id, type=type, Priority=priority)

    def test_a_system_job_starts_when_the_displaced_one_has_ended(self):
        slow = "trap 'sleep 1; exit 0' INT TERM; while :; do sleep 0.1 & wait $!; done"
        self.agent.submit(self.job("web", 80, 50, script=slow))
        web = self.agent.wait_allocs("web", 1, "running")[0]["ID"]
        self.agent.submit(self.job("near", 40, 55, type="system"))
        self.assertEqual(self.agent.allocs("near"), [], "its priority is not higher by ten")
        self.agent.must("DELETE", "/v1/job/near", purge="true")
        self.agent.submit(self.job("agent", 40, 60, type="system"))
        new = self.agent.wait_allocs("agent", 1, "running")[0]["ID"]
        old = self.agent.get(f"/v1/allocation/{web}")
        self.assertEqual((old["DesiredStatus"], old["DesiredDescription"], old["PreemptedByAllocation"],
                          old["ClientStatus"]), ("evict", f"Preempted by alloc ID {new}", new, "complete"))
        now = self.agent.get(f"/v1/allocation/{new}")
        self.assertEqual(now["PreemptedAllocations"], [web])
        self.assertGreaterEqual(now["TaskStates"]["t"]["StartedAt"], old["TaskStates"]["t"]["FinishedAt"])
        evals = self.agent.get("/v1/job/web/evaluations")
        self.assertEqual(len([e for e in evals if e["TriggeredBy"] == "preemption"]), 1)
        self.assertEqual(len([e for e in evals if e["Status"] == "blocked"]), 1)
        self.agent.must("DELETE", "/v1/job/agent")
        self.agent.wait_allocs("web", 1, "running")

    def test_what_an_operator_has_set_outlives_the_agent(self):
        self.agent.submit(self.job("web", 80, 10))
        self.agent.wait_allocs("web", 1, "running")
        self.agent.submit(self.job("db", 40, 90))
        self.assertEqual(self.agent.allocs("db"), [], "services displace nobody by default")
        config = self.agent.get(CONFIGURATION)["SchedulerConfig"]
        config["PreemptionConfig"]["ServiceSchedulerEnabled"] = True
        self.assertTrue(self.agent.must("PUT", CONFIGURATION, config)["Updated"])
        self.agent.run.process.send_signal(signal.SIGKILL)
        self.agent.run.process.wait()
        self.agent = self.start(preemption_config={"service_scheduler_enabled": False})
        now = self.agent.get(CONFIGURATION)["SchedulerConfig"]["PreemptionConfig"]
        self.assertTrue(now["ServiceSchedulerEnabled"], json.dumps(now))
        self.agent.must("PUT", "/v1/job/db/evaluate", {"JobID": "db"})
        self.agent.wait_allocs("db", 1, "running")
        self.agent.wait_allocs("web", 1, "complete", "evict")

    def test_a_kill_between_the_end_of_one_and_the_start_of_the_other(self):
        slow = "trap 'sleep 2; exit 0' INT TERM; while :; do sleep 0.1 & wait $!; done"
        self.agent.submit(self.job("web", 80, 50, script=slow))
        web = self.agent.wait_allocs("web", 1, "running")[0]["ID"]
        self.agent.submit(self.job("agent", 40, 80, type="system"))
        self.agent.run.process.send_signal(signal.SIGKILL)
        self.agent.run.process.wait()
        self.agent = self.start()
        new = self.agent.wait_allocs("agent", 1, "running")[0]["ID"]
        old = self.agent.get(f"/v1/allocation/{web}")
        self.assertEqual(old["ClientStatus"], "complete")
        self.assertGreaterEqual(self.agent.get(f"/v1/allocation/{new}")["TaskStates"]["t"]["StartedAt"],
                                old["TaskStates"]["t"]["FinishedAt"])


if __name__ == "__main__":
    harness.main()
