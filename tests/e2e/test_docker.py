# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The driver docker with real engines: dockerd and podman's service."""
import json
import os
import re
import signal
import threading
import time
import unittest
import urllib.request

import engines
import harness
from agent_harness import Agent, agent_config
from engines import IMAGE, EngineCase
from file_server import FileServer
from harness import SLACK, group, job, plugin_file, task
from test_client import Client
from typed import Typed

FOREVER = "trap 'exit 0' TERM; while true; do sleep 0.1; done"


def container(name, script=None, **more):
    """A task: a shell SCRIPT in the image of the tests. Fields begin with a capital letter, options do not."""
    fields = {key: more.pop(key) for key in list(more) if key[0].isupper()}
    config = {"image": IMAGE, **more}
    if script is not None:
        config.update(command="/bin/sh", args=["-c", script])
    fields.setdefault("Resources", {"CPU": 100, "MemoryMB": 64})
    return task(name, config=config, driver="docker", **fields)


class DockerCase(Client, EngineCase):
    """A test with an agent that has the driver docker, and keeps its state."""

    CONFIG = {}  # of the plugin
    LIMITS = {}  # of the plugin
    CLIENT = {}  # of the agent's client
    ENV = {}  # more of the agent's environment

    def setUp(self):
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()
        self.agent = self.start_agent()

    def start_agent(self, **more):
        config = {"endpoint": self.endpoint(), **self.CONFIG, **more}
        plugins = {"docker": {"file": str(plugin_file("docker")), "config": config, "isolation": "process",
                              "limits": self.LIMITS}}
        agent = Agent(self.sandbox, dev=False, env=self.ENV,
                      config=agent_config(self.sandbox, plugins=plugins, client=self.CLIENT))
        self.address = agent.url
        return agent

    def endpoint(self):
        return self.engine.endpoint

    def tearDown(self):
        try:
            if not self._outcome_failed() and self.agent.run.process.poll() is None:
                self.agent.forget_all(self.leftovers)
                self.assert_no_containers()
                self.agent.stop()
        finally:
            try:
                if self.engine.alive:  # the next test has the same engine
                    self.engine.remove_containers()
            finally:
                super().tearDown()

    def assert_no_containers(self):
        harness.wait_until(lambda: not self.engine.containers(), "no container to be left")

    def health(self):
        """The driver's health, and why."""
        node = self.agent.get("/v1/nodes")[0]["ID"]
        driver = self.agent.get(f"/v1/node/{node}")["Drivers"]["docker"]
        return driver["Healthy"], driver["HealthDescription"]

    def wait_health(self, healthy, text="", limit=harness.LIMIT):
        def as_wanted():
            now, why = self.health()
            return (now, why) if now == healthy and text in why else None
        return harness.wait_until(as_wanted, f"the driver to be healthy: {healthy} {text}", limit=limit)

    def run_job(self, *tasks, id="e2e", status="complete", type="batch", **fields):
        """Submits a job of one group, and returns its allocation as soon as it has STATUS."""
        self.wait_health(True)
        self.agent.submit(job(group(*tasks, **fields), id=id, type=type))
        alloc, = self.agent.wait_allocs(id, 1, status)
        return self.agent.get(f"/v1/allocation/{alloc['ID']}")

    def logs(self, alloc, name="t", kind="stdout"):
        flags = ["-stderr"] if kind == "stderr" else []
        return self.cli("alloc", "logs", *flags, alloc["ID"], name).out

    def events(self, alloc, name="t"):
        states = self.agent.get(f"/v1/allocation/{alloc['ID']}")["TaskStates"]
        return [event["DisplayMessage"] for event in states[name]["Events"]]

    def page(self, alloc):
        """What answers on the first port of an allocation."""
        port = alloc["AllocatedResources"]["Shared"]["Ports"][0]
        address = f"http://{port['HostIP'] or '127.0.0.1'}:{port['Value']}/"

        def text():
            try:
                with urllib.request.urlopen(address, timeout=5) as answer:
                    return answer.read().decode()
            except OSError:
                return None
        return harness.wait_until(text, address)

    def assert_refused(self, text, **options):
        alloc = self.run_job(container("t", "true", **options), status="failed")
        self.assertTrue(any(text in event for event in self.events(alloc)), self.events(alloc))
        self.assertEqual(self.engine.tasks(), [])
        self.agent.must("DELETE", "/v1/job/e2e", purge="true")


