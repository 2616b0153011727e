# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The jobs of examples/jobs. Each runs in both forms, by the commands that its reader would use, and keeps
what it promises. The test of check-tcp.nomad.hcl and check-tcp.json is test_check_tcp."""
import collections
import hashlib
import io
import json
import os
import re
import shutil
import socket
import tarfile
import threading
import unittest
import urllib.error
import urllib.request

import cni
import git_server
import harness
from agent_harness import Agent, agent_config
from fake_consul import FakeConsul
from file_server import FileServer
from git_server import GitServer
from harness import IS_ROOT, ROOT, DroverTest, Run, binary, plugin_file
from servers import server
from test_client import Client
from test_exec import IN_CHROOT
from test_hcl import HAS_HCL
from test_services import ServiceCase

JOBS = ROOT / "examples/jobs"
HCL, JSON = ".nomad.hcl", ".json"
HAS_EXEC = IS_ROOT and not IN_CHROOT
# The loop devices that the plugin of examples/devices/machine offers.
LOOPS = [i for i in range(8) if os.path.exists(f"/dev/loop{i}") and
         not os.path.exists(f"/sys/block/loop{i}/loop/backing_file")]


def files(*forms):
    """The jobs; those of the folder docker need a container engine, and test_docker_examples.py runs them."""
    return sorted(path for path in JOBS.rglob("*") if path.name.endswith(forms) and path.parent != JOBS / "docker")


def name_of(path):
    """The path without its form: "web", or "change/restart" in a folder."""
    return str(path.relative_to(JOBS)).removesuffix(HCL).removesuffix(JSON)


def plugins(*drivers):
    blocks = {name: {"file": str(plugin_file(name))} for name in drivers}
    blocks["raw_exec"]["config"] = {"enabled": True}
    return blocks


class Asker:
    """Asks a server for its page again and again, until the end of the test."""

    def __init__(self, test, url):
        self.url = url
        self.pages, self.failures = collections.deque(maxlen=100), []
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._ask, daemon=True)
        self._thread.start()
        test.addCleanup(self.stop)

    def _ask(self):
        while not self._ended.wait(0.02):
            try:
                with urllib.request.urlopen(self.url, timeout=harness.LIMIT) as answer:
                    self.pages.append(answer.read().decode())
            except OSError as error:
                self.failures.append(str(error))

    def last(self, count):
        """The different pages among the last COUNT, or None while there are not so many."""
        pages = list(self.pages)[-count:]
        return set(pages) if len(pages) == count else None

    def stop(self):
        self._ended.set()
        self._thread.join()


def hook_file(name):
    """The file of an example of a task hook."""
    return str(harness.build_dir() / "examples" / (name + ".so"))


class Examples(Client):
    """The tests of the jobs; a part of a test class for the files of one form."""

    form = None

    def start_agent(self):
        drivers = ("mock_driver", "raw_exec", *(["exec"] if HAS_EXEC else []))
        blocks = plugins(*drivers)
        blocks["machine"] = {"file": str(harness.build_dir() / "examples/machine.so")}
        # Tasks find drover and the servers in the agent's PATH.
        path = f"{self.programs()}:{binary().parent}:{os.environ['PATH']}"
        self.consul = FakeConsul(self)
        self.bridge = cni.Bridge()
        self.addCleanup(self.bridge.remove)
        self.files = FileServer(self)
        self.repositories = GitServer(self, self.sandbox.root / "git")
        meta = {"files": self.files.url, "repository": self.repositories.url + "/site"}
        self.exits = self.sandbox.root / "exits.log"
        hooks = {
            "secrets_file": {"file": hook_file("secrets_file"), "config": {"commands": {
                "greeting": {"command": ["/bin/echo", "good morning"]}}}},
            "exit_notifier": {"file": hook_file("exit_notifier"), "config": {
                "file": str(self.exits)}}}
        return Agent(self.sandbox, env={"PATH": path}, config=agent_config(
            self.sandbox, plugins={**blocks, **hooks}, consul={"address": self.consul.address},
            client={**self.bridge.client(), "meta": meta, "task_hooks": list(hooks)}))

    def programs(self):
        """Returns a directory with the servers, which may be unpacked and not installed."""
        for name in ("nginx", "haproxy"):
            if server(name):
                self.sandbox.write(f"programs/{name}", f'#!/bin/sh\nexec {server(name)} "$@"\n').chmod(0o755)
        return self.sandbox.root / "programs"

    def setUp(self):
        super().setUp()
        self.address = self.agent.url

    def start(self, name, count=1):
        """Runs a job that goes on, and returns the ids of its allocations."""
        self.cli("job", "run", "-detach", JOBS / (name + self.form))
        return [alloc["ID"] for alloc in self.agent.wait_allocs(name, count, "running")]

    def follow(self, name):
        """Runs a job that ends by itself, and returns the command, which has shown all of it."""
        run = Run(self.sandbox, ["job", "run", "--follow", "--json", "--address", self.agent.url,
                                 JOBS / (name + self.form)])
        self.sandbox.runs.append(run)
        self.assertEqual(run.wait(90), 0, run.story())
        return run

    def wait_deployed(self, id):
        """Waits for the end of the deployment of a job, which nobody can scale before."""
        harness.wait_until(
            lambda: self.agent.get(f"/v1/job/{id}/deployment")["Status"] == "successful",
            f"the deployment of {id}")

    def page(self, alloc, path="/"):
        """Returns what the server of an allocation answers, as soon as it does."""
        host, port = self.place(alloc)

        def text():
            try:
                with urllib.request.urlopen(f"http://{host}:{port}{path}", timeout=5) as answer:
                    return answer.read().decode()
            except OSError:
                return None
        return harness.wait_until(text, "an answer of the server")

    def wait_check(self, alloc, name, status, output=""):
        """Waits until a check has this status, and OUTPUT in its output. Returns its result."""
        def result():
            checks = self.agent.get(f"/v1/client/allocation/{alloc}/checks").values()
            return next((one for one in checks if one["Check"] == name and
                         one["Status"] == status and output in one["Output"]), None)
        return harness.wait_until(result, f"the check {name}: {status} {output}")

    def test_mock(self):
        run = self.follow("mock")
        self.assertEqual(run.logs("sleeper"), ["hello from the mock driver"] * 3)

    @unittest.skipUnless(HAS_EXEC, "exec needs an agent that is root and not in a chroot")
    def test_exec(self):
        run = self.follow("exec")
        self.assertTrue(any(line.startswith("uid=") for line in run.logs("look")), run.logs("look"))
        self.assertIn("served its time", run.logs("web"))

    def test_lifecycle(self):
        run = self.follow("lifecycle")
        self.assertEqual(run.statuses()[-1][0], "complete")
        self.assertIn("hello from lifecycle.site[0]", run.logs("probe"))
        self.assertEqual(run.state("flaky")["Restarts"], 1)
        self.assertEqual(run.logs("sweep"), ["sweeping up"])

    def log_of(self, job_id, task):
        """Waits until the one allocation of a job is complete, and returns what its task has written."""
        alloc, = self.agent.wait_allocs(job_id, 1, "complete")
        return self.cli("alloc", "logs", alloc["ID"], task).out

    def test_periodic(self):
        self.cli("job", "run", JOBS / ("periodic" + self.form))
        self.assertEqual(self.agent.get("/v1/job/periodic")["Status"], "running")
        self.cli("job", "periodic", "force", "periodic")
        child = self.agent.get("/v1/jobs", prefix="periodic/")[0]["ID"]
        self.assertEqual(self.log_of(child, "write"), f"{child} of periodic\n")
        self.cli("job", "stop", "periodic")

    def test_parameterized(self):
        self.cli("job", "run", JOBS / ("parameterized" + self.form))
        payload = self.sandbox.write("input", "hello")
        self.cli("job", "dispatch", "-meta", "user=ada", "parameterized", payload)
        child = self.agent.get("/v1/jobs", prefix="parameterized/")[0]["ID"]
        self.assertEqual(self.log_of(child, "greet"), "hello, ada!\n")
        self.assertIn("required meta keys: [user]",
                      self.fails("job", "dispatch", "parameterized", payload))

    def change(self, name, **env):
        """Registers a job anew, with another environment of its task. Returns the evaluation."""
        spec = self.agent.get(f"/v1/job/{name}")
        for one in spec["TaskGroups"][0]["Tasks"]:
            one["Env"] = {**(one["Env"] or {}), **env}
        return self.agent.submit({"Job": spec})["EvalID"]

    def start_change(self, name, count=1):
        """Runs a job of the folder change, and returns the ids of its allocations as soon as they run."""
        self.cli("job", "run", "-detach", JOBS / "change" / (name + self.form))
        return [alloc["ID"] for alloc in self.agent.wait_allocs(name, count, "running")]

    def replacement_of(self, alloc):
        """Waits until an allocation has a replacement. Returns both."""
        def replaced():
            old = self.agent.get(f"/v1/allocation/{alloc}")
            new = old["NextAllocation"]
            return (old, self.agent.get(f"/v1/allocation/{new}")) if new else None
        old, new = harness.wait_until(replaced, "a replacement")
        self.assertEqual((new["PreviousAllocation"], new["Name"]), (alloc, old["Name"]))
        return old, new

    def test_change_restart(self):
        run = self.follow("change/restart")
        self.assertEqual(run.state("flaky")["Restarts"], 1)
        self.assertEqual(run.logs("flaky"), ["done"])
        alloc, = self.agent.allocs("restart")
        events = [e["Type"] for e in alloc["TaskStates"]["flaky"]["Events"]]
        self.assertIn("Restarting", events)
        self.assertEqual(events.count("Started"), 2)

    def test_change_reschedule(self):
        self.cli("job", "run", "-detach", JOBS / "change" / ("reschedule" + self.form))

        def failed():
            return next((a["ID"] for a in self.agent.allocs("reschedule")
                         if a["ClientStatus"] == "failed"), None)
        old, new = self.replacement_of(harness.wait_until(failed, "the failure"))
        self.assertEqual((old["ClientStatus"], old["DesiredDescription"]),
                         ("failed", "alloc was rescheduled because it failed"))
        (event,) = new["RescheduleTracker"]["Events"]
        self.assertEqual((event["PrevAllocID"], event["Delay"]), (old["ID"], 5 * 10**9))
        shown = self.cli("alloc", "status", new["ID"]).out
        self.assertRegex(shown, rf"(?m)^Replaces += {old['ID'][:8]}")
        # There is no attempt left.
        self.agent.get_until("/v1/job/reschedule", lambda reply: json.loads(reply.body)["Status"] == "dead")
        self.assertEqual(len(self.agent.allocs("reschedule")), 2)

    def test_change_migrate(self):
        allocs = self.start_change("migrate", 2)
        self.cli("alloc", "stop", "-detach", allocs[0])
        old, new = self.replacement_of(allocs[0])
        self.assertEqual(old["DesiredDescription"], "alloc is being migrated")
        self.assertIsNone(new["RescheduleTracker"])
        self.agent.wait_allocs("migrate", 2, "running")

    def test_change_replace(self):
        alloc, = self.start_change("replace")
        self.change("replace", GREETING="good morning")
        old, new = self.replacement_of(alloc)
        self.assertEqual(old["DesiredDescription"], "alloc is being updated due to job update")
        self.assertEqual(new["Job"]["Version"], 1)
        self.agent.wait_allocs("replace", 1, "running")
        harness.wait_until(lambda: self.cli("alloc", "logs", new["ID"], "greet").out == "good morning\n",
                           "the new greeting")

    def test_change_disconnect(self):
        self.start_change("disconnect")
        block = self.agent.get("/v1/job/disconnect")["TaskGroups"][0]["Disconnect"]
        self.assertEqual((block["LostAfter"], block["Replace"], block["Reconcile"]),
                         (600 * 10**9, True, "keep_original"))

    def wait_deployment(self, version, status, healthy):
        def found():
            one = self.agent.get("/v1/job/deployment/deployment")
            right = one and (one["JobVersion"], one["Status"]) == (version, status)
            return one if right and one["TaskGroups"]["group"]["HealthyAllocs"] == healthy else None
        return harness.wait_until(found, f"a {status} deployment of version {version}")

    def test_change_deployment(self):
        self.start_change("deployment", 2)
        self.wait_deployment(0, "successful", 2)
        self.change("deployment", GREETING="good morning")
        waits = self.wait_deployment(1, "running", 1)
        self.assertEqual(waits["StatusDescription"], "Deployment is running but requires manual promotion")
        self.agent.wait_allocs("deployment", 3, "running")  # the canary beside the old ones
        self.cli("job", "promote", "-detach", "deployment")
        self.wait_deployment(1, "successful", 2)
        versions = [a["JobVersion"] for a in self.agent.wait_allocs("deployment", 2, "running")]
        self.assertEqual(versions, [1, 1])

    def test_web(self):
        alloc, = self.start("web")
        self.assertEqual(self.page(alloc), "hello from web.site[0]\n")
        place = self.place(alloc)
        self.cli("job", "stop", "web")
        self.agent.wait_allocs("web", 1, "complete", "stop")
        with self.assertRaises(ConnectionRefusedError):
            socket.create_connection(place, timeout=5)

    def test_service(self):
        allocs = self.start("service", 2)
        found = self.wait_instances(2, "site")
        self.assertEqual({one["AllocID"] for one in found}, set(allocs))
        self.assertEqual(self.json("service", "list"), [{"Namespace": "default", "Services": [
            {"ServiceName": "site", "Tags": ["instance-0", "instance-1", "public"]}]}])
        shown = self.cli("service", "info", "site").out
        for one in found:
            self.assertIn(f"{one['Address']}:{one['Port']}", shown)
            self.assertEqual((one["Address"], one["Port"]), self.place(one["AllocID"]))
            self.page(one["AllocID"])
        self.cli("job", "stop", "service")
        self.wait_instances(0, "site")
        self.assertEqual(self.cli("service", "list").out, "There are no services.\n")

    def test_check_http(self):
        alloc, = self.start("check-http")
        good = self.wait_check(alloc, "page", "success")
        self.assertEqual((good["Service"], good["StatusCode"], good["Output"]),
                         ("site", 200, "nomad: http ok"))
        self.assertRegex(self.cli("alloc", "checks", alloc).out,
                         r"(?m)^page +site +\(group\) +healthiness +success +nomad: http ok")
        (self.sandbox.alloc_dirs[0] / alloc / "server/local/index.html").unlink()
        bad = self.wait_check(alloc, "page", "failure", "File not found")
        self.assertEqual(bad["StatusCode"], 404)

    def test_check_tcp(self):
        alloc, = self.start("check-tcp")
        self.wait_check(alloc, "connects", "success", "nomad: tcp ok")
        with socket.create_connection(self.place(alloc, "line"), timeout=5) as connection:
            self.assertEqual(connection.recv(100), b"hello\n")

    def test_check_script(self):
        alloc, = self.start("check-script")
        self.wait_check(alloc, "alive", "failure", "no sign of life")
        tasks = self.agent.wait_tasks(
            alloc, lambda tasks: tasks["worker"]["Restarts"] > 0 and
            tasks["worker"]["State"] == "running", "the restart of the worker")
        self.assertIn(("Restart Signaled", 'healthcheck: check "alive" unhealthy'),
                      [(event["Type"], event["DisplayMessage"])
                       for event in tasks["worker"]["Events"]])
        self.wait_check(alloc, "alive", "success")
        self.assertEqual(self.wait_instances(1, "worker")[0]["AllocID"], alloc)

    @unittest.skipIf(cni.MISSING, cni.MISSING)
    def test_bridge(self):
        alloc, = self.start("bridge")
        self.wait_check(alloc, "page", "success")
        inside = self.wait_instances(1, "inside")[0]
        status = self.agent.get(f"/v1/allocation/{alloc}")["NetworkStatus"]
        self.assertEqual((inside["Address"], inside["Port"]), (status["Address"], 8000))
        self.assertEqual(self.page(alloc, "/index.html"), f"hello from {status['Address']}:8000\n")
        self.cli("job", "stop", "bridge")
        self.agent.wait_allocs("bridge", 1, "complete", "stop")
        harness.wait_until(lambda: not self.bridge.left(alloc), "the end of its network")

    def test_consul(self):
        alloc, = self.start("consul")
        harness.wait_until(lambda: self.consul.names() == ["shop"], "the service in Consul")
        services, checks = self.consul.state()
        (service,), (check,) = services.values(), checks.values()
        self.assertEqual((service["Address"], service["Port"]), self.place(alloc))
        self.assertEqual(check["Definition"]["HTTP"], "http://{}:{}/".format(*self.place(alloc)))
        self.page(alloc)
        self.cli("job", "stop", "consul")
        harness.wait_until(lambda: self.consul.names() == [], "nothing in Consul")

    def test_health(self):
        alloc, = self.start("health")
        verdict = harness.wait_until(
            lambda: self.json("alloc", "status", alloc)["DeploymentStatus"], "a verdict", step=0.2)
        self.assertTrue(verdict["Healthy"])
        self.assertRegex(self.cli("alloc", "status", alloc).out,
                         r"(?m)^Deployment Health += healthy$")
        self.wait_check(alloc, "page", "success")

    @unittest.skipUnless(shutil.which("curl"), "there is no curl in PATH")
    def test_task_api(self):
        run = self.follow("task-api")
        own, refused = filter(None, run.logs("ask"))
        self.assertEqual(json.loads(own)["ID"], self.agent.allocs("task-api")[0]["ID"])
        self.assertEqual(refused, "Permission denied")

    def test_identity(self):
        run = self.follow("identity")
        claims = json.loads(run.logs("show")[0])
        self.assertEqual(claims["aud"], "bank.example")
        self.assertEqual(claims["nomad_allocation_id"], self.agent.allocs("identity")[0]["ID"])
        self.assertEqual(claims["exp"] - claims["iat"], 3600)

    def test_template(self):
        self.cli("job", "run", "-detach", JOBS / ("template" + self.form))
        allocs = self.agent.wait_allocs("template", 3, "running")
        front, = (alloc["ID"] for alloc in allocs if alloc["TaskGroup"] == "front")

        def wait_page(count):
            instances = {f"http://{one['Address']}:{one['Port']}/"
                         for one in self.wait_instances(count, "backend")}
            harness.wait_until(lambda: set(self.page(front).split()) == instances,
                               f"a page with {count} instances")
        wait_page(2)
        self.wait_deployed("template")
        self.cli("job", "scale", "template", "backend", "3")
        wait_page(3)
        environment = self.sandbox.alloc_dirs[0] / front / "page/secrets/page.env"
        self.assertEqual(environment.read_text(), "PAGE_OF=template\n")

    @unittest.skipUnless(HAS_EXEC, "exec needs an agent that is root and not in a chroot")
    @unittest.skipUnless(LOOPS, "this machine has no free loop device")
    def test_device(self):
        run = self.follow("device")
        self.assertEqual(run.logs("mount"), ["has a block device"])
        alloc = self.agent.allocs("device")[0]["ID"]
        self.assertRegex(self.cli("alloc", "status", alloc).out, r"(?m)^mount +linux/loop/loop +loop\d$")

    def test_artifact(self):
        archive = io.BytesIO()
        with tarfile.open(fileobj=archive, mode="w:gz") as out:
            page = tarfile.TarInfo("index.html")
            page.size = 5
            out.addfile(page, io.BytesIO(b"page\n"))
        checksum = hashlib.sha256(archive.getvalue()).hexdigest()
        self.files.answers.update({"/site.tar.gz": archive.getvalue(), "/words.txt": b"words\n",
                                   "/SHA256SUMS": f"{checksum}  site.tar.gz\n".encode()})
        run = self.follow("artifact")
        self.assertEqual(run.logs("show"), ["page", "words"])

    @unittest.skipUnless(server("nginx"), "there is no nginx")
    @unittest.skipIf(git_server.MISSING, git_server.MISSING)
    def test_nginx(self):
        for tag in ("v1", "v2"):
            self.repositories.commit("site", tag, **{"index.html": f"the page of {tag}\n"})
        alloc, = self.start("nginx")
        self.assertEqual(self.page(alloc), "the page of v1\n")
        self.wait_check(alloc, "page", "success")
        host, port = self.place(alloc)
        for hidden in ("README", ".git/config"):
            with self.assertRaises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(f"http://{host}:{port}/{hidden}", timeout=5)
            self.assertEqual(refused.exception.code, 404)
            refused.exception.close()
        self.cli("job", "stop", "nginx")
        stopped, = self.agent.wait_allocs("nginx", 1, "complete", "stop")
        terminated = [event["DisplayMessage"] for event in stopped["TaskStates"]["server"]["Events"]
                      if event["Type"] == "Terminated"]
        self.assertEqual(terminated, ["Exit Code: 0"])

    @unittest.skipUnless(server("haproxy"), "there is no haproxy")
    def test_haproxy(self):
        self.cli("job", "run", "-detach", JOBS / ("haproxy" + self.form))
        allocs = self.agent.wait_allocs("haproxy", 3, "running")
        front, = (alloc["ID"] for alloc in allocs if alloc["TaskGroup"] == "front")
        asker = Asker(self, "http://{}:{}/".format(*self.place(front)))

        def wait_answers(count):
            """Waits until so many instances answer, each when it is its turn."""
            pages = {f"hello from haproxy.backend[{index}]\n" for index in range(count)}
            harness.wait_until(lambda: asker.last(3 * count) == pages, f"answers of {count} instances")
        wait_answers(2)
        asker.failures.clear()  # those before the first answer
        self.wait_deployed("haproxy")
        for count in (3, 1, 2):
            self.cli("job", "scale", "haproxy", "backend", str(count))
            wait_answers(count)
        asker.stop()
        self.assertEqual(asker.failures, [])
        state = self.agent.get(f"/v1/allocation/{front}")["TaskStates"]["haproxy"]
        self.assertEqual((state["State"], state["Restarts"]), ("running", 0))
        self.assertIn("Signaling", [event["Type"] for event in state["Events"]])
        # Without instances it says so.
        self.cli("job", "scale", "haproxy", "backend", "0")

        def unavailable():
            try:
                urllib.request.urlopen(asker.url, timeout=5).close()
            except urllib.error.HTTPError as error:
                error.close()
                return error.code == 503
            return False
        harness.wait_until(unavailable, "no instance to answer")

    def test_task_hooks(self):
        run = self.follow("task-hooks")
        self.assertEqual(run.logs("greet"), ["good morning"])
        self.assertIn("secrets_file: secrets written: greeting",
                      run.event("greet", "Task Hook")["DisplayMessage"])
        alloc = self.agent.allocs("task-hooks")[0]["ID"]
        lines = [line for line in self.exits.read_text().splitlines() if alloc in line]
        self.assertEqual(len(lines), 1, lines)
        self.assertRegex(lines[0], r"Z default/task-hooks/group/greet .* exit_code=0 signal=0$")

    def test_scaling(self):
        self.start("scaling")
        of_group, of_task = sorted(self.json("scaling", "policy", "list"), key=lambda one: one["Type"])
        self.assertEqual((of_group["Enabled"], of_task["Enabled"]), (True, False))
        shown = self.json("scaling", "policy", "info", of_group["ID"])
        self.assertEqual((shown["Min"], shown["Max"], shown["Policy"]["cooldown"]), (1, 4, "2m"))
        self.assertIn("maximum: 5 > 4", self.fails("job", "scale", "scaling", "5"))
        self.wait_deployed("scaling")
        self.cli("job", "scale", "scaling", "3")
        self.agent.wait_allocs("scaling", 3, "running")
        self.cli("job", "run", "-preserve-counts", JOBS / ("scaling" + self.form))
        self.agent.wait_allocs("scaling", 3, "running")

    def test_variable(self):
        self.cli("var", "put", "nomad/jobs/variable", "greeting=good morning")
        run = self.follow("variable")
        self.assertEqual(run.logs("greet"), ["good morning"])

    @unittest.skipUnless(HAS_EXEC, "exec needs an agent that is root and not in a chroot")
    def test_host_volume(self):
        if self.form == HCL:
            self.cli("volume", "create", ROOT / "examples/volume.hcl")
        else:
            self.agent.must("PUT", "/v1/volume/host/create", {"Volume": {
                "Name": "example", "Parameters": {"mode": "0777"}, "RequestedCapabilities": [
                    {"AccessMode": "single-node-single-writer", "AttachmentMode": "file-system"}]}})
        run = self.follow("host-volume")
        alloc = self.agent.allocs("host-volume")[0]["ID"]
        self.assertEqual(run.logs("read"), [f"a line of {alloc}", "read only"])


@unittest.skipUnless(HAS_HCL, "this build has no drover-hcl")
class HclExampleTest(Examples, ServiceCase):
    form = HCL


class JsonExampleTest(Examples, ServiceCase):
    form = JSON


class ExampleFilesTest(DroverTest):
    def test_every_job_has_a_test_and_a_line_in_the_readme(self):
        readme = (JOBS / "README.md").read_text()
        for path in sorted(JOBS.rglob("*")):
            if path.name == "README.md" or path.is_dir() or path.parent == JOBS / "docker":
                continue
            with self.subTest(path.name):
                name = name_of(path)
                self.assertNotEqual(name, str(path.relative_to(JOBS)), "it is no job")
                test = "test_" + re.sub("[-/]", "_", name)
                self.assertTrue(hasattr(Examples, test), f"Examples has no {test}")
                self.assertIn(f"\n| [{name}]({name}{HCL}) | ", readme)

    def test_every_job_is_there_in_both_forms(self):
        """That both give the same job, JobHclTest of host/hcl shows."""
        in_hcl = [name_of(path) for path in files(HCL)]
        self.assertEqual(in_hcl, [name_of(path) for path in files(JSON)])
        self.assertGreaterEqual(len(in_hcl), 12)

    def test_all_are_valid(self):
        config = self.sandbox.write_config(
            "drivers.json", plugins=plugins("exec", "mock_driver", "raw_exec"),
            consul={"address": "127.0.0.1:8500"})
        for path in files(HCL, JSON) if HAS_HCL else files(JSON):
            with self.subTest(path.name):
                done = self.sandbox.command("validate", "--config", config, path)
                self.assertEqual((done.code, done.out), (0, f"{path}: valid\n"), done)

    @unittest.skipUnless(HAS_HCL, "this build has no drover-hcl")
    def test_all_are_laid_out(self):
        done = self.sandbox.command("fmt", "-check", *files(HCL))
        self.assertEqual((done.code, done.out), (0, ""), done)


if __name__ == "__main__":
    harness.main()
