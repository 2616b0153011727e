# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The agent, driven by python-nomad as it comes from the package index."""
import nomad
from nomad.api import exceptions

import harness
from agent_harness import AgentTest
from harness import group, job, mock, task


class PythonNomadTest(AgentTest):
    def setUp(self):
        super().setUp()
        host, port = self.agent.address.split(":")
        self.nomad = nomad.Nomad(host=host, port=int(port), timeout=30)

    def wait(self, job_id, status, count=1):
        def those():
            found = [a for a in self.nomad.job.get_allocations(job_id)
                     if a["ClientStatus"] == status]
            return found if len(found) == count else None
        return harness.wait_until(those, f"{count} {status} of {job_id}")

    def restarts_and_state(self, alloc_id):
        task_state = self.nomad.allocation.get_allocation(alloc_id)["TaskStates"]["t"]
        return task_state["Restarts"], task_state["State"]

    def is_on_its_node(self, alloc):
        try:
            self.nomad.client.allocation.read_allocation_stats(alloc)
        except exceptions.URLNotFoundNomadException:
            return False
        return True

    def test_a_job_and_its_allocations(self):
        spec = job(group(task("t", "exec sleep 1000"), Count=2), id="web", type="service")
        reply = self.nomad.job.register_job("web", spec)
        self.assertEqual(self.nomad.evaluation.get_evaluation(reply["EvalID"])["Status"],
                         "complete")
        allocs = self.wait("web", "running", 2)
        self.assertIn("web", self.nomad.jobs)
        self.assertEqual(len(self.nomad.jobs), 1)
        self.assertEqual(self.nomad.jobs["web"]["Name"], "web")
        self.assertEqual([j["ID"] for j in self.nomad.jobs.get_jobs(prefix="w")], ["web"])
        self.assertEqual(self.nomad.job.get_job("web")["Status"], "running")
        self.assertEqual(self.nomad.job.get_summary("web")["Summary"]["g"]["Running"], 2)
        self.assertEqual(len(self.nomad.job.get_versions("web")["Versions"]), 1)
        self.assertEqual(len(self.nomad.job.get_evaluations("web")), 1)
        self.assertEqual(self.nomad.job.get_deployments("web"), [])
        self.assertEqual(
            len(self.nomad.evaluation.get_allocations(reply["EvalID"])), 2)
        self.assertEqual(len(self.nomad.allocations.get_allocations()), 2)
        one = allocs[0]["ID"]
        self.assertIn(one, self.nomad.allocation)
        self.assertEqual(self.nomad.allocation.get_allocation(one)["Job"]["ID"], "web")
        stats = self.nomad.client.allocation.read_allocation_stats(one)
        self.assertGreater(stats["ResourceUsage"]["MemoryStats"]["RSS"], 0)
        self.nomad.client.allocation.restart_allocation(one)
        harness.wait_until(lambda: self.restarts_and_state(one) == (1, "running"),
                           "it has been restarted")
        self.nomad.client.allocation.signal_allocation(one, "SIGKILL")
        self.nomad.allocation.stop_allocation(one)
        harness.wait_until(lambda: self.nomad.allocation.get_allocation(one)["ClientStatus"]
                           in ("complete", "failed"), "it has been stopped")
        self.nomad.client.gc_allocation.garbage_collect(one)
        harness.wait_until(lambda: not self.is_on_its_node(one), "its node has let go of it")
        self.nomad.job.deregister_job("web", purge=True)
        self.assertNotIn("web", self.nomad.job)
        harness.wait_until(lambda: all(a["ClientStatus"] in ("complete", "failed")
                                       for a in self.nomad.allocations.get_allocations()), "ended")
        self.nomad.system.initiate_garbage_collection()
        self.assertEqual(self.nomad.allocations.get_allocations(), [])

    def test_a_plan_a_validation_and_an_evaluation(self):
        spec = job(group(mock("t", run_for="1h")), id="web", type="service")
        self.assertEqual(self.nomad.validate.validate_job(spec).json()["ValidationErrors"], None)
        plan = self.nomad.job.plan_job("web", spec, diff=True)
        self.assertEqual(plan["Annotations"]["DesiredTGUpdates"]["g"]["Place"], 1)
        self.assertEqual(self.nomad.jobs.get_jobs(), [])
        self.nomad.jobs.register_job(spec)
        self.wait("web", "running")
        self.assertTrue(self.nomad.job.evaluate_job("web")["EvalID"])
        self.assertEqual(len(self.nomad.evaluations.get_evaluations()), 2)

    def test_its_exceptions(self):
        with self.assertRaises(exceptions.URLNotFoundNomadException):
            self.nomad.job.get_job("none")
        with self.assertRaises(exceptions.BadRequestNomadException):
            self.nomad.jobs.register_job({})
        with self.assertRaises(exceptions.BaseNomadException):
            self.nomad.jobs.register_job(job(group({"Name": "t", "Driver": "none"}), id="x"))

    def test_nodes_and_the_agent(self):
        node = self.nomad.nodes.get_nodes()[0]
        self.assertEqual(self.nomad.node.get_node(node["ID"])["Status"], "ready")
        self.assertEqual(self.nomad.node.get_allocations(node["ID"]), [])
        self.nomad.node.eligible_node(node["ID"], ineligible=True)
        self.assertEqual(self.nomad.nodes.get_nodes()[0]["SchedulingEligibility"], "ineligible")
        self.assertEqual(self.nomad.status.leader.get_leader(), self.agent.address)
        self.assertEqual(self.nomad.regions.get_regions(), ["global"])
        self.assertEqual(self.nomad.agent.get_agent()["member"]["Status"], "alive")
        self.assertEqual(self.nomad.agent.get_servers(), [self.agent.address])
        self.assertEqual(self.nomad.namespaces.get_namespaces()[0]["Name"], "default")
        found = self.nomad.search.search(node["ID"][:8], "nodes")
        self.assertEqual(found["Matches"]["nodes"], [node["ID"]])