class TaskTests:
    """What a task in a container can do; for each engine."""

    def test_output_and_exit_code(self):
        alloc = self.run_job(container("t", "echo to output; echo to error >&2; exit 3"), status="failed")
        self.assertEqual(self.logs(alloc), "to output\n")
        self.assertEqual(self.logs(alloc, kind="stderr"), "to error\n")
        ended = [e for e in alloc["TaskStates"]["t"]["Events"] if e["Type"] == "Terminated"]
        self.assertEqual(ended[-1]["ExitCode"], 3)

    def test_all_output_is_there(self):
        alloc = self.run_job(container("t", "i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done"))
        self.assertEqual(self.logs(alloc), "".join(f"line {i}\n" for i in range(3000)))

    def test_directories_environment_and_user(self):
        script = ("echo $NOMAD_ALLOC_DIR $NOMAD_TASK_DIR $NOMAD_SECRETS_DIR $GREETING; cat /local/hello; "
                  "touch /alloc/data/x /secrets/y && id -u")
        alloc = self.run_job(container(
            "t", script, Env={"GREETING": "good morning"},
            Templates=[{"EmbeddedTmpl": "from a template\n", "DestPath": "local/hello"}]))
        self.assertEqual(self.logs(alloc), "/alloc /local /secrets good morning\nfrom a template\n0\n")
        other = self.run_job(container("t", "id -u", User="1000"), id="user")
        self.assertEqual(self.logs(other), "1000\n")

    def test_exec_stats_and_signal(self):
        alloc = self.run_job(container("t", f"trap 'echo heard' HUP; {FOREVER}"), status="running", type="service")
        done = self.cli("alloc", "exec", "-task", "t", alloc["ID"], "/bin/sh", "-c", "echo inside; exit 7", code=7)
        self.assertEqual(done.out, "inside\n")
        terminal = Typed(self, "alloc", "exec", "-task", "t", alloc["ID"], "/bin/sh", "-c",
                         "test -t 1 && echo terminal")
        self.assertEqual(terminal.wait(0), "terminal\n")

        def memory():
            usage = self.agent.get(f"/v1/client/allocation/{alloc['ID']}/stats")
            return (usage["Tasks"] or {}).get("t", {}).get("ResourceUsage", {}).get("MemoryStats", {}).get("Usage", 0)
        harness.wait_until(memory, "the memory of the container")
        self.cli("alloc", "signal", "-s", "SIGHUP", alloc["ID"], "t")
        harness.wait_until(lambda: "heard" in self.logs(alloc), "the signal")

    def test_stop_in_order_and_by_force(self):
        kind = self.run_job(container("t", "trap 'echo bye; exit 0' TERM; while true; do sleep 0.1; done"),
                            status="running", type="service")
        self.agent.must("DELETE", "/v1/job/e2e")
        self.agent.wait_allocs("e2e", 1, "complete", desired="stop")
        self.assertEqual(self.logs(kind), "bye\n")
        self.run_job(container("t", "trap '' TERM; while true; do sleep 0.1; done", KillTimeout=10 ** 9),
                     id="deaf", status="running", type="service")
        begin = time.monotonic()
        self.agent.must("DELETE", "/v1/job/deaf")
        self.agent.wait_allocs("deaf", 1, "complete", desired="stop")
        self.assertGreater(time.monotonic() - begin, 0.9)

    def test_memory_is_limited(self):
        alloc = self.run_job(
            container("t", "tail /dev/zero", Resources={"CPU": 100, "MemoryMB": 16}), status="failed")
        ended = [e for e in alloc["TaskStates"]["t"]["Events"] if e["Type"] == "Terminated"][-1]
        self.assertEqual(ended["ExitCode"], 137, ended)

    def test_restart_after_failure(self):
        script = "if [ -e /alloc/data/second ]; then exit 0; fi; touch /alloc/data/second; exit 1"
        alloc = self.run_job(container("t", script), RestartPolicy={
            "Attempts": 1, "Interval": 10 ** 11, "Delay": 10 ** 7, "Mode": "fail"})
        self.assertEqual(alloc["TaskStates"]["t"]["Restarts"], 1)

    def test_volumes(self):
        alloc = self.run_job(container("t", "cat /data/hello; touch /data/x || echo read only",
                                       volumes=["local/made:/data:ro"],
                                       Templates=[{"EmbeddedTmpl": "hello\n", "DestPath": "local/made/hello"}]))
        self.assertEqual(self.logs(alloc), "hello\nread only\n")
        other = self.run_job(container("t", "touch /t/x && echo written", mounts=[
            {"type": "tmpfs", "target": "/t", "tmpfs_options": {"size": 1 << 20}}]), id="tmpfs")
        self.assertEqual(self.logs(other), "written\n")

    def test_what_the_operator_does_not_permit(self):
        self.assert_refused("volumes.enabled", volumes=["/etc:/host"])
        self.assert_refused("leaves the directories", volumes=["../../../x:/x"])
        self.assert_refused("allow_privileged", privileged=True)
        self.assert_refused("allow_caps", cap_add=["sys_admin"])
        self.assert_refused("allow_devices", devices=[{"host_path": "/dev/mem"}])
        self.assert_refused("allow_host_modes", pid_mode="host")
        self.assert_refused("no container of this allocation", network_mode="container:other")

    def test_a_link_out_of_the_directory_is_not_followed(self):
        prestart = container("link", "cd /alloc/data && /bin/busybox ln -s /etc out",
                             Lifecycle={"Hook": "prestart"})
        alloc = self.run_job(prestart, container("t", "ls /x", volumes=["../alloc/data/out:/x"]), status="failed")
        self.assertTrue(any("symbolic link" in event for event in self.events(alloc)), self.events(alloc))

    def test_options_reach_the_engine(self):
        self.run_job(container("t", FOREVER, hostname="box", work_dir="/srv", labels={"team": "a"},
                               cap_drop=["all"], readonly_rootfs=True, ulimit={"nofile": "100:200"},
                               shm_size=1 << 20, pids_limit=50, network_mode="none"),
                     status="running", type="service")
        one, = self.engine.tasks()
        config, host = one["Config"], one["HostConfig"]
        self.assertEqual((config["Hostname"], config["WorkingDir"], config["Labels"]["team"]), ("box", "/srv", "a"))
        self.assertEqual((host["ReadonlyRootfs"], host["PidsLimit"], host["NetworkMode"]), (True, 50, "none"))
        self.assertFalse(host["Privileged"])
        pid = one["State"]["Pid"]
        status = open(f"/proc/{pid}/status", encoding="utf-8").read()
        self.assertRegex(status, r"CapEff:\s+0+\n")
        self.assertRegex(open(f"/proc/{pid}/limits", encoding="utf-8").read(), r"Max open files\s+100\s+200")

    def test_the_name_of_somebody_else_is_left_alone(self):
        status, made = self.engine.ask("POST", "/containers/create?name=mine", {"Image": IMAGE, "Cmd": ["true"]})
        self.assertEqual(status, 201, made)
        alloc = self.run_job(container("t", "true"))
        self.agent.must("PUT", "/v1/system/gc")
        self.assertTrue(alloc["ID"])
        self.assertEqual(self.engine.ask("GET", "/containers/mine/json")[0], 200)
        self.engine.ask("DELETE", "/containers/mine?force=true")

    def test_an_image_that_is_not_there(self):
        alloc = self.run_job(container("t", "true", image="127.0.0.1:1/none:1", image_pull_timeout="20s"),
                             status="failed")
        self.assertTrue(any("none" in event for event in self.events(alloc)), self.events(alloc))

    def test_an_image_of_a_file_is_loaded(self):
        server = FileServer(self)
        server.answers["/image.tar"] = engines.archive("drover-loaded:1")
        alloc = self.run_job(container(
            "t", "echo loaded", image="drover-loaded:1", load="local/image.tar",
            Artifacts=[{"GetterSource": server.url + "/image.tar", "GetterMode": "any", "RelativeDest": "local/",
                        "GetterOptions": {"archive": "false"}}]))
        self.assertEqual(self.logs(alloc), "loaded\n")
        self.assert_refused("missing.tar", load="local/missing.tar")


