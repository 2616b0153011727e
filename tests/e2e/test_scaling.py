# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Blocks scaling of jobs: their policies for autoscalers, and the bounds that they set."""
import json
import threading
import unittest

import harness
from agent_harness import AgentTest
from harness import group, job, mock, task
from test_client import Client
from test_hcl import HAS_HCL
from test_takeover import TakeoverCase

SPEC = """
job "web" {
  group "g" {
    scaling {
      min = 2
      max = 5
      policy {
        cooldown = "1m"
        check "load" {
          source = "prometheus"
          strategy "target-value" { target = 10 }
        }
      }
    }
    task "t" {
      driver = "mock_driver"
      config { run_for = "1h" }
      scaling "cpu" {
        enabled = false
        min     = 10
        max     = 500
      }
    }
  }
}
"""


def scalable(id="web", min=2, max=5, type="service", policy=None, one=None, **fields):
    """A job whose group has from MIN to MAX allocations, each with the task ONE. It has no deployments."""
    scaling = {"Min": min, "Max": max, "Policy": policy}
    return job(group(one or mock("t", run_for="1h"), Scaling=scaling, Update={"MaxParallel": 0}, **fields),
               id=id, type=type)


class ScalingCase(AgentTest):
    def policies(self, **query):
        return self.agent.get("/v1/scaling/policies", **query)

    def policy(self, **query):
        found, = self.policies(**query)
        return self.agent.get(f"/v1/scaling/policy/{found['ID']}")

    def refused(self, method, path, body, code, text):
        reply = self.agent.ask(method, path, body)
        self.assertEqual(reply.status, code, reply.body)
        self.assertIn(text, reply.body.decode())

    def scale(self, count):
        return "PUT", "/v1/job/web/scale", {"Count": count, "Target": {"Group": "g"}}


class ScalingTest(ScalingCase):
    def test_a_policy_lives_with_its_block(self):
        self.assertEqual(self.policies(), [])
        self.agent.submit(scalable(policy={"cooldown": "1m"}))
        self.agent.wait_allocs("web", 2, "running")
        made = self.policy()
        self.assertEqual((made["Type"], made["Enabled"], made["Min"], made["Max"], made["Policy"]),
                         ("horizontal", True, 2, 5, {"cooldown": "1m"}))
        self.assertEqual(made["Target"], {"Namespace": "default", "Job": "web", "Group": "g"})
        self.agent.submit(scalable(policy={"cooldown": "1m"}, Meta={"a": "b"}))
        self.assertEqual(self.policy(), made, "another version of the job, the same policy")
        before = {a["ID"] for a in self.agent.wait_allocs("web", 2, "running")}
        self.agent.submit(scalable(max=7, Meta={"a": "b"}))
        changed = self.policy(job="web", type="hori")
        self.assertEqual((changed["ID"], changed["CreateIndex"], changed["Max"], changed["Policy"]),
                         (made["ID"], made["CreateIndex"], 7, None))
        self.assertGreater(changed["ModifyIndex"], made["ModifyIndex"])
        self.assertEqual({a["ID"] for a in self.agent.wait_allocs("web", 2, "running")}, before,
                         "only an autoscaler reads it")
        self.agent.must("DELETE", "/v1/job/web")
        self.assertFalse(self.policy()["Enabled"])
        self.assertEqual(self.policy()["ID"], made["ID"])
        self.agent.must("DELETE", "/v1/job/web", purge="true")
        self.assertEqual(self.policies(), [])
        self.refused("GET", f"/v1/scaling/policy/{made['ID']}", None, 404, "policy not found")

    def test_a_client_waits_for_a_change(self):
        self.agent.submit(scalable())
        reply = self.agent.ask("GET", "/v1/scaling/policies")
        index = reply.headers["X-Nomad-Index"]
        found = []
        waiting = threading.Thread(target=lambda: found.append(
            self.policies(index=index, wait="60s")), daemon=True)
        waiting.start()
        self.agent.submit(scalable(Meta={"a": "b"}))  # no policy changes
        self.agent.submit(scalable(max=7, Meta={"a": "b"}))
        waiting.join(harness.LIMIT)
        self.assertGreater(found[0][0]["ModifyIndex"], int(index))

    def test_counts_stay_within_the_bounds(self):
        self.agent.submit(scalable())
        self.refused(*self.scale(1), 400, "group count was less than scaling policy minimum: 1 < 2")
        self.refused(*self.scale(6), 400, "group count was greater than scaling policy maximum: 6 > 5")
        self.agent.must(*self.scale(4))
        self.agent.wait_allocs("web", 4, "running")
        self.agent.must("PUT", "/v1/jobs", {**scalable(Meta={"a": "b"}), "PreserveCounts": True})
        self.assertEqual(self.agent.get("/v1/job/web")["TaskGroups"][0]["Count"], 4)
        table = [
            (scalable(Count=6), 500, "Count: task group count must not be greater than maximum count"),
            (scalable(Count=1), 500, "Count: task group count must not be less than minimum count"),
            (scalable(max=None), 500, "Scaling/Max: maximum count must be specified"),
            (scalable(max=-1), 500, "Scaling/Max: maximum count must be specified and non-negative"),
            (scalable(min=-1), 500, "Scaling/Min: must not be negative"),
            (scalable(min=6), 500, "Scaling/Max: maximum count must not be less than minimum count"),
            (scalable(policy=[]), 500, "Scaling/Policy: must be an object"),
            (scalable(min=0, max=1, type="system"), 400,
             "Task groups with job type system do not support scaling blocks")]
        for spec, code, text in table:
            self.refused("PUT", "/v1/jobs", spec, code, text)


