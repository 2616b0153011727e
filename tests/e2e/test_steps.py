# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The agent dies before and after each durable step of a job's life (host/base/durable_step.h), or the step
fails. In each case the job has its life, once, and leaves nothing. So it is with what clients keep in an agent.
Each class is a life of another kind."""
import base64
import collections
import contextlib
import hashlib
import http.client
import json
import os
import signal
import unittest
import uuid

import cni
import harness
from agent_harness import Agent, agent_config
from fake_consul import FakeConsul
from file_server import FileServer
from harness import DroverTest, group, job, plugin_file, task
from quota_disk import QuotaDisk
from test_exec import IN_CHROOT
from test_slow_drivers import testdata

KILLS = ("before", "after")
ERRORS = ("ENOSPC", "EIO")
POLICY = {"Attempts": 3, "Delay": 50_000_000, "Interval": 60_000_000_000, "Mode": "fail"}

# Stays until it is asked to end.
STAY = """
trap 'echo stop >> "$OUT"; exit 0' INT TERM
echo ready >> "$OUT"
while :; do sleep 0.05 & wait $!; done
"""
# The same, but it notes if it was asked by another signal.
STAY_AND_NOTE = "trap 'echo noted >> \"$OUT\"; exit 0' USR1\n" + STAY
# The first one, but at first it fails when $OUT.fail appears.
FAIL_WHEN_ASKED = """
echo start >> "$OUT"
if [ "$(grep -c start "$OUT")" = 1 ]; then
    echo ready >> "$OUT"
    until [ -e "$OUT.fail" ]; do sleep 0.05; done
    exit 1