@unittest.skipIf(engines.MISSING_DOCKERD, engines.MISSING_DOCKERD)
class DockerdTaskTest(TaskTests, DockerCase):
    KIND = engines.Dockerd

    def test_ports_are_published(self):
        if self.engine.bridge == "none":
            self.skipTest("this machine makes no bridges")
        self.wait_health(True)
        spec = job(group(container("t", "cd /srv && echo page >index.html && exec httpd -f -p 8080", ports=["web"]),
                         Networks=[{"Mode": "host", "DynamicPorts": [{"Label": "web", "To": 8080}]}]),
                   id="ports", type="service")
        self.agent.submit(spec)
        alloc, = self.agent.wait_allocs("ports", 1, "running")
        self.assertEqual(self.page(self.agent.get(f"/v1/allocation/{alloc['ID']}")), "page\n")


@unittest.skipIf(engines.MISSING_PODMAN, engines.MISSING_PODMAN)
class PodmanTaskTest(TaskTests, DockerCase):
    KIND = engines.Podman


class KillTests:
    """Nothing is lost, doubled or left when agent, plugin or engine are killed; for each engine."""

    COUNT = 100 if harness.LONG else 3
    ROUNDS = 20 if harness.LONG else 1

    def counter(self):
        return container("t", "i=0; trap 'exit 0' TERM; "
                         "while true; do echo $i; i=$((i+1)); sleep 0.2; done")

    def begin(self):
        self.wait_health(True)
        self.agent.submit(job(group(self.counter(), Count=self.COUNT), id="kills", type="service"))
        allocs = self.agent.wait_allocs("kills", self.COUNT, "running")
        self.ids = sorted(one["Id"] for one in self.engine.tasks())
        self.assertEqual(len(self.ids), self.COUNT)
        return allocs

    def assert_same(self, allocs):
        """The same containers run the same allocations, whose output goes on without a hole or a double."""
        self.wait_health(True)
        self.agent.wait_allocs("kills", self.COUNT, "running")
        self.assertEqual(sorted(one["Id"] for one in self.engine.tasks()), self.ids)
        for alloc in allocs:
            def numbers():
                return [int(line) for line in self.logs(alloc).split()]
            before = len(numbers())
            harness.wait_until(lambda: len(numbers()) > before + 2, "more output")
            seen = numbers()
            self.assertEqual(seen, list(range(len(seen))))

    def plugin_pid(self):
        return next(each["PID"] for each in self.agent.get("/v1/agent/plugins") if each["Name"] == "docker")

    def kill_agent(self):
        self.agent.run.process.kill()
        self.agent.run.process.wait()
        self.agent = self.start_agent()

    def kill_plugin(self):
        pid = self.plugin_pid()
        os.kill(pid, signal.SIGKILL)
        harness.wait_until(lambda: self.plugin_pid() not in (0, pid), "a new process of the plugin")

    def test_kill_of_the_agent(self):
        allocs = self.begin()
        for _ in range(self.ROUNDS):
            self.kill_agent()
            self.assert_same(allocs)

    def test_kill_of_the_plugin(self):
        allocs = self.begin()
        for _ in range(self.ROUNDS):
            self.kill_plugin()
            self.assert_same(allocs)

    def test_kill_of_the_engine(self):
        allocs = self.begin()
        for _ in range(self.ROUNDS):
            self.engine.kill()
            self.wait_health(False)
            self.engine.start()
            self.assert_same(allocs)

    def test_kill_of_plugin_and_engine(self):
        allocs = self.begin()
        for _ in range(self.ROUNDS):
            self.engine.kill()
            self.kill_plugin()
            self.engine.start()
            self.assert_same(allocs)

    def test_a_stop_while_the_engine_is_away_leaves_nothing(self):
        self.run_job(container("t", FOREVER), id="away", status="running", type="service")
        self.engine.kill()
        self.wait_health(False)
        self.agent.must("DELETE", "/v1/job/away")
        harness.wait_until(lambda: self.agent.allocs("away")[0]["ClientStatus"] in ("complete", "failed"),
                           "the host to give the task up", limit=120 * SLACK)
        self.engine.start()
        harness.wait_until(lambda: not self.engine.tasks(), "the container to be removed")
        self.wait_health(True)

    def test_an_end_while_nobody_looks_is_reported(self):
        alloc = self.run_job(container("t", "while [ ! -e /alloc/data/end ]; do sleep 0.1; done; echo last; exit 5"),
                             id="end", status="running")
        self.agent.run.process.kill()
        self.agent.run.process.wait()
        one, = self.engine.tasks()
        data = next(m["Source"] for m in one["Mounts"] if m["Destination"] == "/alloc")
        open(os.path.join(data, "data/end"), "w", encoding="utf-8").close()
        harness.wait_until(lambda: not self.engine.tasks()[0]["State"]["Running"], "the end")
        self.agent = self.start_agent()
        self.agent.wait_allocs("end", 1, "failed")
        self.assertEqual(self.logs(alloc), "last\n")