class ScalingCommandTest(Client, ScalingCase):
    def setUp(self):
        super().setUp()
        self.address = self.agent.url

    @unittest.skipUnless(HAS_HCL, "this build has no drover-hcl")
    def test_policies_of_a_job_file(self):
        self.assertEqual(self.cli("scaling", "policy", "list").out, "No policies found\n")
        path = self.sandbox.write("web.nomad.hcl", SPEC)
        self.cli("job", "run", "-detach", path)
        self.agent.wait_allocs("web", 2, "running")
        shown = self.cli("scaling", "policy", "list", "-verbose").out
        self.assertRegex(shown, r"(?m)^[0-9a-f-]{36} +yes +horizontal +Namespace:default,Job:web,Group:g$")
        self.assertRegex(shown, r"(?m)^[0-9a-f-]{36} +no +vertical_cpu +\S+,Group:g,Task:t$")
        one, = self.json("scaling", "policy", "list", "-job", "web", "-type", "horizontal")
        self.assertEqual(self.json("scaling", "policy", "list", "-job", "other"), [])
        for command in (("scaling", "policy", "info"), ("status",)):
            shown = self.cli(*command, one["ID"][:13]).out
            self.assertRegex(shown, r"(?m)^Min += 2\nMax += 5$")
            self.assertEqual(json.loads(shown.partition("Policy\n")[2]), {
                "cooldown": "1m", "check": [{"load": [{
                    "source": "prometheus", "strategy": [{"target-value": [{"target": 10}]}]}]}]})
        out = self.cli("scaling", "policy", "info", "-t", "{{.Max}}", one["ID"]).out
        self.assertEqual(out, "5\n")
        self.assertIn("no scaling policy has an id", self.fails("scaling", "policy", "info", "00000000"))
        done = self.sandbox.command("__complete", "scaling", "policy", "info", one["ID"][:10],
                                    env={"DROVER_ADDR": self.address})
        self.assertEqual(done.out.split(), [one["ID"]])
        other = self.sandbox.write("other.nomad.hcl", SPEC.replace('"1m"', '"2m"'))
        planned = self.cli("job", "plan", other).out  # no allocation starts or stops
        self.assertRegex(planned, r'cooldown: "1m" -> "2m"')

    def test_a_job_that_starts_again_is_scaled_again(self):
        self.agent.submit(scalable())
        self.assertIn("greater than scaling policy maximum: 6 > 5", self.fails("job", "scale", "web", "6"))
        self.cli("job", "scale", "-detach", "web", "3")
        self.cli("job", "stop", "-detach", "web")
        self.assertFalse(self.policy()["Enabled"])
        self.cli("job", "start", "-detach", "web")
        self.assertTrue(self.policy()["Enabled"])
        self.agent.wait_allocs("web", 3, "running")
        # The agent forgets the version that ran.
        self.cli("job", "stop", "-detach", "web")
        for count in (4, 5, 4, 5, 4, 5):
            self.cli("job", "scale", "-detach", "web", str(count))
        shown = self.cli("job", "start", "-detach", "web")
        self.assertIn("All scaling policies of the job were disabled when it was stopped", shown.err)
        self.assertFalse(self.policy()["Enabled"])


class KeptScalingTest(TakeoverCase):
    """An agent that is killed, and the next one."""

    def policies(self):
        return [self.agent.get(f"/v1/scaling/policy/{one['ID']}")
                for one in self.agent.get("/v1/scaling/policies")]

    def submit(self, id, **fields):
        self.agent.submit(scalable(id, one=task("t", "exec sleep 1000"), **fields))

    def test_the_next_agent_has_the_policies(self):
        self.submit("one")
        self.submit("two")
        self.submit("two", max=9, policy={"a": [1, {"b": None}]})
        self.submit("gone")
        self.agent.must("DELETE", "/v1/job/gone", purge="true")
        self.agent.must("DELETE", "/v1/job/one")
        before = self.policies()
        self.assertEqual(sorted((p["Target"]["Job"], p["Enabled"]) for p in before),
                         [("one", False), ("two", True)])
        self.kill()
        self.agent = self.start()
        self.assertEqual(self.policies(), before)
        self.submit("two", max=8)
        self.assertEqual({p["ID"] for p in self.policies()}, {p["ID"] for p in before})


if __name__ == "__main__":
    harness.main()
