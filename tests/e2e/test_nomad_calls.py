# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The calls of Nomad's command line about changes, in their order: `job run`, `deployment status -monitor`, `job restart`,
`job dispatch`. What that program decides by an answer, it must decide right."""
import json
import time

import harness
from agent_harness import AgentTest
from harness import group, job, mock

ENDED = ("successful", "failed", "cancelled", "blocked")
QUICK = {"HealthCheck": "task_states", "MinHealthyTime": "10ms", "HealthyDeadline": "30s", "ProgressDeadline": "1m"}


class NomadCli:
    """The commands. Each returns its exit code."""

    def __init__(self, agent):
        self.agent = agent
        self.said = []

    def say(self, *words):
        self.said.append(" ".join(map(str, words)))

    def follow(self, path, index=0):
        """One blocking query. Returns its answer and the index for the next one."""
        reply = self.agent.ask("GET", path, index=index, wait="5s", stale="")
        assert reply.status == 200, reply.body
        return json.loads(reply.body), int(reply.headers["X-Nomad-Index"])

    def until(self, condition, what):
        return harness.wait_until(condition, f"{what}: {self.said}")

    def find_job(self, job_id, **query):
        """What every command does with the id of a job."""
        found = self.agent.get("/v1/jobs", prefix=job_id, namespace="default", **query)
        exact = [one for one in found if one["ID"] == job_id]
        return exact[0] if exact else None

    def job_run(self, spec):
        reply = self.agent.must("PUT", "/v1/jobs", spec)
        if not reply["EvalID"]:
            return 0
        self.agent.ask("GET", "/v1/agent/self")
        return self.monitor(reply["EvalID"])

    def monitor(self, eval_id, deployments=True):
        seen = {}

        def ended():
            evaluation = self.agent.get(f"/v1/evaluation/{eval_id}")
            for alloc in self.agent.get(f"/v1/evaluation/{eval_id}/allocations"):
                if seen.get(alloc["ID"]) != alloc["ClientStatus"]:
                    self.say("allocation", alloc["ID"][:8], alloc["ClientStatus"])
                    seen[alloc["ID"]] = alloc["ClientStatus"]
            return evaluation if evaluation["Status"] in ("complete", "failed", "canceled") else None
        evaluation = self.until(ended, "the end of the evaluation")
        code = 0
        if evaluation["FailedTGAllocs"]:
            code = 2
            if evaluation["BlockedEval"]:
                self.say("waiting for additional capacity", evaluation["BlockedEval"][:8])
        if evaluation["NextEval"]:
            time.sleep(self.agent.get(f"/v1/evaluation/{evaluation['NextEval']}")["Wait"] / 1e9)
            return self.monitor(evaluation["NextEval"])
        if not deployments or not evaluation["DeploymentID"]:
            return code
        return self.deployment_monitor(evaluation["DeploymentID"])

    def deployment_status_monitor(self, prefix):
        found = self.agent.get("/v1/deployments", prefix=prefix)
        assert len(found) == 1, found
        return self.deployment_monitor(self.agent.get(f"/v1/deployment/{found[0]['ID']}")["ID"])

    def deployment_monitor(self, deployment_id):
        last = [0]

        def ended():
            deployment, last[0] = self.follow(f"/v1/deployment/{deployment_id}", last[0])
            self.say("deployment", deployment["JobVersion"], deployment["Status"])
            return deployment if deployment["Status"] in ENDED else None
        deployment = self.until(ended, "the end of the deployment")
        if deployment["Status"] == "successful":
            return 0
        if deployment["Status"] == "failed" and any(g["AutoRevert"] for g in deployment["TaskGroups"].values()):
            newest = self.agent.get(f"/v1/job/{deployment['JobID']}/deployment")
            if newest["ID"] != deployment_id:
                self.deployment_monitor(newest["ID"])
        return 1

    def job_restart(self, job_id, reschedule=False):
        assert self.find_job(job_id) is not None
        kind = self.agent.get(f"/v1/job/{job_id}")["Type"]
        self.agent.get(f"/v1/job/{job_id}/versions")
        allocs = self.agent.allocs(job_id, all="true")
        eligible = [a["ID"] for a in allocs if not a["NextAllocation"] and
                    (a["ClientStatus"] == "running" or a["DesiredStatus"] == "run")]
        if not eligible:
            self.say("No allocations to restart")
            return 0
        for alloc in eligible:
            for deployment in self.agent.get(f"/v1/job/{job_id}/deployments", all="true"):
                if deployment["Status"] not in ENDED:
                    self.say(f'Deployment "{deployment["ID"]}" is "{deployment["Status"]}"')
                    return 1
            if not reschedule:
                reply = self.agent.ask("PUT", f"/v1/client/allocation/{alloc}/restart", {})
                assert reply.status == 200, reply.body
                continue
            stopped = self.agent.must("PUT", f"/v1/allocation/{alloc}/stop")
            if kind == "system":
                self.agent.must("PUT", f"/v1/job/{job_id}/evaluate",
                                {"JobID": job_id, "EvalOptions": {"ForceReschedule": True}})
            if not self.await_replacement(job_id, alloc, stopped["Index"]):
                return 1
        self.say("Job restarted successfully!")
        return 0

    def await_replacement(self, job_id, alloc_id, index):
        """Follows NextAllocation until that runs, and looks for an evaluation that waits for room."""
        def result():
            evals, _ = self.follow(f"/v1/job/{job_id}/evaluations")
            if any(e["Status"] == "blocked" and e["FailedTGAllocs"] and e["CreateIndex"] > index for e in evals):
                self.say("placement failure")
                return "failed"
            one = self.agent.get(f"/v1/allocation/{alloc_id}")
            while one["NextAllocation"]:
                one = self.agent.get(f"/v1/allocation/{one['NextAllocation']}")
            return "runs" if one["ID"] != alloc_id and one["ClientStatus"] == "running" else None
        return self.until(result, "a replacement") == "runs"

    def job_dispatch(self, job_id, meta, payload=None):
        if self.find_job(job_id, filter="ParameterizedJob is not nil") is None:
            return 1
        reply = self.agent.must("PUT", f"/v1/job/{job_id}/dispatch",
                                {"JobID": job_id, "Meta": meta, "Payload": payload, "IdPrefixTemplate": ""})
        self.say("Dispatched Job ID =", reply["DispatchedJobID"])
        return self.monitor(reply["EvalID"]) if reply["EvalID"] else 0


def service(version, update=None, count=2, id="web", type="service", **config):
    one = mock("t", **(config or {"run_for": "1h"}), Env={"VERSION": str(version)})
    fields = {} if type == "system" else {"Count": count}
    return job(group(one, Update={**QUICK, **(update or {})}, **fields), id=id, type=type)


class NomadCallsTest(AgentTest):
    def setUp(self):
        super().setUp()
        self.cli = NomadCli(self.agent)

    def test_job_run_waits_for_its_deployment(self):
        self.assertEqual(self.cli.job_run(service(0)), 0)
        self.assertEqual(self.cli.said[-1], "deployment 0 successful")
        self.assertEqual(self.cli.job_run(service(1)), 0)
        self.assertEqual(self.cli.said[-1], "deployment 1 successful")
        newest = self.agent.get("/v1/job/web/deployment")
        self.assertEqual(self.cli.deployment_status_monitor(newest["ID"][:8]), 0)

    def test_job_run_follows_the_way_back(self):
        self.assertEqual(self.cli.job_run(service(0, {"AutoRevert": True})), 0)
        bad = service(1, {"AutoRevert": True, "ProgressDeadline": 0, "MinHealthyTime": "10s"},
                      run_for="10ms", exit_code=1)
        self.assertEqual(self.cli.job_run(bad), 1)
        ends = [line for line in self.cli.said if line.endswith(("failed", "successful"))]
        self.assertEqual(ends[-2:], ["deployment 1 failed", "deployment 2 successful"])

    def test_job_run_without_a_way_back(self):
        bad = service(0, {"ProgressDeadline": 0, "MinHealthyTime": "10s"}, run_for="10ms", exit_code=1)
        self.assertEqual(self.cli.job_run(bad), 1)
        self.assertEqual(self.agent.get("/v1/job/web")["Version"], 0)

    def test_job_run_without_a_deployment(self):
        self.assertEqual(self.cli.job_run(service(0, {"MaxParallel": 0})), 0)
        self.assertEqual([line for line in self.cli.said if line.startswith("deployment")], [])
        large = service(1, {"MaxParallel": 0}, id="large")
        large["Job"]["TaskGroups"][0]["Tasks"][0]["Resources"] = {"MemoryMB": 1 << 30}
        self.assertEqual(self.cli.job_run(large), 2)
        self.assertRegex(self.cli.said[-1], "^waiting for additional capacity")

    def test_job_run_waits_for_a_reschedule(self):
        soon = {"Attempts": 1, "Interval": "1h", "Delay": "5s", "DelayFunction": "constant", "Unlimited": False}
        spec = job(group(mock("t", run_for="50ms", exit_code=1), ReschedulePolicy=soon), id="sum")
        self.assertEqual(self.cli.job_run(spec), 0)
        failed = self.agent.wait_allocs("sum", 1, "failed")[0]
        waiting = self.cli.until(lambda: self.agent.get(f"/v1/allocation/{failed['ID']}")["FollowupEvalID"],
                                 "an evaluation that waits")
        maker = self.agent.get(f"/v1/evaluation/{waiting}")["PreviousEval"]
        self.assertEqual(self.cli.monitor(maker), 0, "it sleeps, and sees the replacement")
        self.assertEqual(len(self.agent.allocs("sum")), 2)

    def test_job_run_does_not_wait_for_a_reschedule_that_is_not_its_own(self):
        """A registration leaves the evaluation that waits to its time, so that nobody sleeps until then."""
        later = {"Attempts": 1, "Interval": "24h", "Delay": "1h", "DelayFunction": "constant", "Unlimited": False}
        spec = job(group(mock("t", run_for="50ms", exit_code=1), ReschedulePolicy=later), id="sum")
        self.assertEqual(self.cli.job_run(spec), 0)
        failed = self.agent.wait_allocs("sum", 1, "failed")[0]["ID"]

        def follow_up():
            return self.agent.get(f"/v1/allocation/{failed}")["FollowupEvalID"]
        waiting = self.cli.until(follow_up, "an evaluation that waits")
        self.assertEqual(self.cli.job_run(spec), 0)
        self.assertEqual(follow_up(), waiting)
        self.assertEqual(self.agent.get(f"/v1/evaluation/{waiting}")["Status"], "pending")

    def test_job_restart(self):
        self.assertEqual(self.cli.job_run(service(0)), 0)
        before = {a["ID"] for a in self.agent.allocs("web")}
        self.assertEqual(self.cli.job_restart("web"), 0)
        for alloc in before:
            self.agent.wait_restarts(alloc, t=1)
        self.assertEqual({a["ID"] for a in self.agent.allocs("web")}, before)
        self.assertEqual(self.cli.job_restart("web", reschedule=True), 0)
        after = {a["ID"] for a in self.agent.wait_allocs("web", 2, "running")}
        self.assertEqual(after & before, set())
        self.agent.wait_allocs("web", 2, "complete", "stop")
        self.assertEqual(self.cli.job_restart("web"), 0, "it skips those that were replaced")

    def test_job_restart_of_a_system_job(self):
        self.assertEqual(self.cli.job_run(service(0, id="each", type="system")), 0)
        (before,) = self.agent.wait_allocs("each", 1, "running")
        self.assertEqual(self.cli.job_restart("each", reschedule=True), 0)
        (after,) = self.agent.wait_allocs("each", 1, "running")
        self.assertNotEqual(after["ID"], before["ID"])

    def test_job_restart_stops_at_a_deployment(self):
        self.agent.submit(service(0, {"HealthCheck": "manual"}))
        self.agent.wait_allocs("web", 2, "running")
        self.assertEqual(self.cli.job_restart("web"), 1)
        self.assertRegex(self.cli.said[-1], '^Deployment ".*" is "running"$')
        self.assertEqual([a["TaskStates"]["t"]["Restarts"] for a in self.agent.allocs("web")], [0, 0])

    def test_job_dispatch(self):
        spec = job(group(mock("t", run_for="10ms")), id="form",
                   ParameterizedJob={"MetaRequired": ["who"], "Payload": "forbidden"})
        self.assertEqual(self.cli.job_run(spec), 0)
        self.assertEqual(self.cli.said, [], "it has no evaluation")
        self.assertEqual(self.cli.job_dispatch("form", {"who": "ada"}), 0)
        child = self.cli.said[0].rpartition(" ")[2]
        self.agent.wait_allocs(child, 1, "complete")
        self.assertEqual(self.cli.job_dispatch("none", {}), 1)


if __name__ == "__main__":
    harness.main()
