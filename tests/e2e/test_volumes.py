#!/usr/bin/env python3
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Host volumes of the configuration and of clients, who may use them, and sticky disks."""
import io
import json
import os
import pathlib
import subprocess
import tarfile
import unittest

import harness
from agent_harness import Agent, AgentTest, agent_config
from harness import DroverTest, group, job, plugin_file, task
from quota_disk import QuotaDisk, limit_of, project_of
from test_access import ACL
from test_client import Client
from test_exec import IN_CHROOT
from test_hcl import HAS_HCL

HAS_EXEC = harness.IS_ROOT and not IN_CHROOT
NEEDS_EXEC = "exec needs an agent that is root and not in a chroot"
NO_VOLUME = "missing compatible host volumes"
FOREVER = "trap 'exit 0' INT TERM; while :; do sleep 0.1 & wait $!; done"
SINGLE, MULTI = "single-node-single-writer", "single-node-multi-writer"

# Makes a directory, and does what the file "behave" says.
PLUGIN = """#!/bin/sh
echo "$DHV_OPERATION" >> "%(root)s/calls"
[ -e "%(root)s/behave" ] && . "%(root)s/behave"
case "$1" in
fingerprint) echo '{"version": "1.2.3"}' ;;
create) mkdir -p "%(root)s/made" && echo "{\\"path\\": \\"%(root)s/made\\", \\"bytes\\": 7}" ;;
delete) rmdir "$DHV_CREATED_PATH" ;;
esac
"""


def volume(name, *modes, **fields):
    return {"Volume": {"Name": name, "RequestedCapabilities": [
        {"AccessMode": mode, "AttachmentMode": "file-system"} for mode in modes or (MULTI,)],
        "Parameters": {"mode": "0777"}, **fields}}


def with_volume(*tasks, id="vol", type="service", source="data", mount=None, groups=None, **request):
    """A job whose tasks mount the volume SOURCE at /data."""
    for one in tasks:
        one["VolumeMounts"] = [{"Volume": "v", "Destination": "/data", **(mount or {})}]
    return job(group(*tasks, Volumes={"v": {"Type": "host", "Source": source, **request}}, **(groups or {})),
               id=id, type=type)


def shell(script, driver="exec", **fields):
    return task("t", config={"command": "/bin/sh", "args": ["-c", script]}, driver=driver, **fields)


class VolumeCase(DroverTest):
    """An agent with exec, and with volumes of its configuration."""

    acl = None
    options = {"dev": True}

    def setUp(self):
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()
        self.root = pathlib.Path(os.path.realpath(self.sandbox.root))
        for name in ("data", "certs", "plugins"):
            (self.root / name).mkdir()
        (self.root / "data").chmod(0o777)
        (self.root / "certs/cert").write_text("a cert\n")
        self.start()

    def volumes(self):
        """The blocks host_volume of the configuration."""
        return {"data": {"path": str(self.root / "data")},
                "certs": {"path": str(self.root / "certs"), "read_only": True}}

    def start(self):
        plugins = {name: {"file": str(plugin_file(name))} for name in ("raw_exec", "mock_driver", "exec")}
        plugins["raw_exec"]["config"] = {"enabled": True}
        fields = {"acl": self.acl} if self.acl else {}
        config = self.sandbox.write_config(
            data_dir=str(self.sandbox.root / "data_dir"), plugins=plugins, client={
                "host_volume": self.volumes(), "host_volume_plugin_dir": str(self.root / "plugins")}, **fields)
        self.agent = Agent(self.sandbox, config=config, **self.options)
        self.address = self.agent.url

    def tearDown(self):
        if not self._outcome_failed() and self.agent.run.process.poll() is None:
            self.agent.stop()
        super().tearDown()

    def write_plugin(self):
        path = self.root / "plugins/own"
        path.write_text(PLUGIN % {"root": self.root})
        path.chmod(0o755)

    def create(self, name, *modes, **fields):
        return self.agent.must("PUT", "/v1/volume/host/create", volume(name, *modes, **fields))["Volume"]

    def fails_to_create(self, name, kind="create", **fields):
        reply = self.agent.ask("PUT", f"/v1/volume/host/{kind}", volume(name, **fields))
        self.assertGreaterEqual(reply.status, 400, reply.body)
        return reply.body.decode()

    def delete(self, made):
        return self.agent.ask("DELETE", f"/v1/volume/host/{made['ID']}/delete")

    def output(self, alloc, kind="stdout"):
        reply = self.agent.ask("GET", f"/v1/client/fs/logs/{alloc['ID']}", task="t", type=kind, plain="true")
        self.assertEqual(reply.status, 200, reply.body)
        return reply.body.decode()

    def complete(self, spec):
        """Runs a batch job to its end, and returns its output."""
        spec["Job"]["Type"] = "batch"
        self.agent.submit(spec)
        return self.output(self.agent.wait_allocs(spec["Job"]["ID"], 1, "complete")[0])

    def blocked(self, spec):
        """Registers a job that has no place, and returns why."""
        evaluation = self.agent.submit(spec)["EvalID"]
        failed = self.agent.get(f"/v1/evaluation/{evaluation}")["FailedTGAllocs"]
        return failed["g"]["ConstraintFiltered"]

    def event(self, alloc, kind):
        events = self.agent.get(f"/v1/allocation/{alloc['ID']}")["TaskStates"]["t"]["Events"]
        return next(one["DisplayMessage"] for one in events if one["Type"] == kind)


class ConfiguredVolumeTest(VolumeCase):
    @unittest.skipUnless(HAS_EXEC, NEEDS_EXEC)
    def test_tasks_read_and_write(self):
        out = self.complete(with_volume(shell("echo hello > /data/file; cat /data/file"), id="write"))
        self.assertEqual(out, "hello\n")
        self.assertEqual((self.root / "data/file").read_text(), "hello\n")
        out = self.complete(with_volume(
            shell("cat /data/file; echo x 2>/dev/null > /data/file || echo read only"), id="read",
            mount={"ReadOnly": True}))
        self.assertEqual(out, "hello\nread only\n")
        self.assertEqual((self.root / "data/file").read_text(), "hello\n")
        out = self.complete(with_volume(
            shell("cat /data/cert; echo x 2>/dev/null > /data/cert || echo read only"), id="certs",
            source="certs", ReadOnly=True))
        self.assertEqual(out, "a cert\nread only\n")

    def test_a_job_without_its_volume_waits_for_it(self):
        self.assertEqual(self.blocked(with_volume(shell("true"), id="none", source="none")), {NO_VOLUME: 1})
        self.assertEqual(self.blocked(with_volume(shell("true"), id="certs", source="certs")), {NO_VOLUME: 1})

    def test_raw_exec_has_no_mounts_and_the_job_says_so(self):
        reply = self.agent.ask("PUT", "/v1/jobs", with_volume(shell("true", driver="raw_exec")))
        self.assertEqual(reply.status, 500)
        self.assertIn(b"/TaskGroups/0/Tasks/0/VolumeMounts: driver \"raw_exec\" cannot mount volumes", reply.body)

    def test_a_volume_without_a_mount_needs_no_driver_that_mounts(self):
        spec = job(group(shell("echo done", driver="raw_exec"), Volumes={"v": {"Type": "host", "Source": "data"}}),
                   id="raw")
        self.assertEqual(self.complete(spec), "done\n")

    @unittest.skipUnless(HAS_EXEC, NEEDS_EXEC)
    def test_a_source_that_is_missing_fails_the_task_by_name(self):
        (self.root / "data").rmdir()
        self.agent.submit(with_volume(shell("true"), type="batch"))
        alloc = self.agent.wait_allocs("vol", 1, "failed")[0]
        self.assertIn('the volume "data": ', self.event(alloc, "Task hook failed"))
        self.assertIn("No such file", self.event(alloc, "Task hook failed"))

    @unittest.skipUnless(HAS_EXEC, NEEDS_EXEC)
    def test_a_mount_has_the_propagation_that_its_job_wants(self):
        for mode in ("private", "host-to-task"):
            out = self.complete(with_volume(shell("grep ' /data ' /proc/self/mountinfo"), id=mode,
                                            mount={"PropagationMode": mode}))
            self.assertEqual(len(out.splitlines()), 1, out)
            self.assertNotIn(" shared:", out)

    @unittest.skipUnless(HAS_EXEC, NEEDS_EXEC)
    def test_a_mount_of_the_host_that_comes_later_is_seen_if_the_job_wants(self):
        data = self.root / "data"
        subprocess.run(["mount", "--bind", data, data], check=True)
        self.sandbox.own_mounts.append(str(data))
        subprocess.run(["mount", "--make-shared", data], check=True)
        (data / "below").mkdir()
        script = ("echo ready; until [ -e /data/go ]; do sleep 0.05; done; "
                  "[ -e /data/below/file ] && echo seen || echo not seen")
        for mode, seen in (("private", "not seen"), ("host-to-task", "seen")):
            with self.subTest(mode):
                self.agent.submit(with_volume(shell(script), id=mode, type="batch", mount={"PropagationMode": mode}))
                alloc = self.agent.wait_allocs(mode, 1, "running")[0]
                harness.wait_until(lambda: self.output(alloc) == "ready\n", "the start")
                subprocess.run(["mount", "-t", "tmpfs", "tmpfs", data / "below"], check=True)
                (data / "below/file").touch()
                (data / "go").touch()
                self.agent.wait_allocs(mode, 1, "complete")
                self.assertEqual(self.output(alloc), f"ready\n{seen}\n")
                subprocess.run(["umount", data / "below"], check=True)
                (data / "go").unlink()

    def test_the_node_shows_its_volumes(self):
        node = self.agent.get("/v1/nodes")[0]["ID"]
        volumes = self.agent.get(f"/v1/node/{node}")["HostVolumes"]
        self.assertEqual(sorted(volumes), ["certs", "data"])
        self.assertEqual(volumes["certs"]["ReadOnly"], True)


@unittest.skipUnless(HAS_EXEC, NEEDS_EXEC)
class HostileVolumeTest(VolumeCase):
    """A task may write to the volume data. The volume inner is below it."""

    def volumes(self):
        return {**super().volumes(), "inner": {"path": str(self.root / "data/a/inner")}}

    def make_inner(self):
        (self.root / "data/a/inner").mkdir(parents=True)
        for path in ("data", "data/a", "data/a/inner"):
            (self.root / path).chmod(0o777)

    def test_a_link_of_a_task_leads_no_other_volume_out(self):
        self.make_inner()
        self.complete(with_volume(shell("rm -r /data/a/inner && ln -s /etc /data/a/inner"), id="swap"))
        self.assertEqual(os.readlink(self.root / "data/a/inner"), "/etc")
        self.agent.submit(with_volume(shell("ls /data"), id="victim", type="batch", source="inner"))
        alloc = self.agent.wait_allocs("victim", 1, "failed")[0]
        self.assertIn("is a symbolic link, which is not followed", self.event(alloc, "Task hook failed"))

    def test_a_directory_above_is_no_better(self):
        self.make_inner()
        self.complete(with_volume(shell("mv /data/a /data/b && ln -s / /data/a"), id="swap"))
        self.agent.submit(with_volume(shell("ls /data"), id="victim", type="batch", source="inner"))
        alloc = self.agent.wait_allocs("victim", 1, "failed")[0]
        self.assertIn("not followed", self.event(alloc, "Task hook failed"))

    def test_no_destination_leaves_the_root_of_the_task(self):
        for destination in ("/../../etc", "../etc", "etc", "", "/a\nb", "/data/..", "/"):
            with self.subTest(destination):
                reply = self.agent.ask("PUT", "/v1/jobs", with_volume(
                    shell("true"), mount={"Destination": destination}))
                self.assertEqual(reply.status, 500, reply.body)
                self.assertIn(b"/VolumeMounts/0/Destination: ", reply.body)
        before = pathlib.Path("/etc/passwd").read_bytes()
        for destination in ("/etc", "/proc/self", "/dev/pts", "/local", "/secrets"):
            with self.subTest(destination):
                name = "to" + destination.replace("/", "-")
                self.agent.submit(with_volume(shell("echo x > /etc/passwd; true"), id=name, type="batch",
                                              mount={"Destination": destination}))
                harness.wait_until(lambda: [one for one in self.agent.allocs(name) if one["ClientStatus"] in (
                    "complete", "failed")], destination)
        self.assertEqual(pathlib.Path("/etc/passwd").read_bytes(), before)

    def test_names_of_volumes_are_no_paths(self):
        for source in ("../data", "/etc", "data/../../etc", "da\x00ta", "a" * 200):
            with self.subTest(source):
                reply = self.agent.ask("PUT", "/v1/jobs", with_volume(shell("true"), id="x", source=source))
                if reply.status == 200:
                    self.assertEqual(self.agent.allocs("x"), [])
        for name in ("../x", "/x", "", "a b", "x" * 129, "a\nb"):
            self.assertIn("/Volume/Name: ", self.fails_to_create(name))
        for id in ("../../x", "x", "0" * 36):
            self.assertIn("/Volume/ID: ", self.fails_to_create("x", ID=id))
        for plugin in ("../../bin/sh", "/bin/sh", ".x"):
            self.assertIn("/Volume/PluginID: ", self.fails_to_create("x", PluginID=plugin))


class ClientVolumeTest(Client, VolumeCase):
    @unittest.skipUnless(HAS_EXEC, NEEDS_EXEC)
    def test_a_volume_from_its_begin_to_its_end(self):
        self.agent.submit(with_volume(shell("echo kept > /data/file; " + FOREVER), source="made"))
        made = self.create("made")
        self.assertEqual((made["State"], made["PluginID"]), ("ready", "mkdir"))
        alloc = self.agent.wait_allocs("vol", 1, "running")[0]
        harness.wait_until((pathlib.Path(made["HostPath"]) / "file").exists, "the file")
        refused = self.delete(made)
        self.assertGreaterEqual(refused.status, 400)
        self.assertIn(alloc["ID"].encode(), refused.body)
        shown = self.agent.get(f"/v1/volume/host/{made['ID']}")
        self.assertEqual([one["ID"] for one in shown["Allocations"]], [alloc["ID"]])
        self.agent.must("DELETE", "/v1/job/vol")
        self.agent.wait_allocs("vol", 1, "complete", desired="stop")
        self.assertEqual(self.delete(made).status, 200)
        self.assertFalse(os.path.exists(made["HostPath"]))
        self.assertEqual(self.agent.get("/v1/volumes", type="host"), [])

    def test_the_commands(self):
        specification = self.sandbox.write("v.json", {"name": "data", "type": "host", "capability": {
            "access_mode": MULTI, "attachment_mode": "file-system"}, "parameters": {"mode": "0750"}})
        self.assertEqual(self.cli("volume", "status").out, "No host volumes\n")
        line = self.cli("volume", "create", specification).out
        self.assertRegex(line, r"^Created host volume data with ID [0-9a-f-]{36}\n$")
        id = line.split()[-1]
        self.assertIn("data", self.cli("volume", "status", "-type", "host").out)
        shown = self.cli("volume", "status", id[:8]).out
        self.assertRegex(shown, rf"(?m)^ID +.*{id}")
        self.assertIn(MULTI, shown)
        self.assertEqual(self.json("volume", "status", id)["Parameters"], {"mode": "0750"})
        self.assertIn("has the name \"data\" already", self.fails("volume", "create", specification))
        self.assertEqual(self.cli("volume", "delete", id[:8]).out, f"Deleted host volume {id}\n")
        self.assertIn("no host volume has an id", self.fails("volume", "delete", id))
        path = self.sandbox.write("r.json", {"name": "reg", "host_path": str(self.root / "certs"),
                                             "capability": [{"access_mode": MULTI}]})
        self.assertIn("Registered host volume reg", self.cli("volume", "register", path).out)
        self.assertIn("no key of a host volume", self.fails("volume", "create", self.sandbox.write(
            "w.json", {"nam": "x"})))

    @unittest.skipUnless(HAS_HCL, "this build has no drover-hcl")
    def test_the_example_of_init_makes_a_volume(self):
        for options, name in (((), "volume.host.hcl"), (("--json",), "volume.host.json")):
            path = self.sandbox.root / name
            self.assertIn("drover volume create", self.cli("volume", "init", *options, path).out)
            made = json.loads(self.cli("volume", "create", "-json", path).out)
            self.assertEqual(made["Name"], "data")
            self.assertEqual(os.stat(made["HostPath"]).st_mode & 0o7777, 0o755)
            self.cli("volume", "delete", made["ID"])

    def test_plugins_are_called_as_documented(self):
        self.write_plugin()
        made = self.create("own", PluginID="own")
        self.assertEqual((made["HostPath"], made["CapacityBytes"]), (str(self.root / "made"), 7))
        self.assertEqual(self.delete(made).status, 200)
        self.assertFalse((self.root / "made").exists())
        calls = [one for one in (self.root / "calls").read_text().split() if one != "fingerprint"]
        self.assertEqual(calls, ["create", "delete"])

    def test_a_plugin_that_fails_or_lies_leaves_no_volume(self):
        self.write_plugin()
        for behave, said in (("echo no space >&2; exit 3", "no space"), ("echo garbage; exit 0", "must answer create"),
                             ("yes; exit 0", "more than 65536 bytes"), ("kill -9 $$", "the signal 9"),
                             ('echo "{\\"path\\": \\"/dev/null\\"}"; exit 0', "cannot mount"),
                             ('echo "{\\"path\\": \\"../etc\\"}"; exit 0', "must answer create")):
            with self.subTest(behave):
                (self.root / "behave").write_text(behave)
                self.assertIn(said, self.fails_to_create("own", PluginID="own"))
                self.assertEqual(self.agent.get("/v1/volumes", type="host"), [])
        (self.root / "plugins/own").chmod(0o777)
        self.assertIn("others could replace the plugin", self.fails_to_create("own", PluginID="own"))

    def test_an_agent_ends_while_a_plugin_hangs(self):
        self.write_plugin()
        (self.root / "behave").write_text("[ $1 = fingerprint ] || exec sleep 1000")
        waiting = harness.Run(self.sandbox, ["volume", "create", "--address", self.agent.url, self.sandbox.write(
            "v.json", {"name": "x", "plugin_id": "own", "capability": {"access_mode": MULTI}})], json_lines=False)
        self.sandbox.runs.append(waiting)
        harness.wait_until(lambda: (self.root / "calls").exists() and
                           "create" in (self.root / "calls").read_text(), "the plugin")
        self.agent.stop()
        self.assertNotEqual(waiting.wait(), 0)

    def test_claims_of_sticky_groups(self):
        made = self.create("made")
        spec = job(group(shell(FOREVER, driver="raw_exec"), Volumes={
            "v": {"Type": "host", "Source": "made", "Sticky": True}}), id="sticky", type="service")
        self.agent.submit(spec)
        self.agent.wait_allocs("sticky", 1, "running")
        claim = self.agent.get("/v1/volumes/claims", job_id="sticky")[0]
        self.assertEqual((claim["VolumeID"], claim["TaskGroupName"]), (made["ID"], "g"))
        self.agent.must("DELETE", "/v1/job/sticky")
        self.agent.wait_allocs("sticky", 1, "complete", desired="stop")
        self.assertIn(b"is claimed by the group", self.delete(made).body)
        listed = self.cli("volume", "claim", "list", "--job", "sticky").out
        for text in (claim["ID"], "sticky", "made"):
            self.assertIn(text, listed)
        for options in (("--job", "other"), ("--group", "other"), ("--volume-name", "other")):
            self.assertEqual(self.cli("volume", "claim", "list", *options).out, "No claims on volumes\n")
        self.assertIn("claim not found", self.fails("volume", "claim", "delete", made["ID"]))
        self.assertEqual(self.cli("volume", "claim", "delete", claim["ID"]).out, f"Deleted the claim {claim['ID']}\n")
        self.assertEqual(self.json("volume", "claim", "list"), [])
        self.assertEqual(self.delete(made).status, 200)

    @unittest.skipUnless(HAS_EXEC, NEEDS_EXEC)
    def test_each_allocation_has_its_own_volume(self):
        made = [self.create(f"made[{index}]") for index in (0, 1)]
        self.agent.submit(with_volume(shell('echo "$NOMAD_ALLOC_INDEX" > /data/index'), type="batch", source="made",
                                      groups={"Count": 3}, PerAlloc=True))
        self.agent.wait_allocs("vol", 2, "complete")
        self.assertEqual([(pathlib.Path(one["HostPath"]) / "index").read_text() for one in made], ["0\n", "1\n"])
        self.create("made[2]")
        self.agent.wait_allocs("vol", 3, "complete")

    def test_one_writer_at_a_time(self):
        self.create("made", SINGLE)

        def writer(id):
            return job(group(shell(FOREVER, driver="raw_exec"), Volumes={
                "v": {"Type": "host", "Source": "made", "AccessMode": SINGLE}}), id=id, type="service")
        self.agent.submit(writer("first"))
        self.agent.wait_allocs("first", 1, "running")
        self.assertEqual(self.blocked(writer("second")), {NO_VOLUME: 1})
        self.agent.must("DELETE", "/v1/job/first")
        self.agent.wait_allocs("second", 1, "running")

    def test_the_node_has_the_plugins_as_attributes(self):
        node = self.agent.get("/v1/nodes")[0]["ID"]
        attributes = self.agent.get(f"/v1/node/{node}")["Attributes"]
        self.assertIn("plugins.host_volume.mkdir.version", attributes)


class VolumeAccessTest(Client, VolumeCase):
    acl = ACL

    def setUp(self):
        super().setUp()
        self.secret = self.json("acl", "bootstrap")["SecretID"]

    def token(self, name, rules):
        path = self.sandbox.write(f"{name}.json", rules)
        self.cli("acl", "policy", "apply", name, path, NOMAD_TOKEN=self.secret)
        return self.json("acl", "token", "create", "-policy", name, NOMAD_TOKEN=self.secret)["SecretID"]

    def ask(self, token, method, path, body=None, **query):
        return self.agent.ask(method, path, body, headers={"X-Nomad-Token": token}, **query)

    def test_policies_say_who_makes_and_sees_volumes(self):
        writer = self.token("writer", {"namespace": {"default": {"capabilities": ["host-volume-create"]}}})
        reader = self.token("reader", {"namespace": {"default": {"policy": "read"}}})
        nobody = self.token("nobody", {"namespace": {"team": {"policy": "write"}}})
        for token, status in ((reader, 403), (nobody, 403), (writer, 200)):
            reply = self.ask(token, "PUT", "/v1/volume/host/create", volume("made"))
            self.assertEqual(reply.status, status, reply.body)
        made = json.loads(reply.body)["Volume"]
        path = f"/v1/volume/host/{made['ID']}"
        self.assertEqual([self.ask(token, "GET", path).status for token in (reader, nobody)], [200, 404])
        self.assertEqual(len(json.loads(self.ask(reader, "GET", "/v1/volumes", type="host").body)), 1)
        self.assertEqual(self.ask(writer, "PUT", "/v1/volume/host/register", volume(
            "x", HostPath=str(self.root / "certs"))).status, 403)
        self.assertEqual(self.ask(writer, "DELETE", path + "/delete").status, 404)
        self.assertEqual(self.ask(self.secret, "DELETE", path + "/delete").status, 200)

    @unittest.skipUnless(HAS_EXEC, NEEDS_EXEC)
    def test_policies_say_who_mounts_volumes(self):
        rules = {"namespace": {"default": {"policy": "write"}}}
        none = self.token("none", rules)
        reads = self.token("reads", {**rules, "host_volume": {"data": {"policy": "read"}}})
        writes = self.token("writes", {**rules, "host_volume": {"d*": {"policy": "write"}}})
        spec = with_volume(shell("true"))
        read_only = with_volume(shell("true"), mount={"ReadOnly": True})
        for token, allowed in ((none, (403, 403)), (reads, (403, 200)), (writes, (200, 200))):
            self.assertEqual(tuple(self.ask(token, "PUT", "/v1/job/vol/plan", one).status
                                   for one in (spec, read_only)), allowed)


class KeptVolumeTest(VolumeCase):
    """An agent that is killed, and the next one."""

    options = {"dev": False}

    def tearDown(self):
        if not self._outcome_failed():
            self.agent.forget_all(harness.Leftovers(self.sandbox))
        super().tearDown()

    def restart(self):
        self.agent.run.process.kill()
        self.agent.run.process.wait()
        self.start()

    def test_the_next_agent_has_the_volumes_and_makes_them_again(self):
        self.write_plugin()
        made = self.create("own", PluginID="own")
        kept = self.create("kept")
        os.rmdir(made["HostPath"])  # as after a reboot
        self.restart()
        harness.wait_until((self.root / "made").exists, "the volume")
        for one in (made, kept):
            shown = self.agent.get(f"/v1/volume/host/{one['ID']}")
            self.assertEqual((shown["State"], shown["HostPath"]), ("ready", one["HostPath"]))
        node = self.agent.get("/v1/node/" + self.agent.get("/v1/nodes")[0]["ID"])
        self.assertEqual({name: one["ID"] for name, one in node["HostVolumes"].items()},
                         {"data": "", "certs": "", "own": made["ID"], "kept": kept["ID"]})
        (self.root / "behave").write_text("exit 1")
        self.restart()
        self.agent.get_until(f"/v1/volume/host/{made['ID']}",
                             lambda reply: json.loads(reply.body)["State"] == "unavailable")
        (self.root / "behave").unlink()
        self.restart()
        self.agent.get_until(f"/v1/volume/host/{made['ID']}",
                             lambda reply: json.loads(reply.body)["State"] == "ready")
        for one in (made, kept):
            self.assertEqual(self.delete(one).status, 200)

    @unittest.skipUnless(HAS_EXEC, NEEDS_EXEC)
    def test_a_task_keeps_its_volume_and_a_new_start_finds_it(self):
        self.create("made")
        self.agent.submit(with_volume(shell("echo start >> /data/starts; " + FOREVER), source="made", groups={
            "RestartPolicy": {"Attempts": 3, "Delay": 50_000_000, "Interval": 60_000_000_000, "Mode": "fail"}}))
        alloc = self.agent.wait_allocs("vol", 1, "running")[0]
        made = self.agent.get("/v1/volumes", type="host")[0]
        starts = pathlib.Path(self.agent.get(f"/v1/volume/host/{made['ID']}")["HostPath"]) / "starts"
        harness.wait_until(starts.exists, "the first start")
        self.restart()
        self.agent.wait_allocs("vol", 1, "running")
        self.agent.must("PUT", f"/v1/client/allocation/{alloc['ID']}/restart", {})
        harness.wait_until(lambda: starts.read_text() == "start\nstart\n", "the second start")


class StickyDiskTest(AgentTest):
    def spec(self, script, sticky=True, disk=None):
        return job(group(task("t", script), EphemeralDisk={"SizeMB": 50, "Sticky": sticky, **(disk or {})}),
                   id="disk", type="service")

    WRITE = 'echo data >> "$NOMAD_ALLOC_DIR/data/file"; echo own >> "$NOMAD_TASK_DIR/file"; ' + FOREVER

    def files(self, alloc):
        root = self.sandbox.alloc_dirs[0] / alloc["ID"]
        return [path.read_text() if path.exists() else None
                for path in (root / "alloc/data/file", root / "t/local/file")]

    def replaced(self, sticky):
        """Runs a job, and then another version of it. Returns the files of both allocations."""
        self.agent.submit(self.spec(self.WRITE, sticky))
        old = self.agent.wait_allocs("disk", 1, "running")[0]
        harness.wait_until(lambda: self.files(old) == ["data\n", "own\n"], "the files")
        self.agent.submit(self.spec(self.WRITE + " # new", sticky))
        new = self.agent.wait_allocs("disk", 1, "running")[0]
        self.assertNotEqual(new["ID"], old["ID"])
        harness.wait_until(lambda: all((text or "").count("\n") == 1 + sticky for text in self.files(new)),
                           "the files of the new allocation")
        return self.files(old), self.files(new)

    def test_a_snapshot_has_the_files_that_would_move(self):
        self.agent.submit(self.spec(self.WRITE))
        alloc = self.agent.wait_allocs("disk", 1, "running")[0]
        harness.wait_until(lambda: self.files(alloc) == ["data\n", "own\n"], "the files")
        reply = self.agent.ask("GET", f"/v1/client/allocation/{alloc['ID']}/snapshot")
        self.assertEqual(reply.status, 200)
        with tarfile.open(fileobj=io.BytesIO(reply.body)) as archive:
            files = {one.name: archive.extractfile(one).read() for one in archive if one.isfile()}
        self.assertEqual(files, {"alloc/data/file": b"data\n", "t/local/file": b"own\n"})
        unknown = self.agent.ask("GET", "/v1/client/allocation/00000000-0000-4000-8000-000000000000/snapshot")
        self.assertEqual(unknown.status, 404)

    def test_files_move_to_the_next_allocation(self):
        self.assertEqual(self.replaced(True), ([None, None], ["data\ndata\n", "own\nown\n"]))

    def test_files_stay_where_they_are_without_it(self):
        self.assertEqual(self.replaced(False), (["data\n", "own\n"], ["data\n", "own\n"]))

    def test_the_next_allocation_waits_for_the_one_before(self):
        slow = "trap 'sleep 1; echo late >> \"$NOMAD_ALLOC_DIR/data/file\"; exit 0' INT TERM; "
        self.agent.submit(self.spec(slow + self.WRITE.replace("trap 'exit 0' INT TERM; ", "")))
        old = self.agent.wait_allocs("disk", 1, "running")[0]
        harness.wait_until(lambda: self.files(old)[0] == "data\n", "the file")
        self.agent.submit(self.spec(FOREVER))
        new = self.agent.wait_allocs("disk", 1, "running")[0]
        self.assertNotEqual(new["ID"], old["ID"])
        self.assertEqual(self.files(new)[0], "data\nlate\n")

    def test_files_of_an_allocation_pass_over_one_that_never_starts(self):
        go = self.sandbox.root / "go"
        slow = f"trap 'until [ -e {go} ]; do sleep 0.05; done; exit 0' INT TERM; "
        self.agent.submit(self.spec(slow + self.WRITE.replace("trap 'exit 0' INT TERM; ", "")))
        old = self.agent.wait_allocs("disk", 1, "running")[0]
        harness.wait_until(lambda: self.files(old) == ["data\n", "own\n"], "the files")
        for version in (1, 2):
            self.agent.submit(self.spec(f"{FOREVER} # {version}"))
            harness.wait_until(lambda: len(self.agent.allocs("disk")) == 1 + version, "the next allocation")
        go.touch()
        new = harness.wait_until(lambda: [one for one in self.agent.allocs("disk")
                                          if (one["ClientStatus"], one["JobVersion"]) == ("running", 2)], "the last one")
        self.assertEqual(self.files(new[0]), ["data\n", "own\n"])
        self.assertEqual(self.files(old), [None, None])

    def test_files_of_an_allocation_pass_over_one_that_fails(self):
        self.agent.submit(self.spec(self.WRITE))
        old = self.agent.wait_allocs("disk", 1, "running")[0]
        harness.wait_until(lambda: self.files(old) == ["data\n", "own\n"], "the files")
        # The second one gets the files and never starts.
        self.agent.submit(job(group(task("t", config={"command": "/no/such/program"}),
                                    EphemeralDisk={"SizeMB": 50, "Sticky": True}), id="disk", type="service"))
        failed = self.agent.wait_allocs("disk", 1, "failed")[0]
        self.agent.submit(self.spec(FOREVER))
        new = self.agent.wait_allocs("disk", 1, "running")[0]
        self.assertEqual(self.agent.get(f"/v1/allocation/{new['ID']}")["PreviousAllocation"], failed["ID"])
        self.assertEqual(self.files(new), ["data\n", "own\n"])


class DiskLimitTest(AgentTest):
    limit = "watch"

    def start_agent(self):
        return Agent(self.sandbox, config=self.sandbox.write_config(
            data_dir=str(self.sandbox.root / "data"), client={"ephemeral_disk_limit": self.limit}))

    def run_writer(self, megabytes):
        script = f'head -c {megabytes * 2**20} /dev/zero > "$NOMAD_ALLOC_DIR/data/file"; ' + FOREVER
        self.agent.submit(job(group(task("t", script), EphemeralDisk={"SizeMB": 20}), id="disk", type="service"))

    def events(self, status):
        alloc = self.agent.wait_allocs("disk", 1, status)[0]
        return {one["Type"]: one["DisplayMessage"]
                for one in self.agent.get(f"/v1/allocation/{alloc['ID']}")["TaskStates"]["t"]["Events"]}

    def test_a_disk_that_is_nearly_full_is_an_event(self):
        self.run_writer(19)
        told = harness.wait_until(lambda: self.events("running").get("Disk Nearly Full"), "the event")
        self.assertRegex(told, "uses 1[89] MB of its ephemeral disk of 20 MB")
        self.assertEqual(self.events("running").get("Killing"), None)

    def test_more_than_its_disk_ends_an_allocation(self):
        self.run_writer(40)
        self.assertEqual(self.events("failed")["Killing"],
                         "The allocation uses more than its ephemeral disk of 20 MB")


class NoQuotaTest(DiskLimitTest):
    """Quotas are wanted, but the file system has none."""

    limit = "quota"

    def setUp(self):
        super().setUp()
        if "have quotas, with the projects" in self.agent.run.err + str(self.agent.run.lines):
            self.agent.stop()
            self.sandbox.remove()
            self.skipTest("the file system of the sandbox has project quotas")

    def test_the_agent_says_why_it_watches(self):
        said = self.agent.run.err + str(self.agent.run.lines)
        self.assertRegex(said, "client/ephemeral_disk_limit: .*/allocs has no quotas for allocations, "
                               "so their disks are watched instead: ")


class QuotaTest(AgentTest):
    """Allocations on a file system with project quotas."""

    FIRST, LAST = 3_000_000, 3_000_010

    def start_agent(self):
        if not (disk := self.sandbox.root / "disk").exists():
            QuotaDisk(self, disk)
            (disk / "allocs").mkdir()
            disk.chmod(0o755)
            self.sandbox.alloc_dirs = [disk / "allocs"]
        return Agent(self.sandbox, dev=False, config=agent_config(self.sandbox, client={
            "ephemeral_disk_limit": "quota", "min_disk_project": self.FIRST, "max_disk_project": self.LAST}))

    def tearDown(self):
        if not self._outcome_failed():
            self.agent.forget_all(self.leftovers)
        super().tearDown()

    def submit(self, script, name="disk", size=20):
        # The kernel does not hold root to a quota of ext4.
        self.agent.submit(job(group(task("t", script, User="nobody"),
                                    EphemeralDisk={"SizeMB": size, "Sticky": True}), id=name, type="service"))
        return self.agent.wait_allocs(name, 1, "running")[0]

    def directory(self, alloc):
        return self.sandbox.alloc_dirs[0] / alloc["ID"]

    def project(self, alloc, path=""):
        project = project_of(self.directory(alloc) / path)
        self.assertIn(project, range(self.FIRST, self.LAST + 1))
        return project

    def test_a_task_cannot_write_more_than_its_disk(self):
        alloc = self.submit('head -c 40000000 /dev/zero > "$NOMAD_ALLOC_DIR/data/file" || echo full; ' + FOREVER)
        log = self.directory(alloc) / "alloc/logs/t.stdout.0"
        harness.wait_until(lambda: log.read_text() == "full\n", "the end of the disk")
        size = (self.directory(alloc) / "alloc/data/file").stat().st_size
        self.assertLess(size, 20 * 2**20)
        self.assertGreater(size, 15 * 2**20)

        def told():
            tasks = self.agent.get(f"/v1/allocation/{alloc['ID']}")["TaskStates"]
            return {one["Type"]: one["DisplayMessage"] for one in tasks["t"]["Events"]}
        text = harness.wait_until(lambda: told().get("Disk Nearly Full"), "the event")
        self.assertIn("Its tasks cannot write more than that", text)
        self.assertNotIn("Killing", told())
        self.agent.wait_allocs("disk", 1, "running")

    def test_each_allocation_has_its_own_project_also_from_the_next_agent(self):
        allocs = [self.submit(FOREVER, name) for name in ("one", "two", "three")]
        projects = [self.project(alloc) for alloc in allocs]
        self.assertEqual(len(set(projects)), 3)
        for alloc, project in zip(allocs, projects):
            for path in ("alloc/data", "t/local"):
                self.assertEqual(self.project(alloc, path), project)
            self.assertEqual(limit_of(self.sandbox.alloc_dirs[0], project), 20 * 2**20)
        self.agent.run.process.kill()
        self.agent.run.process.wait()
        self.agent = self.start_agent()
        for alloc, project in zip(allocs, projects):
            self.agent.wait_allocs(alloc["JobID"], 1, "running")
            self.assertEqual(self.project(alloc), project)
        self.assertNotIn(self.project(self.submit(FOREVER, "four")), projects)
        self.agent.forget_all(self.leftovers)
        for project in projects:
            self.assertEqual(limit_of(self.sandbox.alloc_dirs[0], project), 0)

    def test_projects_that_a_task_has_changed_hinder_nobody(self):
        alloc = self.submit(FOREVER)
        deep = self.directory(alloc) / "t/local" / "/".join("d" * 60)
        deep.mkdir(parents=True)
        # Nothing with another project can be moved up, and removals move what lies deep.
        for directory in [deep, *deep.parents]:
            if directory.name == "d":
                project_of(directory, new=7)
        (self.directory(alloc) / "alloc/data/file").touch()
        project_of(self.directory(alloc) / "alloc/data/file", new=self.FIRST)
        self.assertNotEqual(self.project(self.submit(FOREVER, "other")), self.FIRST, "a file has this number")
        self.agent.forget_all(self.leftovers)
        self.assertEqual(self.leftovers.allocations(), [])

    def test_files_of_a_sticky_disk_get_the_project_of_their_new_allocation(self):
        write = 'mkdir -p "$NOMAD_ALLOC_DIR/data/deep"; echo x > "$NOMAD_ALLOC_DIR/data/deep/file"; echo ready; '
        old = self.submit(write + FOREVER)
        file = "alloc/data/deep/file"
        harness.wait_until((self.directory(old) / file).exists, "the file")
        before = self.project(old)
        self.assertEqual(self.project(old, file), before)
        new = self.submit(FOREVER)
        self.assertNotEqual(new["ID"], old["ID"])
        self.assertNotEqual(self.project(new), before)
        self.assertEqual(self.project(new, file), self.project(new))


if __name__ == "__main__":
    harness.main()
