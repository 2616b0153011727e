#!/usr/bin/env python3
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Devices that plugins offer: which task has which, what the tasks get, and what remains when plugins fail and
agents end. The plugin is tests/fault_drivers/test_devices.c: its device t0 works, t1 is unhealthy, the answer
for t-bad is wrong, there is none for t-never, and t-crash ends the process of the plugin."""
import json
import os
import signal
import unittest

import harness
from agent_harness import Agent
from harness import DroverTest, group, job, plugin_file, task
from test_client import Client
from test_exec import IN_CHROOT

HAS_EXEC = harness.IS_ROOT and not IN_CHROOT
NEEDS_EXEC = "exec needs an agent that is root and not in a chroot"
IN_USE = "devices: no devices match request"
FOREVER = "trap 'exit 0' INT TERM; while :; do sleep 0.1 & wait $!; done"
GROUP = "test/thing/simple"


def testdata(name):
    return str(harness.build_dir() / "host/plugin/testdata" / (name + ".so"))


def example(name):
    return str(harness.build_dir() / "examples" / (name + ".so"))


def with_device(script, id, type="service", driver="raw_exec", count=1, groups=None, **fields):
    """A job with one task that asks for devices."""
    resources = {"CPU": 10, "MemoryMB": 20, "Devices": [{"Name": "thing", "Count": count, **fields}]}
    one = task("t", config={"command": "/bin/sh", "args": ["-c", script]}, driver=driver, Resources=resources)
    return job(group(one, **(groups or {})), id=id, type=type)


def plugin_blocks(**of_devices):
    """The drivers of Drover, and the plugin of devices."""
    blocks = {name: {"file": str(plugin_file(name))} for name in ("raw_exec", "exec", "mock_driver")}
    blocks["raw_exec"]["config"] = {"enabled": True}
    blocks["test"] = {"file": testdata("offers_devices"), "isolation": "process", **of_devices}
    return blocks


class DeviceCase(DroverTest):
    """An agent with a plugin that offers devices."""

    dev = True
    limits = {}

    def plugins(self):
        return plugin_blocks(limits=self.limits)

    def setUp(self):
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()
        self.config = self.sandbox.write_config(
            data_dir=str(self.sandbox.root / "data_dir"), plugins=self.plugins())
        self.start()

    def start(self):
        self.agent = Agent(self.sandbox, config=self.config, dev=self.dev)
        self.address = self.agent.url
        harness.wait_until(self.complete, "the plugins")

    def complete(self):
        """Whether the node knows what its plugins offer."""
        drivers = self.node()["Drivers"]
        return self.health("t0") is not None and all(one["Healthy"] for one in drivers.values())

    def tearDown(self):
        if not self._outcome_failed() and self.agent.run.process.poll() is None:
            self.agent.stop()
        super().tearDown()

    def node(self):
        return self.agent.get(f"/v1/node/{self.agent.get('/v1/nodes')[0]['ID']}")

    def health(self, id):
        """Whether the device is healthy; None if there is none with this id."""
        groups = self.node()["NodeResources"]["Devices"] or []
        return next((one["Healthy"] for of in groups for one in of["Instances"] if one["ID"] == id), None)

    def ids(self, alloc):
        """The ids of the devices of the task t."""
        of_task = self.agent.get(f"/v1/allocation/{alloc['ID']}")["AllocatedResources"]["Tasks"]["t"]
        return [id for one in of_task["Devices"] or [] for id in one["DeviceIDs"]]

    def run_forever(self, id, **fields):
        self.agent.submit(with_device(FOREVER, id, **fields))
        return self.agent.wait_allocs(id, 1, "running")[0]

    def failure(self, spec):
        """Registers a job that has no place, and returns why."""
        evaluation = self.agent.submit(spec)["EvalID"]
        failed = self.agent.get(f"/v1/evaluation/{evaluation}")["FailedTGAllocs"]["g"]
        return failed["ConstraintFiltered"] or failed["DimensionExhausted"]

    def output(self, alloc):
        reply = self.agent.ask("GET", f"/v1/client/fs/logs/{alloc['ID']}", task="t", type="stdout", plain="true")
        self.assertEqual(reply.status, 200, reply.body)
        return reply.body.decode()

    def event(self, alloc, kind):
        events = self.agent.get(f"/v1/allocation/{alloc['ID']}")["TaskStates"]["t"]["Events"]
        return next(one["DisplayMessage"] for one in events if one["Type"] == kind)

    def failure_of(self, id):
        """Runs a job whose task cannot start, and returns the reason."""
        no_restart = {"RestartPolicy": {"Attempts": 0, "Mode": "fail"}}
        self.agent.submit(with_device("true", id, type="batch", groups=no_restart))
        return self.event(self.agent.wait_allocs(id, 1, "failed")[0], "Task hook failed")


class DeviceTest(Client, DeviceCase):
    def test_the_node_shows_its_devices(self):
        node = self.node()
        things, = node["NodeResources"]["Devices"]
        self.assertEqual((things["Vendor"], things["Type"], things["Name"]), tuple(GROUP.split("/")))
        self.assertEqual(things["Attributes"], {"memory": {"Int": 64, "Unit": "MiB"}})
        broken = next(one for one in things["Instances"] if one["ID"] == "t1")
        self.assertEqual((broken["Healthy"], broken["HealthDescription"]), (False, "it is broken"))
        self.assertTrue(self.health("t0"))
        self.assertRegex(self.cli("node", "status", node["ID"]).out, rf"(?m)^{GROUP} +t1 +no +it is broken")
        stats, = self.agent.get("/v1/client/stats")["DeviceStats"]
        self.assertEqual(stats["InstanceStats"]["t0"]["Summary"]["IntNumeratorVal"], 5)

    @unittest.skipUnless(HAS_EXEC, NEEDS_EXEC)
    def test_a_task_gets_its_node_its_mount_and_its_variables(self):
        self.agent.submit(with_device("echo $THING; test -c /dev/thing && echo node; test -d /thing/misc && echo mount",
                                      "exec", type="batch", driver="exec"))
        alloc = self.agent.wait_allocs("exec", 1, "complete")[0]
        self.assertEqual(self.output(alloc), "t0\nnode\nmount\n")
        self.agent.submit(job(group(task("t", config={
            "command": "/bin/sh", "args": ["-c", "ls /dev/thing /thing 2>/dev/null; echo $THING."]}, driver="exec")),
            id="without", type="batch"))
        alloc = self.agent.wait_allocs("without", 1, "complete")[0]
        self.assertEqual(self.output(alloc), ".\n", "a task without devices has none of this")

    def test_a_task_that_cannot_have_the_mount_fails_by_name(self):
        self.assertIn('driver "raw_exec" cannot give its tasks "/dev/zero" as "/dev/thing"', self.failure_of("raw"))

    def test_constraints_choose(self):
        memory = {"LTarget": "${device.attr.memory}", "Operand": ">=", "RTarget": "0.0625 GiB"}
        spec = with_device("true", "fits", driver="mock_driver", Constraints=[memory])
        spec["Job"]["TaskGroups"][0]["Tasks"][0]["Config"] = {"run_for": "60s"}
        self.agent.submit(spec)
        placed = harness.wait_until(lambda: self.agent.allocs("fits"), "a place")
        self.assertEqual(self.ids(placed[0]), ["t0"])
        more = {**memory, "RTarget": "1 GiB"}
        self.assertEqual(self.failure(with_device("true", "more", Constraints=[more])), {"missing devices": 1})
        self.assertEqual(self.failure(with_device("true", "many", count=7)), {"missing devices": 1})
        self.assertEqual(self.failure(with_device("true", "none", Name="gpu")), {"missing devices": 1})

    def test_what_is_wrong_in_a_job_is_refused_by_pointer(self):
        for fields, pointer in (({"Count": 0}, "Count"), ({"Name": "a//b"}, "Name"),
                                ({"Affinities": [{"LTarget": "${device.type}", "Weight": 200}]},
                                 "Affinities/0/Weight"),
                                ({"Constraints": [{"LTarget": "${device.type}", "Operand": "regexp",
                                                   "RTarget": "("}]}, "Constraints/0/RTarget")):
            with self.subTest(pointer):
                reply = self.agent.ask("PUT", "/v1/jobs", with_device("true", "wrong", **fields))
                self.assertGreaterEqual(reply.status, 400)
                self.assertIn(f"/TaskGroups/0/Tasks/0/Resources/Devices/0/{pointer}".encode(), reply.body)


@unittest.skipUnless(HAS_EXEC, NEEDS_EXEC)
class DeviceUseTest(Client, DeviceCase):
    def test_no_two_tasks_have_the_same_device(self):
        first = self.run_forever("first", driver="exec")
        self.assertEqual(self.ids(first), ["t0"])
        self.assertRegex(self.cli("alloc", "status", first["ID"]).out, rf"(?m)^t +{GROUP} +t0$")
        # Five more are healthy.
        self.assertEqual(self.failure(with_device("true", "all", count=6)), {IN_USE: 1})
        self.agent.must("DELETE", "/v1/job/first")
        self.agent.wait_allocs("first", 1, "complete", desired="stop")
        placed = harness.wait_until(lambda: self.agent.allocs("all"), "the devices that are free")
        self.assertEqual(len(self.ids(placed[0])), 6)

    def test_the_statistics_of_an_allocation_have_its_devices(self):
        alloc = self.run_forever("first", driver="exec", count=2)  # t0, and t-bad, which is not measured
        self.assertEqual(self.ids(alloc), ["t0", "t-bad"])
        path = f"/v1/client/allocation/{alloc['ID']}/stats"
        stats = harness.wait_until(lambda: (lambda reply: reply if "t" in reply["Tasks"] else None)(self.agent.get(path)),
                                   "a sample of the task")
        of_task, = stats["Tasks"]["t"]["ResourceUsage"]["DeviceStats"]
        self.assertEqual((of_task["Vendor"], of_task["Type"], of_task["Name"]), tuple(GROUP.split("/")))
        self.assertEqual(set(of_task["InstanceStats"]), {"t0"})
        one = of_task["InstanceStats"]["t0"]
        self.assertEqual(one["Stats"]["Attributes"]["used"],
                         {"IntNumeratorVal": 5, "Unit": "MiB", "Desc": "in use"})
        self.assertEqual(one["Summary"]["IntNumeratorVal"], 5)
        self.assertEqual(stats["ResourceUsage"]["DeviceStats"], [of_task])
        self.assertEqual(self.agent.get(path, task="t")["ResourceUsage"]["DeviceStats"], [of_task])
        shown = self.cli("alloc", "status", "-stats", alloc["ID"]).out
        self.assertRegex(shown, rf"(?m)^t +{GROUP} +t0 +used +5 MiB +in use")
        self.assertNotIn("in use", self.cli("alloc", "status", alloc["ID"]).out)
        # An allocation without devices has none.
        self.agent.submit(job(group(task("t", config={"command": "/bin/sh", "args": ["-c", FOREVER]},
                                         driver="exec")), id="without"))
        without = self.agent.wait_allocs("without", 1, "running")[0]
        usage = self.agent.get(f"/v1/client/allocation/{without['ID']}/stats")
        self.assertIsNone(usage["ResourceUsage"]["DeviceStats"])

    def test_a_wrong_answer_of_a_plugin_fails_the_task_by_name(self):
        self.run_forever("first", driver="exec")
        said = self.failure_of("second")
        self.assertIn(f"plugin test, devices {GROUP}: ", said)
        self.assertIn("is no absolute path", said)


@unittest.skipUnless(HAS_EXEC, NEEDS_EXEC)
class DeviceFaultTest(DeviceCase):
    """The plugin hangs, and then it crashes."""

    limits = {"recover": "1s"}

    def test_a_plugin_that_hangs_and_crashes_costs_only_its_own(self):
        keeper = self.run_forever("first", driver="exec", count=2)  # t0, and t-bad
        self.assertEqual(self.ids(keeper), ["t0", "t-bad"])
        # The next one is t-never. The process of a plugin that is late is ended.
        self.assertIn("did not answer to reserve", self.failure_of("late"))
        harness.wait_until(lambda: self.health("t0"), "healthy devices")
        hung = self.agent.allocs("late")[0]
        self.assertEqual(self.ids(hung), ["t-never"])
        self.agent.submit(with_device(FOREVER, "rest", driver="exec", count=3))  # t-never is the first
        harness.wait_until(lambda: [one for one in self.agent.allocs("rest") if self.ids(one)], "a place")
        self.assertEqual([one["ClientStatus"] for one in self.agent.allocs("first")], ["running"])
        self.assertEqual(self.agent.get("/v1/agent/health")["client"]["ok"], True)


@unittest.skipUnless(HAS_EXEC, NEEDS_EXEC)
class DeviceTakeoverTest(DeviceCase):
    """Tasks go on without the agent, and the next agent knows their devices."""

    dev = False

    def plugins(self):
        # A driver that writes what its start and its recover got.
        printing = {"file": testdata("prints_config"), "isolation": "process"}
        return {**super().plugins(), "printing": printing}

    def test_a_task_goes_on_without_its_plugin(self):
        alloc = self.run_forever("first", driver="exec")
        self.agent.run.process.send_signal(signal.SIGKILL)
        self.agent.run.process.wait()
        plugins = self.plugins()
        del plugins["test"]
        config = self.sandbox.write_config("without.json", data_dir=str(self.sandbox.root / "data_dir"), plugins=plugins)
        self.agent = Agent(self.sandbox, config=config, dev=False)
        shown = self.agent.wait_allocs("first", 1, "running")[0]
        self.assertEqual((shown["ID"], shown["TaskStates"]["t"]["Restarts"]), (alloc["ID"], 0))
        self.assertEqual(self.ids(shown), ["t0"])
        stats = self.agent.get(f"/v1/client/allocation/{alloc['ID']}/stats")
        self.assertIsNone(stats["ResourceUsage"]["DeviceStats"])
        self.agent.forget_all(self.leftovers)

    def test_recover_gets_what_start_got(self):
        spec = with_device("", "first", driver="printing")
        spec["Job"]["TaskGroups"][0]["Tasks"][0]["Config"] = {}
        spec["Job"]["TaskGroups"][0]["Networks"] = [{"Mode": "none"}]
        self.agent.submit(spec)
        alloc = self.agent.wait_allocs("first", 1, "running")[0]

        def printed():
            reply = self.agent.ask("GET", f"/v1/client/fs/cat/{alloc['ID']}", path="alloc/printed")
            return [line.split(" | ", 1) for line in reply.body.decode().splitlines()]

        (verb, got), = printed()
        self.assertEqual(verb, "start")
        self.assertIn("mounts /thing /usr/share 1", got)
        self.assertIn("devices /dev/thing /dev/zero rw | device_env THING t0 |", got)
        self.assertRegex(got, r"network none /\S+$")
        for times in (1, 2):
            self.agent.run.process.send_signal(signal.SIGKILL)
            self.agent.run.process.wait()
            self.start()
            self.agent.wait_allocs("first", 1, "running")
            lines = harness.wait_until(lambda: (lambda all: all if len(all) > times else None)(printed()), "recover")
            self.assertEqual(lines[-1], ["recover", got])
        self.assertEqual(len(lines), 3)
        self.agent.forget_all(self.leftovers)

    def test_the_devices_of_a_task_outlive_the_agent(self):
        alloc = self.run_forever("first", driver="exec")
        for end in (signal.SIGKILL, signal.SIGTERM):
            self.agent.run.process.send_signal(end)
            self.agent.run.process.wait()
            self.start()
            shown = self.agent.wait_allocs("first", 1, "running")[0]
            self.assertEqual(shown["ID"], alloc["ID"])
            self.assertEqual(self.ids(shown), ["t0"])
            harness.wait_until(lambda: self.health("t0"), "the devices")
            self.assertEqual(self.failure(with_device("true", "second", count=6)), {IN_USE: 1})
            self.agent.must("DELETE", "/v1/job/second", purge="true")
        # A restart reserves again.
        self.agent.must("PUT", f"/v1/client/allocation/{alloc['ID']}/restart", {"TaskName": "t"})
        self.agent.wait_tasks(alloc["ID"], lambda tasks: tasks["t"]["Restarts"] == 1 and
                              tasks["t"]["State"] == "running", "the restart")
        self.agent.forget_all(self.leftovers)


@unittest.skipUnless(HAS_EXEC, NEEDS_EXEC)
class ForegroundDeviceTest(DroverTest):
    def setUp(self):
        super().setUp()
        self.sandbox.write_config(plugins=plugin_blocks())

    def test_a_run_in_the_foreground_has_devices(self):
        run = self.run_job(with_device("echo $THING; test -c /dev/thing && echo node", "run", type="batch",
                                       driver="exec"))
        self.assertEqual(run.logs("t"), ["t0", "node"])

    def test_and_fails_without_them(self):
        run = self.sandbox.run(with_device("true", "run", type="batch", driver="exec", count=7))
        self.assertNotEqual(run.wait(), 0)
        self.assertIn("more devices than this machine has", run.err + "".join(map(str, run.lines)))


class ExamplePluginTest(Client, DeviceCase):
    """The plugins of examples/devices, which run no tasks."""

    def plugins(self):
        blocks = super().plugins()
        del blocks["test"]
        blocks["machine"] = {"file": example("machine"), "config": {"kvm": 2, "tun": 0, "loop": 4}}
        blocks["machine_c"] = {"file": example("machine_c")}
        return blocks

    def groups(self):
        return {f"{one['Vendor']}/{one['Type']}": one for one in self.node()["NodeResources"]["Devices"] or []}

    def complete(self):
        there = {"linux/kvm": os.path.exists("/dev/kvm"), "linux/tun": os.path.exists("/dev/net/tun"),
                 "linux/loop": any(os.path.exists(f"/dev/loop{i}") for i in range(4))}
        return set(self.groups()) == {name for name, is_there in there.items() if is_there}

    def test_they_offer_what_the_machine_has(self):
        groups = self.groups()
        if "linux/kvm" in groups:  # of the first of the two plugins
            self.assertEqual([one["ID"] for one in groups["linux/kvm"]["Instances"]], ["kvm0", "kvm1"])
        self.assertNotIn("machine", self.node()["Drivers"])

    def test_they_are_no_drivers(self):
        reply = self.agent.ask("PUT", "/v1/jobs", job(group(task("t", driver="machine", config={})), id="x"))
        self.assertGreaterEqual(reply.status, 400)
        self.assertIn(b"offers devices and runs no tasks", reply.body)

    def test_the_kit_tests_them(self):
        for name in ("machine", "machine_c"):
            done = self.sandbox.command("plugin", "test", "--json", example(name))
            self.assertEqual(done.code, 0, done)
            lines = [json.loads(line) for line in done.out.splitlines()]
            cases = [one["Name"] for one in lines if one["Type"] == "case"]
            self.assertIn("devices-list", cases)
            self.assertNotIn("shutdown", cases)


if __name__ == "__main__":
    harness.main()