@unittest.skipIf(engines.MISSING_DOCKERD, engines.MISSING_DOCKERD)
class DockerdKillTest(KillTests, DockerCase):
    KIND = engines.Dockerd


@unittest.skipIf(engines.MISSING_PODMAN, engines.MISSING_PODMAN)
class PodmanKillTest(KillTests, DockerCase):
    KIND = engines.Podman


@unittest.skipIf(engines.MISSING_DOCKERD, engines.MISSING_DOCKERD)
class DockerCollectionTest(DockerCase):
    """What is removed, and what stays."""

    KIND = engines.Dockerd
    CONFIG = {"gc": {"image_delay": "1s", "dangling_containers": {"period": "1s", "creation_grace": "2s"}}}

    def test_an_image_goes_with_its_last_task(self):
        self.engine.load(engines.archive("drover-gone:1"))
        self.engine.load(engines.archive("drover-gone:2", Labels={"other": "1"}))
        first = container("t", FOREVER, image="drover-gone:1")
        self.run_job(first, id="one", status="running", type="service")
        self.run_job(first, id="two", status="running", type="service")
        self.agent.must("DELETE", "/v1/job/one", purge="true")
        self.agent.wait_allocs("one", 1, "complete", desired="stop")
        self.agent.must("PUT", "/v1/system/gc")
        self.assertTrue(self.engine.has_image("drover-gone:1"))
        self.agent.must("DELETE", "/v1/job/two", purge="true")
        harness.wait_until(lambda: not self.engine.has_image("drover-gone:1"), "the image to be removed")
        self.assertTrue(self.engine.has_image("drover-gone:2"), "nobody has used it")

    def make(self, name, **labels):
        status, made = self.engine.ask(
            "POST", f"/containers/create?name={name}",
            {"Image": IMAGE, "Cmd": ["sleep", "1000"], "HostConfig": {"NetworkMode": "none"},
             "Labels": {key if "." in key else key.replace("_", ".", 1): value
                        for key, value in labels.items()}})
        self.assertEqual(status, 201, made)

    def there(self, name):
        return self.engine.ask("GET", f"/containers/{name}/json")[0] == 200

    def test_containers_without_a_task_are_removed(self):
        self.run_job(container("t", FOREVER), status="running", type="service")
        mine, = self.engine.tasks()
        node = mine["Config"]["Labels"]["drover.node_id"]
        left = f"left-{mine['Id'][:8]}"
        self.make(left, drover_node_id=node, drover_kind="task", drover_run_id="ab" * 16,
                  **{"com.hashicorp.nomad.alloc_id": mine["Id"][:8]})
        self.make("other-node", drover_node_id="somebody", drover_kind="task", drover_run_id="cd" * 16)
        self.make("no-node")
        harness.wait_until(lambda: not self.there(left), "the leftover to be removed")
        self.assertTrue(self.there("other-node"))
        self.assertTrue(self.there("no-node"))
        self.assertTrue(self.there(mine["Id"]))
        for name in ("other-node", "no-node"):
            self.engine.ask("DELETE", f"/containers/{name}?force=true")

    def test_a_container_with_the_labels_of_a_task_is_left_alone(self):
        self.run_job(container("t", FOREVER), status="running", type="service")
        mine, = self.engine.tasks()
        self.make("a-copy", **mine["Config"]["Labels"])  # as after `docker commit` and `docker run`
        self.agent.run.process.kill()
        self.agent.run.process.wait()
        self.agent = self.start_agent()
        self.wait_health(True)
        self.agent.wait_allocs("e2e", 1, "running")
        self.agent.must("DELETE", "/v1/job/e2e", purge="true")
        harness.wait_until(lambda: not self.there(mine["Id"]), "the container of the task to be removed")
        time.sleep(4)  # longer than the period and the grace
        self.assertTrue(self.there("a-copy"))
        self.engine.ask("DELETE", "/containers/a-copy?force=true")


