# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Checks of services against real servers in real tasks: their results, restarts and the health."""
import signal
import sys
import time
import unittest

import harness
from agent_harness import Agent, agent_config
from harness import group, job, task
from test_examples import HAS_EXEC, plugins
from test_services import ServiceCase, api
from test_takeover import TakeoverCase

# A server that answers as the first word of a file says: ok, fail, or hang for an answer that never comes.
SERVER = """
import http.server, sys, time
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        with open(sys.argv[2]) as file:
            mode = file.read().split()[0]
        if mode == "hang":
            time.sleep(1000)
        body = (mode + " " + self.path).encode()
        self.send_response(200 if mode == "ok" else 503)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass
http.server.ThreadingHTTPServer(("", int(sys.argv[1])), Handler).serve_forever()
"""
AGAIN = {"Attempts": 1000, "Interval": "10h", "Delay": "10ms", "Mode": "fail"}
RESTART = {"Limit": 1, "Grace": "1s"}


def check(name="up", kind="http", **fields):
    if kind == "http":
        fields.setdefault("Path", "/health?of=" + name)
    return {"Name": name, "Type": kind, "Interval": "1s", "Timeout": "1s", **fields}


def script(name, text, **fields):
    return check(name, "script", Command="/bin/sh", Args=["-c", text], TaskName="t", **fields)


class Checks:
    """What tests of checks ask of self.agent in self.sandbox."""

    def say(self, mode):
        """Sets how the server answers."""
        path = self.sandbox.root / "mode"
        new = self.sandbox.root / "mode.new"
        new.write_text(mode)
        new.rename(path)

    def server(self, name="t", **fields):
        """A task with the server."""
        self.sandbox.write("server.py", SERVER)
        return task(name, f"exec {sys.executable} {self.sandbox.root}/server.py $NOMAD_PORT_http "
                          f"{self.sandbox.root}/mode", **fields)

    def serve(self, *services, tasks=(), count=1, **fields):
        """Runs a job with the server and the services. Returns the id of its first allocation."""
        fields.setdefault("ShutdownDelay", 0)
        fields.setdefault("RestartPolicy", AGAIN)
        # An unhealthy allocation goes on.
        fields.setdefault("ReschedulePolicy", {"Attempts": 0, "Unlimited": False})
        self.agent.submit(job(group(
            *(tasks or [self.server()]), Count=count, Services=list(services),
            Networks=[{"DynamicPorts": [{"Label": "http"}]}], **fields), id="web", type="service"))
        return self.agent.wait_allocs("web", count, "running")[0]["ID"]

    def checks(self, alloc):
        """The results of an allocation, by the name of the check."""
        found = self.agent.get(f"/v1/client/allocation/{alloc}/checks")
        for key, result in found.items():
            self.assertEqual(key, result["ID"])
        return {result["Check"]: result for result in found.values()}

    def wait_checks(self, alloc, **statuses):
        """Waits until the named checks have these statuses, and returns all results."""
        def those():
            found = self.checks(alloc)
            return found if all(found.get(name, {}).get("Status") == status
                                for name, status in statuses.items()) else None
        return harness.wait_until(those, f"the checks {statuses} of {alloc}")

    def wait_successes(self, alloc, name="up"):
        """Waits until the check has succeeded for some time from now on."""
        later = time.time() + 3
        harness.wait_until(
            lambda: (lambda one: one["Status"] == "success" and one["Timestamp"] > later)(
                self.checks(alloc)[name]), f"successes of {name}")

    def restarts(self, alloc, name="t"):
        return self.agent.get(f"/v1/allocation/{alloc}")["TaskStates"][name]["Restarts"]

    def verdict(self, alloc):
        """Whether the allocation is healthy; None as long as nobody knows."""
        status = self.agent.get(f"/v1/allocation/{alloc}").get("DeploymentStatus")
        return status["Healthy"] if status else None

    def wait_verdict(self, alloc):
        harness.wait_until(lambda: self.verdict(alloc) is not None, f"the verdict on {alloc}")
        return self.verdict(alloc)

    def shown(self, alloc):
        """The lines that drover alloc status prints of the allocation itself."""
        return self.status_page(alloc).partition("\n\n")[0]

    def status_page(self, alloc):
        done = self.sandbox.command("alloc", "status", alloc, env={"DROVER_ADDR": self.agent.url})
        self.assertEqual(done.code, 0, done)
        return done.out

    def events(self, alloc, kind, name="t"):
        events = self.agent.get(f"/v1/allocation/{alloc}")["TaskStates"][name]["Events"]
        return [event for event in events if event["Type"] == kind]


