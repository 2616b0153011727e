# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The commands about how jobs change, and how `drover job run` shows it."""
import re
import signal
import time

import harness
from agent_harness import AgentTest
from harness import group, job, mock
from test_client import Client, service
from typed import Typed

MANUAL = {"HealthCheck": "manual", "ProgressDeadline": "1m", "HealthyDeadline": "30s"}
CANARY = {"HealthCheck": "task_states", "MinHealthyTime": "10ms", "Canary": 1}


def version(number, **update):
    """A version of a service that differs from the others."""
    fields = {"Update": update} if update else {}
    return service(mock("t", run_for="1h", Env={"VERSION": str(number)}), **fields)


class ChangeCommandCase(Client, AgentTest):
    def setUp(self):
        super().setUp()
        self.address = self.agent.url

    def file(self, spec, name="job.json"):
        return self.sandbox.write(name, spec)

    def run_first(self):
        """Runs the first version, which becomes stable."""
        self.cli("job", "run", self.file(version(0)))

    def latest(self):
        return self.agent.get("/v1/job/web/deployment")

    def wait_latest(self, number, status="running"):
        def found():
            one = self.latest()
            return one if one and (one["JobVersion"], one["Status"]) == (number, status) else None
        return harness.wait_until(found, f"a {status} deployment of version {number}")