@unittest.skipIf(engines.MISSING_DOCKERD or engines.MISSING_REGISTRY,
                 engines.MISSING_DOCKERD or engines.MISSING_REGISTRY)
class DockerPullTest(DockerCase):
    KIND = engines.Dockerd

    def test_an_image_is_pulled_once_for_all(self):
        registry = engines.Registry(self)
        name = registry.push("team/app")
        self.wait_health(True)
        self.agent.submit(job(group(container("t", FOREVER, image=name), Count=3), id="pull", type="service"))
        allocs = self.agent.wait_allocs("pull", 3, "running")
        self.assertEqual({one["Image"] for one in self.engine.tasks()},
                         {self.engine.ask("GET", f"/images/{name}/json")[1]["Id"]})
        self.assertTrue(any("Downloading image" in event or "Pulling" in event
                            for one in allocs for event in self.events(one)))


class FakeEngineCase(Client, harness.DroverTest):
    """A test with an engine that does what the test says."""

    VERSION = {"Version": "20.10.24", "ApiVersion": "1.41", "MinAPIVersion": "1.12", "Os": "linux",
               "Arch": "amd64", "KernelVersion": "6", "Components": [{"Name": "Engine"}]}

    def setUp(self):
        reason = engines.lacks()
        if reason:
            self.skipTest(reason)
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()
        self.mode = "well"
        self.fake = engines.FakeEngine(self, self.answer)
        self.agent = DockerCase.start_agent(self)

    CONFIG, LIMITS, CLIENT, ENV = {}, {}, {}, {}
    health = DockerCase.health
    wait_health = DockerCase.wait_health
    events = DockerCase.events

    def endpoint(self):
        return self.fake.endpoint

    def tearDown(self):
        if not self._outcome_failed() and self.agent.run.process.poll() is None:
            self.mode = "well"
            self.agent.forget_all(self.leftovers)
            self.agent.stop()
        super().tearDown()

    def answer(self, path):
        path = re.sub(r"^/v1\.\d+", "", path).split("?")[0]
        if self.mode == "hang":
            return None
        if self.mode == "lie":
            return engines.reply(b"\x00\xff nonsense" * 10)
        if self.mode == "garbage":
            return b"\x16\x03\x01 this is no HTTP\r\n\r\n"
        if self.mode == "full":
            return engines.reply({"message": "no space left on device"}, 500)
        return self.well(path)

    def well(self, path):
        if path == "/_ping":
            return engines.reply(b"OK", kind="text/plain")
        if path == "/version":
            return engines.reply(self.VERSION)
        if path == "/info":
            return engines.reply({"Runtimes": {"runc": {}}})
        if path == "/containers/json":
            return engines.reply([])
        if path == "/events" or path == "/images/create":
            return None
        return engines.reply({"message": "no such thing"}, 404)