class CheckTest(Checks, ServiceCase):
    def setUp(self):
        super().setUp()
        self.say("ok")

    def test_results_have_the_form_of_clients(self):
        alloc = self.serve(api(Checks=[
            check("http"), check("tcp", "tcp"), script("script", "echo fine"),
            check("other", Path="/ready", OnUpdate="ignore")]))
        found = self.wait_checks(alloc, http="success", tcp="success", script="success", other="success")
        self.assertEqual(len(found), 4)
        for name, code, output, mode in (
                ("http", 200, "nomad: http ok", "healthiness"),
                ("tcp", None, "nomad: tcp ok", "healthiness"),
                ("script", None, "fine\n", "healthiness"),
                ("other", 200, "nomad: http ok", "readiness")):
            result = found[name]
            self.assertRegex(result["ID"], "^[0-9a-f]{40}$")
            self.assertGreater(result["Timestamp"], 1_500_000_000)
            self.assertEqual(result, {
                "ID": result["ID"], "Mode": mode, "Status": "success", "Output": output,
                "Timestamp": result["Timestamp"], "Group": "web.g[0]", "Service": "api", "Check": name,
                **({"StatusCode": code} if code else {})})
        self.assertEqual(self.agent.ask("GET", "/v1/client/allocation/none/checks").status, 404)

    def test_they_are_in_the_status_page_and_in_the_metrics(self):
        alloc = self.serve(api(Checks=[check("good"), script("bad", "echo no; exit 2")]))
        self.wait_checks(alloc, good="success", bad="failure")
        page = self.status_page(alloc)
        self.assertRegex(page, r"(?m)^good +api +\(group\) +healthiness +success +nomad: http ok$")
        self.assertRegex(page, r"(?m)^bad +api +\(group\) +healthiness +failure +no\b")
        gauges = self.agent.get("/v1/metrics")["Gauges"]
        passing = {one["Labels"]["check"]: one["Value"] for one in gauges
                   if one["Name"] == "nomad.client.allocs.check_passing"
                   and one["Labels"]["alloc_id"] == alloc}
        self.assertEqual(passing, {"good": 1, "bad": 0})
        counts = {one["Name"]: one["Value"] for one in gauges}
        self.assertEqual([counts[f"nomad.client.checks.{status}"]
                          for status in ("success", "failure", "warning", "pending")], [1, 1, 0, 0])

    def test_a_failure_says_what_was_wrong(self):
        alloc = self.serve(api(Checks=[
            check(), script("exit", "echo no; exit 2"), script("warns", "exit 1"),
            script("hangs", "echo begun; exec sleep 1000")]))
        self.wait_checks(alloc, up="success", exit="failure", warns="warning", hangs="failure")
        self.say("fail")
        found = self.wait_checks(alloc, up="failure")
        self.assertEqual((found["up"]["StatusCode"], found["up"]["Output"]), (503, "fail /health?of=up"))
        self.assertEqual(found["exit"]["Output"], "no\n")
        self.assertIn("has not ended within 1s: begun", found["hangs"]["Output"])
        self.say("hang")
        found = harness.wait_until(
            lambda: (lambda all: all if "StatusCode" not in all["up"] else None)(self.checks(alloc)),
            "the timeout")
        self.assertRegex(found["up"]["Output"],
                         r'^nomad: Get "http://\S+:\d+/health\?of=up": no answer within 1s$')
        self.say("ok")
        self.wait_checks(alloc, up="success")
        self.assertEqual(self.restarts(alloc), 0, "no check may restart it")

    def test_a_check_restarts_again_and_again_and_the_service_stays(self):
        alloc = self.serve(api(Checks=[check(CheckRestart=RESTART)]), tasks=[
            self.server(), task("side", "exec sleep 1000")])
        before = self.wait_instances(1)
        self.wait_checks(alloc, up="success")
        self.assertEqual(self.restarts(alloc), 0)
        self.say("fail")
        for count in range(1, 5):
            harness.wait_until(lambda: self.restarts(alloc) >= count, f"{count} restarts")
        self.say("ok")
        self.wait_successes(alloc)
        restarts = self.restarts(alloc)
        self.assertEqual(self.restarts(alloc, "side"), restarts, "all running tasks restart")
        after = self.wait_instances(1)
        self.assertEqual([one["ID"] for one in after], [one["ID"] for one in before])
        self.assertIn('healthcheck: check "up" unhealthy',
                      self.events(alloc, "Restart Signaled")[-1]["DisplayMessage"])
        self.wait_successes(alloc)
        self.assertEqual(self.restarts(alloc), restarts, "a check that succeeds restarts nothing")

    def test_a_check_of_a_task_restarts_this_task_alone(self):
        own = {"Name": "own", "Provider": "nomad", "PortLabel": "http",
               "Checks": [check(CheckRestart=RESTART)]}
        alloc = self.serve(api(), tasks=[self.server(Services=[own]), task("side", "exec sleep 1000")])
        of_group = self.wait_instances(1)
        self.wait_checks(alloc, up="success")
        self.assertEqual(self.checks(alloc)["up"]["Task"], "t")
        self.say("fail")
        harness.wait_until(lambda: self.restarts(alloc) >= 2, "two restarts")
        self.say("ok")
        self.wait_successes(alloc)
        self.wait_instances(1, "own")
        self.assertEqual(self.restarts(alloc, "side"), 0)
        self.assertEqual(self.instances(), of_group)

    def test_the_restart_policy_counts_the_failures(self):
        self.say("fail")
        spec = job(group(self.server(), Services=[api(Checks=[check(CheckRestart=RESTART)])],
                         Networks=[{"DynamicPorts": [{"Label": "http"}]}], ShutdownDelay=0,
                         RestartPolicy={**AGAIN, "Attempts": 1}), id="web", type="service")
        self.agent.submit(spec)
        alloc = self.agent.wait_allocs("web", 1, "failed")[0]["ID"]
        self.assertEqual(self.restarts(alloc), 1)
        self.wait_instances(0)
        self.assertEqual(self.checks(alloc), {})
        self.assertFalse(self.wait_verdict(alloc))

    def test_a_stop_removes_the_service_first_and_the_checks_last(self):
        alloc = self.serve(api(Checks=[check()]), ShutdownDelay="4s")
        self.wait_instances(1)
        self.wait_checks(alloc, up="success")
        self.agent.must("DELETE", "/v1/job/web")
        self.wait_instances(0)
        self.assertEqual(len(self.checks(alloc)), 1)
        self.assertEqual(self.events(alloc, "Killing"), [], "its clients still reach it")
        self.agent.wait_allocs("web", 1, "complete", "stop")
        self.assertEqual(self.checks(alloc), {})

    def test_the_health_waits_for_the_checks(self):
        self.say("fail")
        alloc = self.serve(api(Checks=[check(), check("ready", Path="/ready", OnUpdate="ignore")]),
                           Update={"MinHealthyTime": "1s", "HealthyDeadline": "5m"})
        self.wait_checks(alloc, up="failure")
        self.assertIsNone(self.verdict(alloc))
        self.assertNotIn("Health", self.shown(alloc))
        self.say("ok")
        self.assertTrue(self.wait_verdict(alloc))
        self.assertRegex(self.shown(alloc), r"(?m)^Deployment Health += healthy$")
        self.assertEqual(self.events(alloc, "Alloc Unhealthy"), [])

    def test_an_allocation_is_unhealthy_at_its_deadline_and_runs_on(self):
        self.say("fail")
        alloc = self.serve(api(Checks=[check()]), Update={"MinHealthyTime": "1s", "HealthyDeadline": "4s"})
        self.assertFalse(self.wait_verdict(alloc))
        self.assertRegex(self.shown(alloc), r"(?m)^Deployment Health += unhealthy$")
        events = harness.wait_until(lambda: self.events(alloc, "Alloc Unhealthy"), "its event")
        self.assertEqual(events[0]["DisplayMessage"], "Services not healthy by deadline")
        self.agent.wait_allocs("web", 1, "running")

    def test_an_update_restarts_only_the_checks_that_it_changes(self):
        alloc = self.serve(api(Checks=[check("same"), check("goes")]))
        before = self.wait_checks(alloc, same="success", goes="success")
        self.serve(api(Checks=[check("same"), check("comes", "tcp")]))
        after = self.wait_checks(alloc, same="success", comes="success")
        self.assertEqual(set(after), {"same", "comes"})
        self.assertEqual(after["same"]["ID"], before["same"]["ID"])
        self.assertEqual(self.restarts(alloc), 0)


