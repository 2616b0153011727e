# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Deployments: how a new version of a job replaces the one before it, step by step, and goes back."""
import socket

import harness
from agent_harness import AgentTest
from harness import group, job, mock, task
from test_agent_streams import Stream
from test_takeover import TakeoverCase

# Healthy as soon as the tasks run, and unhealthy as soon as one of them ends.
QUICK = {"HealthCheck": "task_states", "MinHealthyTime": "10ms", "HealthyDeadline": "30s",
         "ProgressDeadline": "1m"}
NO_RESCHEDULE = {"Attempts": 0, "Unlimited": False}


def service(version, count=1, update=None, **fields):
    """A service whose allocations differ between versions."""
    fields.setdefault("ReschedulePolicy", NO_RESCHEDULE)
    one = mock("t", run_for="1h", Env={"VERSION": str(version)})
    return job(group(one, Count=count, Update={**QUICK, **(update or {})}, **fields), id="web",
               type="service")


def broken(update=None):
    """A version of the same job whose tasks fail before they are healthy."""
    one = mock("t", run_for="100ms", exit_code=1, Env={"VERSION": "broken"})
    update = {**QUICK, "MinHealthyTime": "10s", **(update or {})}
    return job(group(one, Update=update, ReschedulePolicy=NO_RESCHEDULE),
               id="web", type="service")


class Deployments:
    """What tests of deployments ask of self.agent."""

    def deployment(self):
        return self.agent.get("/v1/job/web/deployment")

    def wait_deployment(self, version, *, status, what=None):
        """Waits until the newest deployment is of VERSION, with STATUS, and WHAT(deployment) holds."""
        def found():
            one = self.deployment()
            right = one and (one["JobVersion"], one["Status"]) == (version, status)
            return one if right and (what is None or what(one)) else None
        try:
            return harness.wait_until(found, f"a {status} deployment of version {version}")
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.deployment()}") from error

    def live(self):
        return [a for a in self.agent.allocs("web")
                if a["DesiredStatus"] == "run" and a["ClientStatus"] in ("pending", "running")]

    def versions(self):
        return sorted(a["JobVersion"] for a in self.live())

    def change(self, action, deployment, **fields):
        body = {"DeploymentID": deployment["ID"], **fields}
        return self.agent.must("PUT", f"/v1/deployment/{action}/{deployment['ID']}", body)