class DeploymentCommandTest(ChangeCommandCase):
    def test_deployments_are_listed_and_shown(self):
        self.assertEqual(self.cli("deployment", "list").out, "No deployments found\n")
        self.run_first()
        one = self.latest()
        for command in (("deployment", "list"), ("deployment", "status"), ("job", "deployments", "web")):
            self.assertRegex(self.cli(*command).out,
                             rf"(?m)^{one['ID'][:8]} +web +0 +successful +Deployment completed")
        self.assertEqual([d["ID"] for d in self.json("deployment", "list")], [one["ID"]])
        self.assertEqual(self.json("deployment", "list", "-filter", 'Status == "failed"'), [])
        shown = self.cli("deployment", "status", one["ID"][:5]).out
        self.assertRegex(shown, rf"(?m)^ID += {one['ID']}$")
        self.assertRegex(shown, r"(?m)^g +no +- +1 +- +1 +1 +0 +-")
        self.assertIn(self.agent.allocs("web")[0]["ID"][:8], shown)
        self.assertEqual(self.json("deployment", "status", one["ID"])["ID"], one["ID"])
        self.assertEqual(self.cli("status", "-t", "{{.ID}}", one["ID"]).out, one["ID"] + "\n")
        shown = self.cli("job", "status", "web").out
        self.assertRegex(shown, r"(?s)Latest deployment\n.*successful")
        self.assertIn("see drover deployment list", self.fails("deployment", "status", "ffffffff"))
        self.assertIn("needs the ID", self.fails("deployment", "status", "-monitor", code=2))

    def test_a_deployment_is_paused_resumed_and_failed(self):
        self.run_first()
        self.cli("job", "run", "-detach", self.file(version(1, **MANUAL)))
        one = self.wait_latest(1)
        id = one["ID"]
        self.assertEqual(self.cli("deployment", "pause", id[:13]).out, f"deployment {id} is paused\n")
        self.wait_latest(1, "paused")
        self.assertIn(f"deployment {id} is running", self.cli("deployment", "resume", "-detach", id).out)
        self.wait_latest(1)
        self.assertIn("blocked", self.fails("deployment", "unblock", id))
        shown = self.cli("deployment", "fail", id).out
        self.assertIn(f"deployment {id} is failed\n", shown)
        self.assertIn("can't fail terminal deployment", self.fails("deployment", "fail", id))
        self.assertEqual(self.cli("deployment", "status", "-monitor", id, code=1).out.splitlines()[-2:],
                         [f"deployment {id[:8]} of version 1: failed: Deployment marked as failed",
                          "  g: 0 of 1 healthy, 1 placed"])

    def test_a_failed_deployment_goes_back(self):
        self.run_first()
        self.cli("job", "run", "-detach", self.file(version(1, **MANUAL, AutoRevert=True)))
        shown = self.cli("deployment", "fail", self.wait_latest(1)["ID"]).out
        self.assertIn("the job goes back to its version 0\n", shown)
        self.wait_latest(2, "successful")

    def test_canaries_are_promoted(self):
        self.run_first()
        self.cli("job", "run", "-detach", self.file(version(1, **CANARY)))
        one = self.wait_latest(1)
        harness.wait_until(lambda: self.latest()["TaskGroups"]["g"]["HealthyAllocs"] == 1, "the canary")
        self.assertIn("canaries 1 of 1 placed, to be promoted", self.monitored_for_a_moment(one["ID"]))
        shown = self.cli("job", "promote", "-group", "g", "web").out
        self.assertIn(f"deployment {one['ID']} is promoted\n", shown)
        self.assertIn("successful: Deployment completed successfully", shown)
        self.assertIn("can't promote", self.fails("deployment", "promote", one["ID"]))
        self.assertIn("no deployment", self.fails_without_deployment())

    def monitored_for_a_moment(self, id):
        typed = Typed(self, "deployment", "status", "-monitor", id)
        typed.until("to be promoted")
        typed.until("drover deployment promote " + id[:8])
        typed.press_control_c()
        return typed.wait(-signal.SIGINT)

    def fails_without_deployment(self):
        self.agent.submit(job(group(mock("t", run_for="1h")), id="sum"))
        return self.fails("job", "promote", "sum")

    def test_ids_are_completed(self):
        self.run_first()
        id = self.latest()["ID"]

        def completed(*words):
            done = self.sandbox.command("__complete", *words, env={"DROVER_ADDR": self.address})
            return done.out.split()
        for command in ("status", "fail", "pause", "promote", "resume", "unblock"):
            self.assertEqual(completed("deployment", command, id[:9]), [id])
        for command in ("promote", "restart"):
            self.assertEqual(completed("job", command, "w"), ["web"])

    def test_differences_between_any_versions(self):
        for number in range(3):
            self.cli("job", "run", "-detach", self.file(version(number)))
        self.cli("job", "tag", "apply", "-name", "good", "-version", "0", "web")
        shown = self.cli("job", "history", "-diff", "-version", "2", "web").out
        self.assertIn('Env[VERSION]: "1" -> "2"', shown)
        for one in (("-diff-version", "0"), ("-diff-tag", "good")):
            shown = self.cli("job", "history", *one, "-version", "2", "web").out
            self.assertIn('Env[VERSION]: "0" -> "2"', shown)
        self.assertIn("not found", self.fails("job", "history", "-diff-tag", "bad", "web"))
        self.fails("job", "history", "-diff-tag", "a", "-diff-version", "1", "web", code=2)

    def test_an_evaluation_says_what_is_missing(self):
        big = service(mock("t", run_for="1h", Resources={"CPU": 10, "MemoryMB": 100_000_000}))
        self.cli("job", "run", self.file(big), code=2)
        first = next(e for e in self.json("eval", "list", "-job", "web") if e["Status"] == "complete")
        shown = self.cli("eval", "status", first["ID"]).out
        self.assertIn("memory exhausted on 1 of 1 nodes", shown)
        self.assertIn('task group "g": 1 nodes evaluated, 0 filtered, 1 exhausted; queued: 1', shown)
        self.assertRegex(shown, r"(?m)^[0-9a-f]{8} +queued-allocs +blocked ")

    def test_an_evaluation_says_how_long_it_waits(self):
        spec = service(mock("t", start_error="broken"), Update={"MaxParallel": 0},
                       ReschedulePolicy={"Delay": "1h", "DelayFunction": "constant", "Unlimited": True})
        self.cli("job", "run", "-detach", self.file(spec))

        def waiting():
            return next((e for e in self.json("eval", "list", "-job", "web") if e.get("WaitUntil")), None)
        one = harness.wait_until(waiting, "a follow-up evaluation")
        self.assertRegex(self.cli("eval", "status", one["ID"]).out,
                         r"(?m)^Waits until += 20\S+Z \(")
        shown = self.cli("eval", "status", one["PreviousEval"]).out
        self.assertRegex(shown, rf"(?m)^{one['ID'][:8]} +\S+ +pending +20\S+Z")

    def test_a_parent_shows_its_children(self):
        spec = job(group(mock("t", run_for="1h")), id="sum", ParameterizedJob={"Payload": "optional"})
        shown = self.cli("job", "run", self.file(spec)).out
        self.assertIn('the job "sum" is registered, and starts others', shown)
        shown = self.cli("job", "status", "sum").out
        self.assertIn("by requests: drover job dispatch", shown)
        self.assertIn("0 pending, 0 running, 0 dead", shown)
        child = self.agent.must("PUT", "/v1/job/sum/dispatch", {})["DispatchedJobID"]
        self.agent.wait_allocs(child, 1, "running")
        shown = self.cli("job", "status", "sum").out
        self.assertIn("0 pending, 1 running, 0 dead", shown)
        self.assertRegex(shown, rf"(?m)^{re.escape(child)} +running ")
        self.assertRegex(self.cli("job", "status", child).out, r"(?m)^Parent +=+ sum$")
        self.assertEqual([c["ID"] for c in self.json("job", "status", "sum")["Children"]], [child])

    def test_of_many_children_the_newest_are_shown(self):
        spec = job(group(mock("t")), id="sum", ParameterizedJob={"Payload": "optional"})
        self.cli("job", "run", self.file(spec))
        for _ in range(23):
            self.agent.must("PUT", "/v1/job/sum/dispatch", {})
        for id, line in (["sum"], "... and 3 older ones, which --verbose shows"), (
                [], '... and 3 older children of "sum", which --verbose shows'):
            shown = self.cli("job", "status", *id).out
            self.assertIn(line, shown)
            self.assertEqual(len(re.findall(r"(?m)^sum/dispatch-", shown)), 20)
            shown = self.cli("job", "status", "-verbose", *id).out
            self.assertNotIn("older", shown)
            self.assertEqual(len(re.findall(r"(?m)^sum/dispatch-", shown)), 23)
        self.assertEqual(len(self.json("job", "status", "sum")["Children"]), 23)
        self.assertEqual(len(self.json("job", "status")), 24)

    def test_an_allocation_is_stopped_for_good(self):
        self.run_first()
        id = self.agent.allocs("web")[0]["ID"]
        self.cli("alloc", "stop", "-no-reschedule", id)
        self.agent.wait_allocs("web", 1, "complete", "stop")
        self.assertEqual(len(self.agent.allocs("web")), 1)