class DockerHealthTest(FakeEngineCase):
    def test_the_driver_says_what_is_wrong_with_the_engine(self):
        self.wait_health(True)
        for mode, text in (("hang", "does not answer"), ("lie", ""), ("garbage", ""), ("full", "no space left")):
            with self.subTest(mode):
                self.mode = mode
                _, why = self.wait_health(False, text, limit=20 * SLACK)
                self.assertTrue(why)
                self.mode = "well"
                self.wait_health(True, limit=15 * SLACK)

    def test_an_engine_that_is_gone_comes_back(self):
        self.wait_health(True)
        self.fake.remove()
        _, why = self.wait_health(False)
        self.assertIn(str(self.fake.socket), why)


class DockerSlowPullTest(FakeEngineCase):
    """A pull that takes for ever can be given up at once."""

    def test_a_stop_ends_the_pull(self):
        self.wait_health(True)
        self.agent.submit(job(group(container("t", "true", image="registry.example/slow:1")), id="slow"))

        def pulling():
            allocs = self.agent.allocs("slow")
            return allocs and any("slow:1" in event for event in self.events(allocs[0]))
        harness.wait_until(pulling, "the pull to begin")
        begin = time.monotonic()
        self.agent.must("DELETE", "/v1/job/slow")
        self.agent.wait_allocs("slow", 1, "complete", desired="stop")
        self.assertLess(time.monotonic() - begin, 8 * SLACK)

    def events(self, alloc, name="t"):
        states = self.agent.get(f"/v1/allocation/{alloc['ID']}")["TaskStates"] or {}
        found = states.get(name, {}).get("Events") or []
        return [json.dumps(event) for event in found]