class ScriptCheckTest(Checks, ServiceCase):
    """A script has the environment and the paths of its task, also if its service is one of the group."""

    def start_agent(self):
        drivers = ("raw_exec", *(["exec"] if HAS_EXEC else []))
        return Agent(self.sandbox, config=agent_config(self.sandbox, plugins=plugins(*drivers)))

    def run_script(self, driver):
        """Returns the allocation of a task of DRIVER, and what a script in it has written. The script writes
        a variable of its environment, and variables that are replaced in its arguments."""
        names = ("NOMAD_TASK_NAME", "NOMAD_JOB_NAME", "NOMAD_TASK_DIR", "NOMAD_ALLOC_DIR", "NOMAD_SECRETS_DIR")
        paths = check("paths", "script", TaskName="t", Command="/bin/sh", Timeout="5s", Args=[
            "-c", 'echo "$NOMAD_TASK_NAME" "$@"', "sh", *(f"${{{name}}}" for name in names)])
        alloc = self.serve(api(Checks=[paths]), tasks=[
            task("side", "exec sleep 1000"), task("t", "exec sleep 1000", driver=driver)])
        return alloc, self.wait_checks(alloc, paths="success")["paths"]["Output"]

    def test_a_task_that_shares_the_root_of_the_host(self):
        alloc, output = self.run_script("raw_exec")
        root = self.sandbox.alloc_dirs[0] / alloc
        self.assertEqual(output, f"t t web {root}/t/local {root}/alloc {root}/t/secrets\n")

    @unittest.skipUnless(HAS_EXEC, "exec needs an agent that is root and not in a chroot")
    def test_a_task_with_a_root_of_its_own(self):
        self.assertEqual(self.run_script("exec")[1], "t t web /local /alloc /secrets\n")