class RunLiveTest(ChangeCommandCase):
    """`drover job run` on a terminal, and its exit codes."""

    def run_typed(self, spec, *options, **how):
        return Typed(self, "job", "run", *options, self.file(spec), **how)

    def test_lines_are_redrawn(self):
        spec = service(mock("t", run_for="1h"), Count=2,
                       Update={"HealthCheck": "task_states", "MinHealthyTime": "300ms"})
        shown = self.run_typed(spec).wait(0)
        self.assertIn("\r\x1b[1A\x1b[J", shown)  # the line of the deployment and that of the group
        self.assertEqual(shown.count(": healthy\n"), 2)
        self.assertTrue(shown.endswith("  g: 2 of 2 healthy, 2 placed\n"), shown[-300:])
        # What is drawn on a terminal is printed once elsewhere.
        spec["Job"]["Meta"] = {"a": "b"}
        lines = self.cli("job", "run", self.file(spec)).out
        self.assertNotIn("\x1b", lines)
        self.assertEqual(lines.count("  g: 2 of 2 healthy, 2 placed\n"), 1)

    def test_many_groups_fit_a_small_terminal(self):
        groups = [group(mock("t", run_for="1h"), name=f"a-rather-long-name-of-a-group-{i}",
                        Update={"HealthCheck": "task_states", "MinHealthyTime": "2s"})
                  for i in range(8)]
        typed = self.run_typed(job(*groups, id="web", type="service"), rows=6, columns=50)
        typed.until("... and 5 more")
        typed.resize(4, 30)
        typed.until("... and 7 more")
        shown = typed.wait(0)
        for part in shown.split("\x1b[J")[1:]:
            drawn = part.split("\r")[0]
            if "... and " in drawn:
                of_groups = [line for line in drawn.split("\n") if " healthy, " in line]
                self.assertLess(max(map(len, of_groups), default=0), 50)

    def test_a_deployment_that_fails_makes_it_fail(self):
        broken = service(mock("t", start_error="it is broken"))
        done = self.cli("job", "run", self.file(broken), code=1)
        self.assertIn("failed: Failed due to unhealthy allocations", done.out)
        answer = self.json("job", "run", self.file(service(mock("t", start_error="x"), id="b")), code=1)
        self.assertEqual(answer["Deployment"]["Status"], "failed")

    def test_the_way_back_is_shown_and_is_no_success(self):
        self.run_first()
        broken = service(mock("t", start_error="it is broken"), Update={
            "HealthCheck": "task_states", "MinHealthyTime": "10ms", "ProgressDeadline": "0s",
            "AutoRevert": True})
        shown = self.run_typed(broken).wait(1)
        self.assertIn("the job goes back to an earlier version: deployment ", shown)
        self.assertIn("of version 2: successful", shown)

    def test_a_cancelled_deployment_is_no_success(self):
        self.run_first()
        typed = self.run_typed(version(1, **MANUAL))
        typed.until("of version 1: running")
        self.agent.must("DELETE", "/v1/job/web")
        self.assertIn("cancelled: Cancelled because job is stopped", typed.wait(1))

    def test_canaries_wait_for_somebody(self):
        self.run_first()
        typed = self.run_typed(version(1, **CANARY))
        typed.until("its canaries wait for: drover deployment promote ")
        harness.wait_until(lambda: self.latest()["TaskGroups"]["g"]["HealthyAllocs"] == 1, "the canary")
        self.cli("job", "promote", "-detach", "web")
        self.assertIn("of version 1: successful", typed.wait(0))

    def test_what_has_no_room_is_not_waited_for(self):
        big = service(mock("t", run_for="1h", Resources={"CPU": 10, "MemoryMB": 100_000_000}))
        began = time.monotonic()
        self.assertIn("memory exhausted", self.run_typed(big).wait(2))
        self.assertLess(time.monotonic() - began, harness.LIMIT)

    def test_control_c_ends_the_view_and_not_the_job(self):
        typed = self.run_typed(version(0, **MANUAL))
        typed.until("of version 0: running")
        typed.press_control_c()
        typed.wait(-signal.SIGINT)
        self.agent.wait_allocs("web", 1, "running")
        self.assertEqual(self.latest()["Status"], "running")

    def test_a_job_that_is_purged_is_no_success(self):
        typed = self.run_typed(version(0, **MANUAL))
        typed.until("of version 0: running")
        self.agent.must("DELETE", "/v1/job/web", purge="true")

        def collected():
            self.agent.must("PUT", "/v1/system/gc")
            return typed.process.poll() is not None or not self.agent.get("/v1/deployments")
        harness.wait_until(collected, "the deployment to go")
        typed.wait(1)


if __name__ == "__main__":
    harness.main()