class DockerSlowCreateTest(FakeEngineCase):
    """A stop does not wait for an engine that is slow to make a container, which is then removed."""

    def setUp(self):
        self.made, self.asked = threading.Event(), set()
        self.addCleanup(self.made.set)
        super().setUp()

    def create_body(self):
        return next((json.loads(body) for path, body in self.fake.bodies.items()
                     if path.endswith("/containers/create")), None)

    def well(self, path):
        self.asked.add(path)
        if path.startswith("/images/"):
            return engines.reply({"Id": "sha256:" + "ab" * 32, "RepoTags": ["drover-test:1"]})
        if path == "/containers/create":
            return None
        if path == "/events":
            self.made.wait()
            labels = self.create_body()["Labels"]
            return engines.reply({"Type": "container", "Action": "create",
                                  "Actor": {"ID": "cd" * 32, "Attributes": labels}})
        return super().well(path)

    def test_a_container_that_comes_after_the_stop_is_removed(self):
        self.wait_health(True)
        self.agent.submit(job(group(container("t", "true")), id="slow"))
        harness.wait_until(self.create_body, "the request for the container")
        self.agent.must("DELETE", "/v1/job/slow")
        self.agent.wait_allocs("slow", 1, "complete", desired="stop")
        removal = "/containers/" + "cd" * 32
        self.assertNotIn(removal, self.asked)
        self.made.set()
        harness.wait_until(lambda: removal in self.asked, "the removal of the container")


if __name__ == "__main__":
    harness.main()