fi
""" + STAY
# The first one, but it fails the first time.
FAIL_ONCE = """
echo start >> "$OUT"
[ "$(grep -c start "$OUT")" -gt 1 ] || exit 1
""" + STAY


class StepCase(DroverTest):
    """The common part of all lives: an agent with counted steps, and the actions of its life."""

    STEPS = {}      # the steps of the life, with their number, or its least and most
    BY_CHANCE = 4   # of steps whose number varies, so many get a fault; all in the long form
    LINES = []      # the lines of its tasks at the end
    STATUS = ["complete"]  # of its allocations
    RESTARTS = [0]  # of the task t of each

    def live(self, name, fault=None):
        """Runs the life of a job, in which FAULT happens. Returns the allocations and the lines at its end. The
        job is forgotten then."""
        raise NotImplementedError

    def assert_went_on(self, lines):
        """Checks LINES for a life in which a step has failed, but not the job."""
        self.assertEqual(lines, self.LINES)

    def setUp(self):
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()
        self.steps = self.sandbox.root / "steps"
        self.steps.mkdir()
        self.trace, self.fault = self.steps / "trace", self.steps / "fault"
        self.agent = self.start()

    def tearDown(self):
        if not self._outcome_failed():
            self.agent.stop()
        super().tearDown()

    died = False  # since the last fault was armed
    token = None  # for requests
    sent = 0      # times that the last request was sent

    def config(self):
        """Further fields of the configuration."""
        return {}

    def start(self):
        plugins = {"raw_exec": {"file": str(plugin_file("raw_exec")), "config": {"enabled": True}},
                   "exec": {"file": str(plugin_file("exec"))}}
        fields = self.config()
        plugins.update(fields.pop("plugins", {}))
        return Agent(self.sandbox, dev=False, env={"DROVER_TEST_STEPS": str(self.steps)},
                     config=agent_config(self.sandbox, plugins=plugins, **fields))

    def revive(self):
        """Starts the next agent if this one has died."""
        if self.agent.run.process.poll() is None:
            return
        self.assertEqual(self.agent.run.process.returncode, -signal.SIGKILL, self.agent.run.story())
        self.died = True
        self.fault.unlink(missing_ok=True)  # one by chance may come when its life has ended
        self.agent = self.start()

    def insist(self, method, path, body=None, *, token=None, known=(200, 404), done=None, **query):
        """Repeats the request until it succeeds, like a client whose agent fails. TOKEN: another one than that of
        the life. KNOWN: each status that ends it. DONE: the error by which the agent says that it has been done."""
        headers = {"X-Nomad-Token": token or self.token} if token or self.token else {}
        self.sent = 0

        def answered():
            self.revive()
            self.sent += 1
            try:
                reply = self.agent.ask(method, path, body, headers=headers, **query)
            except (OSError, http.client.HTTPException):
                return None
            self.assertIn(reply.status, (*known, 500), reply.body)
            return reply if reply.status != 500 or (done and done in reply.body) else None
        return harness.wait_until(answered, f"{method} {path}")

    def read(self, path, **how):
        return json.loads(self.insist("GET", path, known=(200,), **how).body)

    def repeated(self, *arguments, known, **how):
        """Sends the request like insist(). Its answer may have a status of KNOWN instead of 200 if it was sent more
        than once: then the agent has done it before it failed."""
        reply = self.insist(*arguments, known=(200, *known), **how)
        self.assertTrue(reply.status == 200 or self.sent > 1, reply.body)
        return reply

    def allocs(self, name):
        reply = self.insist("GET", f"/v1/job/{name}/allocations")
        return json.loads(reply.body) if reply.status == 200 else []

    def register(self, name, *tasks, **fields):
        self.insist("PUT", "/v1/jobs", job(
            group(*tasks, RestartPolicy=POLICY,
                  ReschedulePolicy={"Attempts": 0, "Unlimited": False}, **fields),
            id=name, type="service"))

    def wait_up(self, name, lines, restarts=0):
        """Waits until LINES() shows that the task is ready, and its agent knows that too: a stop gives up a
        start that has not returned. Returns False if the job has failed instead."""
        def runs(alloc):
            state = (alloc["TaskStates"] or {}).get("t", {})
            return state.get("State") == "running" and state["Restarts"] >= restarts

        def up():
            allocs = self.allocs(name)
            if "ready" in lines() and any(map(runs, allocs)):
                return "up"
            wanted = [a["ClientStatus"] for a in allocs if a["DesiredStatus"] == "run"]
            return "failed" if wanted and set(wanted) == {"failed"} else None
        return harness.wait_until(up, f"the start of {name}, {self.fault_text()}") == "up"

    def begin_one_that_stays(self, name, script=STAY, **fields):
        """Runs a job before the count begins. Returns the file of its lines."""
        out = self.sandbox.root / f"{name}.out"
        out.touch()
        self.arm(None)
        self.register(name, task("t", script, Env={"OUT": str(out)}, **fields))
        self.assertTrue(self.wait_up(name, out.read_text))
        return out

    def end(self, name):
        """Stops the job. Returns its allocations when all have ended."""
        self.insist("DELETE", f"/v1/job/{name}")

        def over():
            allocs = self.allocs(name)
            return allocs if all(a["ClientStatus"] in ("complete", "failed") for a in allocs) else None
        return harness.wait_until(over, f"the end of {name}, {self.fault_text()}")

    def forget(self, name):
        self.insist("DELETE", f"/v1/job/{name}", purge="true")

        def gone():
            self.insist("PUT", "/v1/system/gc")
            # The run directory has only the agent's ledger and the directory of its networks.
            runs = [f for f in self.leftovers.run_files()
                    if f.endswith((".sock", ".exit", ".tmp", ".named", ".place"))]
            return not (self.leftovers.allocations() or runs or self.leftovers.own_cgroups())
        harness.wait_until(gone, f"{name} to be forgotten, {self.fault_text()}")

    def fault_text(self):
        return self.fault.read_text() if self.fault.exists() else "no fault"

    def traced(self):
        return collections.Counter(self.trace.read_text().split())

    def arm(self, text):
        """Begins the count, with the fault TEXT, or without one."""
        self.died = False
        self.trace.write_text("")
        if text is None:
            self.fault.unlink(missing_ok=True)
        else:
            self.fault.write_text(text)

    def points(self):
        """(step, number) of all steps in a life without faults."""
        allocs, lines = self.live("plain")
        self.assert_lived(allocs, lines)
        exact = {name: count for name, count in self.STEPS.items() if isinstance(count, int)}

        def seen_exact():
            seen = self.traced()
            return {name: seen[name] for name in exact}
        with contextlib.suppress(AssertionError):  # the last ones come after the directory is gone
            harness.wait_until(lambda: seen_exact() == exact, "the last step", limit=5)
        self.assertEqual(seen_exact(), exact)
        seen = self.traced()
        self.assertEqual(sorted(seen), sorted(self.STEPS), seen)
        points = []
        for name, count in self.STEPS.items():
            last = seen[name]
            if name not in exact:
                self.assertIn(last, range(count[0], count[1] + 1), name)
                last = last if harness.LONG else min(last, self.BY_CHANCE)
            points += [(name, number) for number in range(1, last + 1)]
        return points

    def assert_lived(self, allocs, lines):
        self.assertEqual(lines, self.LINES)
        self.assertEqual([a["ClientStatus"] for a in allocs], self.STATUS)
        self.assertEqual([a["TaskStates"]["t"]["Restarts"] for a in allocs], self.RESTARTS)

    def check_kill(self, point, way):
        name, number = point
        with self.subTest(f"{name} {number} {way}"):
            allocs, lines = self.live(f"{name}-{number}-{way}", f"{name} {number} {way}")

            def has_died():  # perhaps the one of its last step
                self.revive()
                return self.died
            if isinstance(self.STEPS[name], int):
                harness.wait_until(has_died, "the agent to come there")
            self.assert_lived(allocs, lines)

    def check_error(self, point, way):
        name, number = point
        if name == "try_cgroup":  # no error of a job: the agent then tracks tasks without cgroups
            return
        with self.subTest(f"{name} {number} {way}"):
            allocs, lines = self.live(f"{name}-{number}-{way}", f"{name} {number} {way}")
            self.assertFalse(self.died, self.agent.run.story())
            self.assertIn(len(allocs), range(min(1, len(self.STATUS)), len(self.STATUS) + 1))
            failed = [a for a in allocs if a["ClientStatus"] == "failed"]
            for alloc in failed:  # and logs the reason
                self.assertIn(f"step {name}", str(alloc["TaskStates"]))
            if not failed:
                self.assert_went_on(lines)

    def check_all(self, check, ways):
        for index, point in enumerate(self.points()):
            for way in ways if harness.LONG else [ways[index % 2]]:
                check(point, way)


class Steps:
    """The tests of a life."""

    def test_each_step_may_be_the_last(self):
        self.check_all(self.check_kill, KILLS)

    def test_each_step_may_fail(self):
        self.check_all(self.check_error, ERRORS)


@unittest.skipUnless(harness.IS_ROOT, "network namespaces and cgroups need root")
class StepTest(Steps, StepCase):
    """A task that fails, is restarted, and is stopped; its group has a network namespace."""

    STEPS = {"ledger_add": 2, "ledger_remove": 2, "commit": (12, 40), "sync": (3, 9), "make_alloc_dir": 1,
             "make_task_dir": 2, "mount_secrets": 1, "drop_secrets": 1, "remove_alloc_dir": 1, "make_cgroup": 2, "launch_shim": 2,
             "remove_cgroup": 2, "forget_end": 2, "keep_network": 1, "drop_network": 2}
    LINES = ["start", "start", "ready", "stop"]
    RESTARTS = [1]

    def live(self, name, fault=None):
        out = self.sandbox.root / f"{name}.out"
        out.touch()
        self.arm(fault)
        self.register(name, task("t", FAIL_ONCE, Env={"OUT": str(out)}),
                      Networks=[{"Mode": "none"}])
        self.wait_up(name, out.read_text, restarts=1)
        allocs = self.end(name)
        self.forget(name)
        return allocs, out.read_text().split()

    def assert_went_on(self, lines):
        self.assertEqual(lines[-2:], self.LINES[-2:])
        self.assertLessEqual(lines.count("start"), 2)


@unittest.skipUnless(harness.IS_ROOT, "cgroups need root")
class TemplateStepTest(Steps, StepCase):
    """A task whose file is rendered from a variable. When the variable changes, the file is written again and the
    task is restarted."""

    STEPS = {"ledger_add": 2, "ledger_remove": 2, "commit": (12, 60), "sync": (3, 16), "make_alloc_dir": 1,
             "make_task_dir": 2, "mount_secrets": 1, "drop_secrets": 1, "remove_alloc_dir": 1, "make_cgroup": 2, "launch_shim": 2,
             "remove_cgroup": 2, "forget_end": 2, "render_file": 2}
    LINES = ["start", "one", "ready", "stop", "start", "two", "ready", "stop"]
    RESTARTS = [1]

    def put(self, name, word):
        self.insist("PUT", f"/v1/var/nomad/jobs/{name}", {"Items": {"word": word}}, known=(200,))

    def live(self, name, fault=None):
        out = self.sandbox.root / f"{name}.out"
        out.touch()
        self.arm(fault)
        self.put(name, "one")
        data = f'{{{{ with nomadVar "nomad/jobs/{name}" }}}}{{{{ .word }}}}{{{{ end }}}}'
        self.register(name, task("t", 'echo "start $(cat local/word)" >> "$OUT"' + STAY, Env={"OUT": str(out)},
                                 Templates=[{"EmbeddedTmpl": data, "DestPath": "local/word", "Splay": "0s"}]))
        if self.wait_up(name, out.read_text):
            self.put(name, "two")
            self.wait_up(name, lambda: out.read_text().partition("two")[2], restarts=1)
        allocs = self.end(name)
        self.insist("DELETE", f"/v1/var/nomad/jobs/{name}", known=(204, 404))
        self.forget(name)
        return allocs, out.read_text().split()

    def assert_went_on(self, lines):
        self.assertEqual(lines[-4:], self.LINES[-4:])


@unittest.skipUnless(harness.IS_ROOT, "other users need root")
class UserStepTest(Steps, StepCase):
    """A task that names no user and gets one of its own, which it keeps when it fails and is restarted."""

    STEPS = {"ledger_add": 2, "ledger_remove": 2, "commit": (12, 40), "sync": (3, 12), "make_alloc_dir": 1,
             "make_task_dir": 2, "mount_secrets": 1, "drop_secrets": 1, "remove_alloc_dir": 1, "make_cgroup": 2, "launch_shim": 2,
             "remove_cgroup": 2, "forget_end": 2, "take_back_task_dir": 1}
    FIRST = 81200
    LINES = ["start", "start", "ready", "stop"]
    RESTARTS = [1]

    def config(self):
        return {"client": {"users": {"dynamic_user_min": self.FIRST, "dynamic_user_max": self.FIRST + 9,
                                     "dynamic_user_drivers": ["raw_exec"]}}}

    def live(self, name, fault=None):
        out, users = (self.sandbox.root / f"{name}.{kind}" for kind in ("out", "users"))
        for path in out, users:
            path.touch()
            path.chmod(0o666)
        self.arm(fault)
        self.register(name, task("t", 'id -u >> "$USERS"' + FAIL_ONCE, Env={"OUT": str(out), "USERS": str(users)}))
        self.wait_up(name, out.read_text, restarts=1)
        allocs = self.end(name)
        self.forget(name)
        seen = set(map(int, users.read_text().split()))
        self.assertLessEqual(len(seen), 1, seen)
        self.assertTrue(all(self.FIRST <= user < self.FIRST + 10 for user in seen), seen)
        return allocs, out.read_text().split()

    def assert_went_on(self, lines):
        self.assertEqual(lines[-2:], self.LINES[-2:])
        self.assertLessEqual(lines.count("start"), 2)


@unittest.skipUnless(harness.IS_ROOT, "cgroups need root")
class HookStepTest(Steps, StepCase):
    """A task with two plugins: one keeps data of its own, and the other one brings a secret."""

    STEPS = {"ledger_add": 1, "ledger_remove": 1, "commit": (8, 60), "sync": (2, 16), "make_alloc_dir": 1,
             "make_task_dir": 1, "mount_secrets": 1, "drop_secrets": 1, "remove_alloc_dir": 1, "make_cgroup": 1,
             "launch_shim": 1, "remove_cgroup": 1, "forget_end": 1}
    LINES = ["s3cret", "ready", "stop"]

    def config(self):
        secret = {"word": {"command": ["/bin/echo", "s3cret"]}}
        self.calls = self.sandbox.root / "calls"
        return {"plugins": {
            "hooking": {"file": str(testdata("hooking")), "config": {"log": str(self.calls)}},
            "secrets_file": {"file": str(harness.build_dir() / "examples/secrets_file.so"),
                             "config": {"commands": secret}},
        }, "client": {"task_hooks": ["hooking", "secrets_file"]}}

    def live(self, name, fault=None):
        out = self.sandbox.root / f"{name}.out"
        out.touch()
        self.calls.unlink(missing_ok=True)
        self.arm(fault)
        meta = {"secrets": "word", "hook_prestart": "count", "hook_exited": "count", "hook_stop": "count"}
        self.register(name, task("t", 'cat "$NOMAD_SECRETS_DIR/word" >> "$OUT"' + STAY, Env={"OUT": str(out)},
                                 Meta=meta))
        up = self.wait_up(name, out.read_text)
        allocs = self.end(name)
        self.forget(name)
        if up:  # each stage has come, in its order, some of them again
            stages = [line.split()[0] for line in self.calls.read_text().splitlines()]
            first = list(dict.fromkeys(stages))
            self.assertEqual([one for one in first if one != "poststart"],
                             ["prestart", "prekill", "exited", "stop"], stages)
        return allocs, out.read_text().split()


@unittest.skipUnless(harness.IS_ROOT, "cgroups need root")
class QuotaStepTest(Steps, StepCase):
    """A task whose allocation has a quota of the file system."""

    STEPS = {"ledger_add": 1, "ledger_remove": 1, "commit": (8, 60), "sync": (2, 16), "make_alloc_dir": 1,
             "limit_disk": 1, "make_task_dir": 1, "mount_secrets": 1, "drop_secrets": 1, "remove_alloc_dir": 1,
             "make_cgroup": 1, "launch_shim": 1, "remove_cgroup": 1, "forget_end": 1}
    LINES = ["ready", "stop"]

    def start(self):
        if not (disk := self.sandbox.root / "disk").exists():
            QuotaDisk(self, disk)
            (disk / "allocs").mkdir()
            self.sandbox.alloc_dirs = [disk / "allocs"]
        return super().start()

    def config(self):
        return {"client": {"ephemeral_disk_limit": "quota"}}

    def check_error(self, point, way):
        if point[0] != "limit_disk":
            super().check_error(point, way)
            return
        # The allocation runs all the same, and is watched.
        allocs, lines = self.live(f"limit-{way}", f"limit_disk 1 {way}")
        self.assert_lived(allocs, lines)

    def live(self, name, fault=None):
        out = self.sandbox.root / f"{name}.out"
        out.touch()
        self.arm(fault)
        self.register(name, task("t", STAY, Env={"OUT": str(out)}))
        self.wait_up(name, out.read_text)
        allocs = self.end(name)
        self.forget(name)
        return allocs, out.read_text().split()


@unittest.skipUnless(harness.IS_ROOT and not IN_CHROOT, "exec needs an agent that is root and not in a chroot")
class DeviceStepTest(Steps, StepCase):
    """A task of exec that has a device, with its node, its mount and its variable."""

    STEPS = {"ledger_add": 1, "ledger_remove": 1, "commit": (6, 60), "sync": (2, 16), "make_alloc_dir": 1,
             "make_task_dir": 1, "mount_secrets": 1, "drop_secrets": 1, "remove_alloc_dir": 1, "make_cgroup": 1,
             "make_limits": 1, "launch_shim": 1, "remove_cgroup": 1, "forget_end": 1}
    LINES = ["start", "t0", "ready", "stop"]

    def config(self):
        return {"plugins": {"test": {"file": str(testdata("offers_devices")), "isolation": "process"}}}

    def live(self, name, fault=None):
        def lines():
            found = sorted(self.sandbox.alloc_dirs[0].glob("*/alloc/data/out"))
            return found[0].read_text() if found else ""
        script = 'test -c /dev/thing && test -d /thing/misc && echo "start $THING" >> "$OUT"' + STAY
        self.arm(fault)
        self.register(name, task("t", driver="exec", Env={"OUT": "${NOMAD_ALLOC_DIR}/data/out"},
                                 Resources={"CPU": 10, "MemoryMB": 64, "Devices": [{"Name": "thing", "Count": 1}]},
                                 config={"command": "/bin/sh", "args": ["-c", script]}))
        self.wait_up(name, lines)
        allocs = self.end(name)
        said = lines().split()
        self.forget(name)
        return allocs, said


@unittest.skipIf(cni.MISSING, cni.MISSING)
class BridgeStepTest(Steps, StepCase):
    """A task on a bridge, which plugins attach and detach. Whatever happens, nothing of its network is left."""

    STEPS = {"ledger_add": 1, "ledger_remove": 1, "commit": (8, 40), "sync": (2, 9), "make_alloc_dir": 1,
             "make_task_dir": 1, "mount_secrets": 1, "drop_secrets": 1, "remove_alloc_dir": 1, "make_cgroup": 1,
             "launch_shim": 1, "remove_cgroup": 1, "forget_end": 1, "note_network": 2, "keep_network": 1,
             "join_network": 1, "make_network_files": 1, "leave_network": 1, "drop_network_files": 1,
             "drop_network": 1, "forget_network": 1}
    BY_CHANCE = 2
    LINES = ["ready", "stop"]

    def setUp(self):
        self.bridge = cni.Bridge()
        self.addCleanup(self.bridge.remove)
        super().setUp()

    def config(self):
        return {"client": self.bridge.client()}

    def live(self, name, fault=None):
        out = self.sandbox.root / f"{name}.out"
        out.touch()
        self.arm(fault)
        self.register(name, task("t", STAY, Env={"OUT": str(out)}),
                      Networks=[{"Mode": "bridge", "DynamicPorts": [{"Label": "http", "To": 80}]}])
        self.wait_up(name, out.read_text)
        allocs = self.end(name)
        self.forget(name)
        ids = [alloc["ID"] for alloc in allocs]
        left = []

        def clean():
            self.revive()
            left[:] = self.bridge.left(*ids) + os.listdir(self.sandbox.root / "data/networks")
            return not left
        with contextlib.suppress(AssertionError):
            harness.wait_until(clean, "the end of the network")
        self.assertEqual(left, [], self.fault_text())
        return allocs, out.read_text().split()


@unittest.skipUnless(harness.IS_ROOT, "exec needs root")
class IsolatedStepTest(Steps, StepCase):
    """Three tasks of exec, each in a root file system of its own and with limits, one after the
    other."""

    STEPS = {"ledger_add": 3, "ledger_remove": 3, "commit": (18, 60), "sync": (3, 9), "make_alloc_dir": 1,
             "make_task_dir": 3, "mount_secrets": 3, "drop_secrets": 1, "remove_alloc_dir": 1, "make_cgroup": 3,
             "make_limits": 3, "launch_shim": 3, "remove_cgroup": 3, "forget_end": 3}
    BY_CHANCE = 8
    LINES = ["before", "ready", "stop", "after"]

    def live(self, name, fault=None):
        def isolated(task_name, script, hook=None):
            how = {"Lifecycle": {"Hook": hook}} if hook else {}
            return task(task_name, driver="exec", Resources={"MemoryMB": 64}, Env={"OUT": "${NOMAD_ALLOC_DIR}/data/out"},
                        config={"command": "/bin/sh", "args": ["-c", script]}, **how)

        def lines():
            found = sorted(self.sandbox.alloc_dirs[0].glob("*/alloc/data/out"))
            return found[0].read_text() if found else ""
        self.arm(fault)
        self.register(name, isolated("b", 'echo before >> "$OUT"', "prestart"), isolated("t", STAY),
                      isolated("a", 'echo after >> "$OUT"', "poststop"))
        self.wait_up(name, lines)
        allocs = self.end(name)
        said = lines().split()
        self.forget(name)
        return allocs, said


@unittest.skipUnless(harness.IS_ROOT, "cgroups need root")
class ServiceStepTest(Steps, StepCase):
    """A task that is found as two services, one of its group and one of its own, until it is stopped."""

    STEPS = {"ledger_add": 1, "ledger_remove": 1, "commit": (8, 40), "sync": (2, 9), "make_alloc_dir": 1,
             "make_task_dir": 1, "mount_secrets": 1, "drop_secrets": 1, "remove_alloc_dir": 1, "make_cgroup": 1,
             "launch_shim": 1, "remove_cgroup": 1, "forget_end": 1}
    BY_CHANCE = 8
    LINES = ["ready", "stop"]

    def wait_services(self, name, wanted):
        def found():
            reply = self.insist("GET", f"/v1/job/{name}/services")
            return sorted(one["ServiceName"] for one in json.loads(reply.body))
        harness.wait_until(lambda: found() == wanted, f"{wanted} of {name}, {self.fault_text()}")

    def live(self, name, fault=None):
        out = self.sandbox.root / f"{name}.out"
        out.touch()
        self.arm(fault)
        self.register(
            name,
            task("t", STAY, Env={"OUT": str(out)},
                 Services=[{"Name": "own", "PortLabel": "http", "Provider": "nomad"}]),
            Networks=[{"DynamicPorts": [{"Label": "http"}]}],
            Services=[{"Name": "all", "PortLabel": "http", "Provider": "nomad"}])
        if self.wait_up(name, out.read_text):
            self.wait_services(name, ["all", "own"])
        allocs = self.end(name)
        self.wait_services(name, [])
        self.forget(name)
        return allocs, out.read_text().split()


@unittest.skipUnless(harness.IS_ROOT, "cgroups need root")
class ConsulStepTest(Steps, StepCase):
    """The same task, whose services Consul keeps: these are no records of the agent, and no step of its own."""

    STEPS = {**ServiceStepTest.STEPS, "commit": (6, 40)}
    BY_CHANCE = ServiceStepTest.BY_CHANCE
    LINES = ServiceStepTest.LINES

    def setUp(self):
        self.consul = FakeConsul(self)
        super().setUp()

    def config(self):
        return {"consul": {"address": self.consul.address}}

    def wait_services(self, name, wanted):
        def found():
            self.revive()
            return self.consul.names() == wanted
        harness.wait_until(found, f"{wanted} of {name} in Consul, {self.fault_text()}")

    def live(self, name, fault=None):
        out = self.sandbox.root / f"{name}.out"
        out.touch()
        self.arm(fault)
        self.register(name, task("t", STAY, Env={"OUT": str(out)}, Services=[{"Name": "own", "PortLabel": "http"}]),
                      Networks=[{"DynamicPorts": [{"Label": "http"}]}],
                      Services=[{"Name": "all", "PortLabel": "http"}])
        if self.wait_up(name, out.read_text):
            self.wait_services(name, ["all", "own"])
        allocs = self.end(name)
        self.wait_services(name, [])
        self.forget(name)
        return allocs, out.read_text().split()


@unittest.skipUnless(harness.IS_ROOT, "cgroups need root")
class ArtifactStepTest(Steps, StepCase):
    """A task with an artifact, which the agent keeps for others."""

    STEPS = {**ServiceStepTest.STEPS, "commit": (6, 40), "fetch_artifact": 1, "place_artifact": 1, "cache_artifact": 1}
    BY_CHANCE = ServiceStepTest.BY_CHANCE
    LINES = ["fetched", "ready", "stop"]

    def setUp(self):
        self.server = FileServer(self)
        super().setUp()

    def config(self):
        return {"client": {"artifact": {"cache_size": "1MB"}}}

    def live(self, name, fault=None):
        out = self.sandbox.root / f"{name}.out"
        out.touch()
        self.arm(fault)
        # Each life has a file of its own, which no life before has left in the cache.
        self.server.answers[f"/{name}"] = content = b"fetched" + b"\n" * (1 + len(self.server.answers))
        checksum = hashlib.sha256(content).hexdigest()
        self.register(name, task("t", 'cat "local/$FILE" >> "$OUT"\n' + STAY, Env={"OUT": str(out), "FILE": name},
                                 Artifacts=[{"GetterSource": f"{self.server.url}/{name}?checksum=sha256:{checksum}"}]))
        self.wait_up(name, out.read_text)
        allocs = self.end(name)
        self.forget(name)
        return allocs, out.read_text().split()


@unittest.skipUnless(harness.IS_ROOT, "cgroups need root")
class DrainStepTest(Steps, StepCase):
    """The node is drained under a task, and filled again: counted from the drain on."""

    STEPS = {"ledger_add": 1, "ledger_remove": 2, "commit": (12, 40), "sync": (3, 10), "make_alloc_dir": 1,
             "make_task_dir": 1, "mount_secrets": 1, "drop_secrets": 2, "remove_alloc_dir": 2, "make_cgroup": 1, "launch_shim": 1,
             "remove_cgroup": 2, "forget_end": 2}
    BY_CHANCE = 12
    LINES = ["ready", "stop", "ready", "stop"]
    STATUS = ["complete", "complete"]
    RESTARTS = [0, 0]

    def live(self, name, fault=None):
        out = self.begin_one_that_stays(name)
        self.arm(fault)
        node = json.loads(self.insist("GET", "/v1/nodes").body)[0]["ID"]
        self.insist("PUT", f"/v1/node/{node}/drain", {"DrainSpec": {"Deadline": 3600 * 10**9}})

        def drained():
            record = json.loads(self.insist("GET", f"/v1/node/{node}").body)
            return record["DrainStrategy"] is None and record["LastDrain"]["Status"] == "complete"
        harness.wait_until(drained, f"the end of the drain, {self.fault_text()}")
        self.assertEqual([a["ClientStatus"] for a in self.allocs(name)], ["complete"])
        out_of_first = out.read_text()
        self.insist("PUT", f"/v1/node/{node}/eligibility", {"Eligibility": "eligible"})
        self.wait_up(name, lambda: out.read_text()[len(out_of_first):])
        allocs = self.end(name)
        self.forget(name)
        return allocs, out.read_text().split()


@unittest.skipUnless(harness.IS_ROOT, "cgroups need root")
class UpdateStepTest(Steps, StepCase):
    """A running task gets a new version of its job in place, and is stopped as that version says: counted
    from the new version on. The agent may die after it has stored the version, before the task's runner
    hears of it."""

    STEPS = {"ledger_remove": 1, "commit": (6, 40), "sync": (2, 8), "drop_secrets": 1, "remove_alloc_dir": 1,
             "remove_cgroup": 1, "forget_end": 1}
    BY_CHANCE = 8
    LINES = ["ready", "noted"]

    def live(self, name, fault=None):
        out = self.begin_one_that_stays(name, STAY_AND_NOTE)
        self.arm(fault)
        self.register(name, task("t", STAY_AND_NOTE, Env={"OUT": str(out)}, KillSignal="SIGUSR1"))
        harness.wait_until(lambda: [a["JobVersion"] for a in self.allocs(name)] == [1] or None,
                           f"the update of {name}, {self.fault_text()}")
        allocs = self.end(name)
        self.forget(name)
        return allocs, out.read_text().split()


class AccessStepTest(Steps, StepCase):
    """An operator writes variables, a policy, a role and a token, and removes them. After each request the agent has
    what was answered, and nothing else. No task runs."""

    STEPS = {"commit": (11, 16), "sync": (11, 16)}
    BY_CHANCE = 16
    STATUS, RESTARTS = [], []
    LINES = ["variables", "policy", "role", "token", "removed"]

    def config(self):
        return {"acl": {"enabled": True}}

    def setUp(self):
        super().setUp()
        self.token = self.agent.must("PUT", "/v1/acl/bootstrap")["SecretID"]
        self.first = self.read("/v1/acl/token/self")["AccessorID"]
        self.wanted = {}

    def all_there(self):
        """What the agent has: the indexes of variables by path, and the names of the others."""
        return {"variables": {one["Path"]: one["ModifyIndex"] for one in self.read("/v1/vars")},
                "policies": [one["Name"] for one in self.read("/v1/acl/policies")],
                "roles": [one["Name"] for one in self.read("/v1/acl/roles")],
                "tokens": [one["AccessorID"] for one in self.read("/v1/acl/tokens")
                           if one["AccessorID"] != self.first]}

    def now_there(self, **changed):
        """Checks what the agent has after a request that has CHANGED something."""
        self.wanted.update(changed)
        self.assertEqual(self.all_there(), self.wanted)

    def put(self, path, value, check_index):
        """Puts a variable that has CHECK_INDEX, and returns its next index. One that was put before the agent failed is
        in the answer, so its client knows its own from that of another."""
        items = {"key": value}
        reply = self.repeated("PUT", f"/v1/var/{path}", {"Items": items}, known=(409,), cas=check_index)
        made = json.loads(reply.body)
        self.assertEqual(made["Items"], items)
        self.now_there(variables={**self.wanted["variables"], path: made["ModifyIndex"]})
        self.assertEqual(self.read(f"/v1/var/{path}"), made)
        late = self.insist("PUT", f"/v1/var/{path}", {"Items": {"key": "late"}}, known=(409,), cas=check_index)
        self.assertEqual(json.loads(late.body), made)
        return made["ModifyIndex"]

    def make_policy(self, name):
        paths = {f"{name}/*": {"capabilities": ["read"]}}
        rules = json.dumps({"namespace": {"default": {"variables": {"path": paths}}}})
        self.insist("PUT", f"/v1/acl/policy/{name}", {"Name": name, "Rules": rules}, known=(200,))
        self.now_there(policies=[name])

    def make_role(self, name):
        """Returns its id. There is one role of a name."""
        reply = self.repeated("PUT", "/v1/acl/role", {"Name": name, "Policies": [{"Name": name}]}, known=(400,))
        made = self.read(f"/v1/acl/role/name/{name}")
        if reply.status == 200:
            self.assertEqual(json.loads(reply.body), made)
        self.now_there(roles=[name])
        return made["ID"]

    def make_token(self, name, role):
        """Returns a token with ROLE. An agent that failed may have made one whose secret nobody knows: its client
        removes it."""
        made = json.loads(self.insist("PUT", "/v1/acl/token", {
            "Name": name, "Type": "client", "Roles": [{"ID": role}]}, known=(200,)).body)
        sent = self.sent
        there = set(self.all_there()["tokens"])
        self.assertIn(made["AccessorID"], there)
        self.assertLessEqual(len(there), sent)
        for unknown in there - {made["AccessorID"]}:
            self.remove(f"/v1/acl/token/{unknown}")
        self.now_there(tokens=[made["AccessorID"]])
        return made

    def remove(self, path):
        self.repeated("DELETE", path, known=(400,))

    def live(self, name, fault=None):
        lines = []
        self.wanted = {"variables": {}, "policies": [], "roles": [], "tokens": []}
        self.arm(fault)
        index = self.put(f"{name}/a", "one", 0)
        self.put(f"{name}/b", "other", 0)
        index = self.put(f"{name}/a", "two", index)
        lines.append("variables")
        self.make_policy(name)
        lines.append("policy")
        role = self.make_role(name)
        lines.append("role")
        token = self.make_token(name, role)
        self.assertEqual(self.read(f"/v1/var/{name}/a", token=token["SecretID"])["ModifyIndex"], index)
        lines.append("token")

        self.remove(f"/v1/acl/token/{token['AccessorID']}")
        self.now_there(tokens=[])
        self.insist("GET", f"/v1/var/{name}/a", token=token["SecretID"], known=(403,))
        self.remove(f"/v1/acl/role/{role}")
        self.now_there(roles=[])
        self.insist("DELETE", f"/v1/acl/policy/{name}", known=(200,))
        self.now_there(policies=[])
        for one in "ab":
            self.insist("DELETE", f"/v1/var/{name}/{one}", known=(204,))
        self.now_there(variables={})
        lines.append("removed")
        return [], lines

    def test_a_refusal_is_as_durable_as_its_reason(self):
        made = self.insist("PUT", "/v1/acl/token", {"Name": "gone", "Type": "management"}, known=(200,))
        gone = json.loads(made.body)
        self.arm("commit 1 ENOSPC")
        for status, text in ((500, b"send it again"), (400, b"cannot delete nonexistent token")):
            reply = self.agent.ask("DELETE", f"/v1/acl/token/{gone['AccessorID']}",
                                   headers={"X-Nomad-Token": self.token})
            self.assertEqual(reply.status, status, reply.body)
            self.assertIn(text, reply.body)
        self.agent.run.process.kill()
        self.agent.run.process.wait()
        self.insist("GET", "/v1/acl/token/self", token=gone["SecretID"], known=(403,))


@unittest.skipUnless(harness.IS_ROOT, "cgroups need root")
class VolumeStepTest(Steps, StepCase):
    """A client makes a volume, and deletes it. What was answered is there, and nothing else: no directory without a
    record, and no record without its directory."""

    STEPS = {"commit": (4, 9), "sync": (4, 9), "make_volume": 1, "remove_volume": 1}
    BY_CHANCE = 16
    STATUS, RESTARTS = [], []
    LINES = ["created", "deleted"]

    def directories(self):
        return sorted(path.name for path in (self.sandbox.root / "data/host_volumes").glob("*"))

    def ready(self, name):
        """Waits until the volume is ready, perhaps made by the next agent."""
        def found():
            stubs = self.read("/v1/volumes?type=host")
            return stubs[0] if [(s["Name"], s["State"]) for s in stubs] == [(name, "ready")] else None
        return harness.wait_until(found, f"the volume {name}, {self.fault_text()}")

    def live(self, name, fault=None):
        lines = []
        self.arm(fault)
        self.repeated("PUT", "/v1/volume/host/create", {"Volume": {"Name": name, "RequestedCapabilities": [
            {"AccessMode": "single-node-writer"}]}}, known=(409,))
        made = self.ready(name)
        self.assertEqual(self.directories(), [made["ID"]])
        lines.append("created")
        self.insist("DELETE", f"/v1/volume/host/{made['ID']}/delete")
        harness.wait_until(lambda: not self.read("/v1/volumes?type=host"), f"no volume, {self.fault_text()}")
        self.assertEqual(self.directories(), [])
        lines.append("deleted")
        return [], lines


class IdentityStepTest(Steps, StepCase):
    """Another key signs the tokens of tasks from now on. A task with a token in a file reads a variable with it, is
    restarted, does so with the next token, and is stopped: counted from the new key on."""

    STEPS = {"ledger_add": 1, "ledger_remove": 2, "commit": (12, 40), "sync": (4, 12), "drop_secrets": 1,
             "remove_alloc_dir": 1, "make_task_dir": 1, "make_cgroup": 1, "launch_shim": 1, "remove_cgroup": 2,
             "forget_end": 2}
    BY_CHANCE = 8
    LINES = ["start", "ready", "start", "ready", "stop"]
    RESTARTS = [1]

    def config(self):
        return {"acl": {"enabled": True}}

    def setUp(self):
        super().setUp()
        self.token = self.agent.must("PUT", "/v1/acl/bootstrap")["SecretID"]

    def key_of(self, token):
        head = token.split(".")[0]
        return json.loads(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)))["kid"]

    def check_token(self, name, token):
        self.assertEqual(self.read(f"/v1/var/nomad/jobs/{name}", token=token)["Items"], {"key": name})

    def live(self, name, fault=None):
        variable = f"/v1/var/nomad/jobs/{name}"
        self.insist("PUT", variable, {"Items": {"key": name}}, known=(200,))
        out = self.begin_one_that_stays(name, FAIL_WHEN_ASKED, Identity={"File": True, "TTL": "1h"})
        alloc, = self.allocs(name)
        file = self.sandbox.alloc_dirs[0] / alloc["ID"] / "t" / "secrets" / "nomad_token"
        tokens = [file.read_text()]
        self.arm(fault)

        made = json.loads(self.insist("PUT", "/v1/operator/keyring/rotate", known=(200,)).body)["Key"]["KeyID"]
        active = [key["KeyID"] for key in self.read("/v1/operator/keyring/keys") if key["State"] == "active"]
        self.assertEqual(active, [made])
        self.check_token(name, tokens[0])
        before = out.read_text()
        (self.sandbox.root / f"{name}.out.fail").touch()
        if self.wait_up(name, lambda: out.read_text()[len(before):], restarts=1):
            tokens.append(file.read_text())
            self.assertEqual(self.key_of(tokens[1]), made)
            for token in tokens:
                self.check_token(name, token)
        allocs = self.end(name)
        for token in tokens:
            self.insist("GET", variable, token=token, known=(403,))
        self.insist("DELETE", variable, known=(204,))
        self.assertEqual(self.read("/v1/vars"), [])
        self.forget(name)
        return allocs, out.read_text().split()

    def assert_went_on(self, lines):
        self.assertEqual(lines[-2:], self.LINES[-2:])


class StartCase(StepCase):
    """An agent whose start may be refused."""

    def start(self):
        """Starts the agent until it stays, like a service manager."""
        for _ in range(3):
            try:
                return super().start()
            except (AssertionError, OSError, http.client.HTTPException):
                run = self.sandbox.runs[-1]
                self.refused = "" if run.process.wait() == -signal.SIGKILL else run.err
                self.died = self.died or not self.refused
                self.fault.unlink()
        self.fail(f"the agent does not start: {run.story()}")

    def start_counted(self, fault):
        """Starts the agent, and counts from there."""
        self.arm(fault)
        self.refused = None
        self.agent = self.start()
        if self.refused:
            self.assertIn("step " + fault.split()[0], self.refused)


@unittest.skipUnless(harness.IS_ROOT, "cgroups need root")
class StartStepTest(Steps, StartCase):
    """An agent ends, its store is damaged, and the next one takes its task over and stops it:
    counted from that start on, which may be refused."""

    STEPS = {"try_cgroup": 1, "replace_store": 3, "make_ledger": 1, "forget_ledger": 1, "ledger_add": 1,
             "ledger_remove": 1, "commit": (6, 40), "sync": (2, 8), "make_alloc_dir": 1,
             "make_task_dir": 1, "drop_secrets": 1, "remove_cgroup": 1, "forget_end": 1, "remove_alloc_dir": 1}
    LINES = ["ready", "stop"]

    def live(self, name, fault=None):
        out = self.begin_one_that_stays(name)
        self.agent.stop()
        with open(self.sandbox.root / "data" / "state" / "state.db", "r+b") as store:
            store.write(bytes(100))
        self.start_counted(fault)

        def looked_after():
            self.revive()
            states = [a["TaskStates"]["t"]["State"] for a in self.allocs(name)]
            return self.traced()["make_task_dir"] or states == ["dead"]
        harness.wait_until(looked_after, f"its directories to be looked after, {self.fault_text()}")
        allocs = self.end(name)
        self.forget(name)
        return allocs, out.read_text().split()


@unittest.skipUnless(harness.IS_ROOT, "cgroups need root")
class FirstStepTest(Steps, StartCase):
    """An agent starts in an empty data directory, gets its first token and a variable: counted from that start on,
    which may be refused."""

    STEPS = {"try_cgroup": 1, "make_seal_key": 1, "make_ledger": 1, "commit": (3, 8), "sync": (3, 8)}
    BY_CHANCE = 8
    STATUS, RESTARTS = [], []
    LINES = ["token", "variable"]
    data = "data"

    def config(self):
        return {"acl": {"enabled": True}, "data_dir": str(self.sandbox.root / self.data)}

    def live(self, name, fault=None):
        self.arm(None)
        self.revive()
        self.agent.stop()
        self.data, self.token = name, None
        self.start_counted(fault)
        secret = str(uuid.uuid4())
        self.repeated("PUT", "/v1/acl/bootstrap", {"BootstrapSecret": secret}, known=(400,))
        self.token = secret
        self.assertEqual(self.read("/v1/acl/token/self")["Type"], "management")
        other = {"BootstrapSecret": str(uuid.uuid4())}
        again = self.insist("PUT", "/v1/acl/bootstrap", other, known=(400,))
        self.assertIn(b"ACL bootstrap already done", again.body)
        self.insist("PUT", "/v1/var/a", {"Items": {"key": name}}, known=(200,))
        self.assertEqual(self.read("/v1/var/a")["Items"], {"key": name})
        self.assertEqual([one["Name"] for one in self.read("/v1/acl/tokens")], ["Bootstrap Token"])
        return [], ["token", "variable"]
