# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Replacements of failed allocations: when they come, what they know, and what holds them back."""
import signal

import harness
from agent_harness import AgentTest
from harness import group, job, mock
from test_client import Client
from test_takeover import TakeoverCase

SECOND = 1_000_000_000
# The shortest delay that a job may have.
SOON = {"Delay": "5s", "DelayFunction": "constant", "Unlimited": True, "Attempts": 0}
LATE = {"Delay": "1h", "DelayFunction": "constant", "Unlimited": True, "Attempts": 0}
# Whatever fails at once fails again after its replacement.
FAILS = {"run_for": "50ms", "exit_code": 3}
NO_ROLLOUT = {"MaxParallel": 0}


def service(policy=None, id="web", **config):
    return job(group(mock("t", **(config or FAILS)), ReschedulePolicy=policy or SOON,
                     Update=NO_ROLLOUT), id=id, type="service")


class Waiting:
    """What the test classes ask an agent."""

    def first_failure(self, spec, id="web"):
        """Runs a job whose allocation fails. Returns the allocation when its replacement is planned."""
        self.agent.submit(spec)

        def planned():
            for stub in self.agent.allocs(id):
                alloc = self.agent.get(f"/v1/allocation/{stub['ID']}")
                if alloc["FollowupEvalID"]:
                    return alloc
            return None
        return harness.wait_until(planned, "an evaluation that waits")

    def replacement(self, alloc):
        def placed():
            next_id = self.agent.get(f"/v1/allocation/{alloc['ID']}")["NextAllocation"]
            return next_id and self.agent.get(f"/v1/allocation/{next_id}")
        return harness.wait_until(placed, "a replacement")


class RescheduleTest(Client, Waiting, AgentTest):
    def setUp(self):
        super().setUp()
        self.address = self.agent.url

    def test_a_failed_allocation_is_replaced_after_its_delay(self):
        alloc = self.first_failure(service())
        waiting = self.agent.get(f"/v1/evaluation/{alloc['FollowupEvalID']}")
        self.assertEqual((waiting["Status"], waiting["TriggeredBy"], waiting["JobID"]),
                         ("pending", "alloc-failure", "web"))
        self.assertGreater(waiting["Wait"], 0)
        self.assertRegex(waiting["WaitUntil"], r"^20\d\d-")
        maker = self.agent.get(f"/v1/evaluation/{waiting['PreviousEval']}")
        self.assertEqual((maker["NextEval"], maker["Status"]), (waiting["ID"], "complete"))
        self.assertNotIn("WaitUntil", maker)
        self.assertEqual(self.agent.get("/v1/job/web")["Status"], "pending")
        after = self.replacement(alloc)
        self.assertGreaterEqual(after["CreateTime"], waiting["CreateTime"] + waiting["Wait"])
        self.assertEqual(after["PreviousAllocation"], alloc["ID"])
        (event,) = after["RescheduleTracker"]["Events"]
        self.assertEqual((event["PrevAllocID"], event["PrevNodeID"], event["Delay"]),
                         (alloc["ID"], alloc["NodeID"], 5 * SECOND))
        self.assertEqual(after["EvalID"], waiting["ID"])
        old = self.agent.get(f"/v1/allocation/{alloc['ID']}")
        self.assertEqual((old["DesiredStatus"], old["DesiredDescription"], old["ClientStatus"]),
                         ("stop", "alloc was rescheduled because it failed", "failed"))
        self.assertEqual(self.agent.get(f"/v1/evaluation/{waiting['ID']}")["Status"], "complete")

    def test_a_batch_job_has_so_many_attempts(self):
        policy = {"Attempts": 1, "Interval": "1h", "Delay": "5s", "DelayFunction": "constant",
                  "Unlimited": False}
        spec = job(group(mock("t", **FAILS), ReschedulePolicy=policy), id="sum")
        second = self.replacement(self.first_failure(spec, "sum"))
        harness.wait_until(lambda: self.agent.get("/v1/job/sum")["Status"] == "dead",
                           "the end of the job")
        self.assertEqual(self.agent.get(f"/v1/allocation/{second['ID']}")["FollowupEvalID"], "")
        # Somebody may ask for one more.
        self.cli("job", "eval", "-force-reschedule", "sum")
        third = self.replacement(second)
        self.assertEqual(len(third["RescheduleTracker"]["Events"]), 2)

    def test_a_stop_without_a_replacement(self):
        self.agent.submit(service(LATE, run_for="1h"))
        alloc = self.agent.wait_allocs("web", 1, "running")[0]["ID"]
        refused = self.agent.ask("PUT", f"/v1/allocation/{alloc}/stop", no_reschedule="true",
                                 reschedule="true")
        self.assertEqual(refused.status, 400)
        self.agent.must("PUT", f"/v1/allocation/{alloc}/stop", no_reschedule="true")
        self.agent.wait_allocs("web", 1, "complete", "stop")
        self.agent.must("PUT", "/v1/job/web/evaluate")
        self.agent.must("PUT", "/v1/system/gc")
        self.agent.must("PUT", "/v1/job/web/evaluate")
        self.assertEqual([a["ID"] for a in self.agent.allocs("web")], [alloc])
        self.assertTrue(self.agent.get(f"/v1/allocation/{alloc}")
                        ["DesiredTransition"]["MigrateDisablePlacement"])
        self.agent.submit(service(LATE, run_for="2h"))
        self.agent.wait_allocs("web", 1, "running")

    def test_a_stop_that_counts(self):
        self.agent.submit(job(group(mock("t", run_for="1h")), id="sum"))
        alloc = self.agent.wait_allocs("sum", 1, "running")[0]
        self.agent.must("PUT", f"/v1/allocation/{alloc['ID']}/stop", reschedule="true")
        after = self.replacement(alloc)
        self.assertEqual(len(after["RescheduleTracker"]["Events"]), 1)
        self.assertTrue(self.agent.get(f"/v1/allocation/{alloc['ID']}")["DesiredTransition"]["Reschedule"])
        self.agent.must("PUT", f"/v1/allocation/{after['ID']}/stop")
        self.assertIsNone(self.replacement(after)["RescheduleTracker"], "a migration does not")

    def test_a_stopped_job_waits_for_nothing(self):
        alloc = self.first_failure(service(LATE))
        self.agent.must("DELETE", "/v1/job/web")
        waiting = self.agent.get(f"/v1/evaluation/{alloc['FollowupEvalID']}")
        self.assertEqual((waiting["Status"], waiting["StatusDescription"]),
                         ("canceled", "the job was stopped"))


class RescheduleTakeoverTest(Waiting, TakeoverCase):
    def test_the_next_agent_goes_on_waiting(self):
        alloc = self.first_failure(service())
        late = self.first_failure(service(LATE, id="late"), "late")
        self.kill()
        self.agent = self.start()
        after = self.replacement(alloc)
        self.assertEqual(len(after["RescheduleTracker"]["Events"]), 1)
        waiting = self.agent.get(f"/v1/evaluation/{late['FollowupEvalID']}")
        self.assertEqual(waiting["Status"], "pending")
        # A third agent knows the past of the replacement, once this one has stored it: before it starts it.
        harness.wait_until(lambda: self.agent.get(f"/v1/allocation/{after['ID']}")["ClientStatus"] != "pending",
                           "the replacement to start")
        self.agent.run.process.send_signal(signal.SIGKILL)
        self.agent.run.process.wait()
        self.agent = self.start()
        again = self.agent.get(f"/v1/allocation/{after['ID']}")
        self.assertEqual(again["RescheduleTracker"], after["RescheduleTracker"])