class CheckRestoreTest(Checks, TakeoverCase):
    """Checks after the end of an agent. The tasks go on."""

    def setUp(self):
        super().setUp()
        self.say("ok")

    def test_the_next_agent_goes_on_with_them(self):
        alloc = self.serve(api(Checks=[check(CheckRestart=RESTART), script("script", "exit 0")]))
        before = self.wait_checks(alloc, up="success", script="success")
        for _ in range(2):
            self.kill()
            self.agent = self.start()
            found = self.wait_checks(alloc, up="success", script="success")
            self.assertEqual({name: one["ID"] for name, one in found.items()},
                             {name: one["ID"] for name, one in before.items()})
        self.assertEqual(self.restarts(alloc), 0)
        self.say("fail")
        harness.wait_until(lambda: self.restarts(alloc) >= 1, "a restart by the next agent")

    def test_a_reload_decides_where_services_are_registered(self):
        of_consul = {**api(Checks=[check()]), "Provider": "consul"}
        spec = job(group(self.server(), Services=[of_consul], ShutdownDelay=0,
                         Networks=[{"DynamicPorts": [{"Label": "http"}]}]), id="web", type="service")
        self.agent.stop()
        self.start_with(log_level="info")
        refused = self.agent.ask("PUT", "/v1/jobs", spec)
        self.assertEqual(refused.status, 500)
        self.assertIn(b"this agent has no Consul", refused.body)
        agent_config(self.sandbox, log_level="info", services={"consul": "builtin"})
        before = len(self.agent.run.err)
        self.agent.run.signal(signal.SIGHUP)
        self.agent.run.wait_for(lambda r: "applied: services" in r.err[before:] or None, "the reload")
        self.assertIn("this agent registers the service itself", self.agent.submit(spec)["Warnings"])
        alloc = self.agent.wait_allocs("web", 1, "running")[0]["ID"]
        self.wait_checks(alloc, up="success")
        self.assertEqual(len(self.agent.get("/v1/service/api")), 1)


if __name__ == "__main__":
    harness.main()