class DeploymentTest(Deployments, AgentTest):
    def test_the_first_version_becomes_stable(self):
        reply = self.agent.submit(service(0, count=2))
        done = self.wait_deployment(0, status="successful")
        self.assertEqual(done["StatusDescription"], "Deployment completed successfully")
        counts = done["TaskGroups"]["g"]
        self.assertEqual([counts[key] for key in ("DesiredTotal", "PlacedAllocs", "HealthyAllocs",
                                                  "UnhealthyAllocs")], [2, 2, 2, 0])
        self.assertTrue(self.agent.get("/v1/job/web")["Stable"])
        evaluation = self.agent.get(f"/v1/evaluation/{reply['EvalID']}")
        self.assertEqual(evaluation["DeploymentID"], done["ID"])
        found = self.agent.get(f"/v1/deployment/allocations/{done['ID']}")
        self.assertEqual(sorted(a["ID"] for a in found), sorted(a["ID"] for a in self.live()))
        self.assertEqual([one["ID"] for one in self.agent.get("/v1/deployments")], [done["ID"]])

    def test_events_and_a_wait_for_the_next_change(self):
        stream = Stream(self.agent, "/v1/event/stream", [("topic", "Deployment:web")])
        self.addCleanup(stream.close)
        self.agent.submit(service(0, update={"HealthCheck": "manual"}))
        runs = self.wait_deployment(0, status="running")
        alloc = self.agent.wait_allocs("web", 1, "running")[0]
        self.change("pause", runs, Pause=True)
        self.change("pause", runs, Pause=False)
        index = self.deployment()["ModifyIndex"]
        self.change("allocation-health", runs, HealthyAllocationIDs=[alloc["ID"]])
        reply = self.agent.ask("GET", f"/v1/deployment/{runs['ID']}", index=index, wait="30s")
        self.assertGreater(int(reply.headers["X-Nomad-Index"]), index)
        events = stream.events_until(
            lambda e: e["Payload"]["Deployment"]["Status"] == "successful")
        self.assertEqual({e["Topic"] for e in events}, {"Deployment"})
        types = [e["Type"] for e in events]
        self.assertEqual((types[0], types[-1]), ("PlanResult", "DeploymentAllocHealth"))
        self.assertEqual(types.count("DeploymentStatusUpdate"), 2)
        self.assertEqual((events[0]["Key"], events[0]["FilterKeys"]), (runs["ID"], ["web"]))

    def test_one_after_another(self):
        self.agent.submit(service(0, count=3))
        self.wait_deployment(0, status="successful")
        self.agent.submit(service(1, count=3, update={"MinHealthyTime": "300ms"}))
        fewest = 3

        def done():
            nonlocal fewest
            one = self.deployment()
            healthy = [a for a in self.live()
                       if a["DeploymentStatus"] and a["DeploymentStatus"]["Healthy"]]
            fewest = min(fewest, len(healthy))
            return one["JobVersion"] == 1 and one["Status"] == "successful"
        harness.wait_until(done, "the end of the deployment")
        self.assertEqual(fewest, 2, "max_parallel is 1")
        self.assertEqual(self.versions(), [1, 1, 1])
        self.assertEqual([one["Status"] for one in self.agent.get("/v1/job/web/deployments")],
                         ["successful", "successful"])

    def test_without_a_limit_there_is_no_deployment(self):
        self.agent.submit(service(0, count=2, update={"MaxParallel": 0}))
        self.agent.wait_allocs("web", 2, "running")
        self.agent.submit(service(1, count=2, update={"MaxParallel": 0}))
        self.assertEqual(self.versions(), [1, 1])
        self.assertIsNone(self.deployment())
        self.assertEqual(self.agent.get("/v1/deployments"), [])

    def test_a_canary_waits_for_people(self):
        more = {"Networks": [{"DynamicPorts": [{"Label": "http"}]}],
                "Services": [{"Name": "api", "PortLabel": "http", "Provider": "nomad",
                              "Tags": ["live"], "CanaryTags": ["canary"]}]}
        self.agent.submit(service(0, count=2, update={"Canary": 1}, **more))
        self.wait_deployment(0, status="successful")
        self.agent.submit(service(1, count=2, update={"Canary": 1}, **more))
        waits = self.wait_deployment(1, status="running",
                                     what=lambda one: one["TaskGroups"]["g"]["HealthyAllocs"] == 1)
        self.assertEqual(waits["StatusDescription"],
                         "Deployment is running but requires manual promotion")
        self.assertEqual(self.versions(), [0, 0, 1])
        canary = next(a for a in self.live() if a["JobVersion"] == 1)
        self.assertEqual(waits["TaskGroups"]["g"]["PlacedCanaries"], [canary["ID"]])
        self.assertTrue(canary["DeploymentStatus"]["Canary"])

        def tags():
            return sorted(one["Tags"][0] for one in self.agent.get("/v1/service/api"))
        harness.wait_until(lambda: tags() == ["canary", "live", "live"], "the tags of a canary")
        self.change("promote", waits, All=True)
        self.wait_deployment(1, status="successful")
        self.assertEqual(self.versions(), [1, 1])
        harness.wait_until(lambda: tags() == ["live", "live"], "the tags after the promotion")
        self.assertIn(canary["ID"], [a["ID"] for a in self.live()])

    def test_canaries_promote_themselves(self):
        update = {"Canary": 2, "AutoPromote": True}
        self.agent.submit(service(0, count=2, update=update))
        self.wait_deployment(0, status="successful")
        self.agent.submit(service(1, count=2, update=update))
        self.wait_deployment(1, status="successful")
        self.assertEqual(self.versions(), [1, 1])

    def test_a_failure_goes_back_to_the_stable_version(self):
        self.agent.submit(service(0))
        self.wait_deployment(0, status="successful")
        self.agent.submit(broken(update={"AutoRevert": True, "ProgressDeadline": 0}))
        back = self.wait_deployment(2, status="successful")
        self.assertEqual(self.versions(), [2])
        failed = next(one for one in self.agent.get("/v1/job/web/deployments")
                      if one["JobVersion"] == 1)
        self.assertEqual((failed["Status"], failed["StatusDescription"]),
                         ("failed", "Failed due to unhealthy allocations - rolling back to job "
                                    "version 0"))
        now = self.agent.get("/v1/job/web")
        self.assertEqual((now["Version"], now["Stable"]), (2, True))
        self.assertEqual(now["TaskGroups"][0]["Tasks"][0]["Env"], {"VERSION": "0"})
        self.assertNotEqual(back["ID"], failed["ID"])

    def test_a_failed_first_version_has_nothing_to_go_back_to(self):
        self.agent.submit(broken(update={"AutoRevert": True, "ProgressDeadline": 0}))
        failed = self.wait_deployment(0, status="failed")
        self.assertEqual(failed["StatusDescription"],
                         "Failed due to unhealthy allocations - no stable job version to auto "
                         "revert to")

    def test_a_canary_that_finds_no_room_is_warned_of_and_fails(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        fields = {"update": {"Canary": 1, "HealthyDeadline": "2s", "ProgressDeadline": "3s"},
                  "Networks": [{"ReservedPorts": [{"Label": "x", "Value": port}]}]}
        warning = f'which has the static port {port} ("x"): without another node it is never placed'
        spec = service(0, **fields)
        for path in ("/v1/job/web/plan", "/v1/validate/job", "/v1/jobs"):
            self.assertIn(warning, self.agent.must("PUT", path, spec)["Warnings"])
        self.wait_deployment(0, status="successful")
        self.agent.submit(service(1, **fields))
        failed = self.wait_deployment(1, status="failed")
        self.assertEqual(failed["StatusDescription"], "Failed due to progress deadline")
        self.assertEqual(self.versions(), [0])
        scale = {"Count": 2, "Target": {"Group": "g"}}
        self.agent.submit(service(2, update={"HealthCheck": "manual"}))
        reply = self.agent.ask("PUT", "/v1/job/web/scale", scale)
        self.assertEqual(reply.status, 400, reply.body)
        self.assertIn("job scaling blocked due to active deployment", reply.body.decode())

    def test_a_pause_and_a_failure_by_request(self):
        self.agent.submit(service(0, count=3))
        self.wait_deployment(0, status="successful")
        self.agent.submit(service(1, count=3, update={"HealthCheck": "manual"}))
        runs = self.wait_deployment(1, status="running",
                                    what=lambda one: one["TaskGroups"]["g"]["PlacedAllocs"] == 1)
        self.change("pause", runs, Pause=True)
        self.assertEqual(self.deployment()["StatusDescription"], "Deployment is paused")
        first = next(a for a in self.live() if a["JobVersion"] == 1)
        self.change("allocation-health", runs, HealthyAllocationIDs=[first["ID"]])
        self.assertEqual(self.versions(), [0, 0, 1], "nothing goes on while it is paused")
        self.change("pause", runs, Pause=False)
        harness.wait_until(lambda: self.versions() == [0, 1, 1], "the next one")
        reply = self.change("fail", runs)
        self.assertIsNone(reply["RevertedJobVersion"])
        self.assertEqual(self.deployment()["StatusDescription"], "Deployment marked as failed")
        refused = self.agent.ask("PUT", f"/v1/deployment/fail/{runs['ID']}")
        self.assertEqual((refused.status, refused.body),
                         (500, b"can't fail terminal deployment"))

    def test_a_newer_version_and_a_stop_end_it(self):
        self.agent.submit(service(0, update={"HealthCheck": "manual"}))
        first = self.wait_deployment(0, status="running")
        self.agent.submit(service(1, update={"HealthCheck": "manual"}))
        second = self.wait_deployment(1, status="running")
        self.agent.must("DELETE", "/v1/job/web")

        def says(one):
            return self.agent.get(f"/v1/deployment/{one['ID']}")["StatusDescription"]
        self.assertEqual(says(first), "Cancelled due to newer version of job")
        self.assertEqual(says(second), "Cancelled because job is stopped")
        self.agent.must("DELETE", "/v1/job/web", purge="true")

        def collected():
            self.agent.must("PUT", "/v1/system/gc")
            return not self.agent.get("/v1/deployments")
        harness.wait_until(collected, "the garbage to go")


class KeptDeploymentTest(Deployments, TakeoverCase):
    """The agent is killed while a deployment is under way."""

    def service(self, version, **update):
        script = f'trap "exit 0" INT TERM; VERSION={version}; while :; do sleep 0.1 & wait $!; done'
        return job(group(task("t", script), Count=3, Update={**QUICK, **update},
                         ReschedulePolicy=NO_RESCHEDULE), id="web", type="service")

    def test_it_goes_on_under_the_next_agent(self):
        self.agent.submit(self.service(0))
        self.wait_deployment(0, status="successful")
        self.agent.submit(self.service(1, MinHealthyTime="200ms"))
        for healthy in (1, 2):
            self.wait_deployment(
                1, status="running",
                what=lambda one, least=healthy: one["TaskGroups"]["g"]["HealthyAllocs"] >= least)
            self.kill()
            self.agent = self.start()
        done = self.wait_deployment(1, status="successful")
        self.assertEqual(self.versions(), [1, 1, 1])
        self.assertEqual(done["TaskGroups"]["g"]["HealthyAllocs"], 3)
        self.assertTrue(self.agent.get("/v1/job/web")["Stable"])

    def test_requests_survive_a_kill(self):
        self.agent.submit(self.service(0))
        self.wait_deployment(0, status="successful")
        self.agent.submit(self.service(1, MinHealthyTime="20s", HealthyDeadline="25s",
                                       ProgressDeadline="26s"))
        runs = self.wait_deployment(1, status="running",
                                    what=lambda one: one["TaskGroups"]["g"]["PlacedAllocs"] == 1)
        self.change("pause", runs, Pause=True)
        self.kill()
        self.agent = self.start()
        self.assertEqual(self.deployment()["Status"], "paused")
        reply = self.change("fail", runs)
        self.kill()  # as soon as the answer is there
        self.agent = self.start()
        self.assertEqual(self.deployment()["StatusDescription"], "Deployment marked as failed")
        self.assertEqual(self.deployment()["ModifyIndex"], reply["DeploymentModifyIndex"])

    def test_a_way_back_survives_a_kill(self):
        self.agent.submit(self.service(0))
        self.wait_deployment(0, status="successful")
        self.agent.submit(self.service(1, HealthCheck="manual", AutoRevert=True))
        runs = self.wait_deployment(1, status="running")
        reply = self.change("fail", runs)
        self.kill()
        self.assertEqual(reply["RevertedJobVersion"], 0)
        self.agent = self.start()
        self.wait_deployment(2, status="successful")
        self.assertEqual(self.versions(), [2, 2, 2])
        failed = self.agent.get(f"/v1/deployment/{runs['ID']}")
        self.assertEqual(failed["StatusDescription"],
                         "Deployment marked as failed - rolling back to job version 0")


if __name__ == "__main__":
    harness.main()
