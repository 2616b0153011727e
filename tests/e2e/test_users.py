# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""As whom tasks run: the users that the operator denies, and those that the agent gives to tasks without one."""
import json
import os
import pathlib
import re
import unittest

import harness
from agent_harness import Agent, agent_config
from harness import IS_ROOT, DroverTest, group, job, one, plugin_file, task
from test_exec import IN_CHROOT, isolated

HAS_EXEC = IS_ROOT and not IN_CHROOT
NEEDS_EXEC = "exec needs an agent that is root and not in a chroot"
SAY = 'echo "$(id -u) $(id -g) $(id -G)"'
STAY = SAY + "; trap 'exit 0' INT TERM; while :; do sleep 0.1 & wait $!; done"


@unittest.skipUnless(HAS_EXEC, NEEDS_EXEC)
class DeniedUserTest(DroverTest):
    def configuration(self, options=None, **config):
        return self.sandbox.write_config(
            plugins={"exec": {"file": str(plugin_file("exec")), "config": config},
                     "raw_exec": {"file": str(plugin_file("raw_exec")), "config": {"enabled": True}}},
            client={"options": options} if options else {})

    def refusal(self, user, driver="exec", **how):
        """Runs a task as USER that may not start, and returns why."""
        spec = one(task("t", "true", driver=driver, User=user),
                   RestartPolicy={"Attempts": 3, "Interval": "10m", "Delay": "10ms", "Mode": "fail"})
        run = self.run_job(spec, code=1, **how)
        self.assertNotIn("Restarting", run.event_types("t"))
        return run.event("t", "Task hook failed")["DisplayMessage"]

    def test_no_form_of_root_gets_past_by_default(self):
        for user in "root", "0":
            self.assertIn(f'validate: running as user "{user}" is disallowed',
                          self.refusal(user, config=self.configuration()))
        for user in "0:0", "root:root":
            self.assertIn(f'running as user "{user}" is disallowed',
                          self.refusal(user, config=self.configuration()))
        for user in "00", "+0", "0x0", " 0", "4294967296":
            self.assertIn(f'user "{user}" is no user', self.refusal(user, config=self.configuration()))

    def test_the_operator_decides(self):
        logs = [({"user.denylist": "daemon"}, "exec", "root"), ({"user.checked_drivers": "java"}, "exec", "root"),
                ({}, "raw_exec", "root")]
        for options, driver, user in logs:
            run = self.run_job(one(task("t", "id -un", driver=driver, User=user)),
                               config=self.configuration(options))
            self.assertEqual(run.logs("t", "stdout"), [user], options)
        denied = {"user.denylist": "daemon", "user.checked_drivers": "exec,raw_exec"}
        daemon = str(uid_of("daemon"))
        for driver in "exec", "raw_exec":
            for user in "daemon", daemon, f"{daemon}:{daemon}":
                self.assertIn(f'running as user "{user}" is disallowed',
                              self.refusal(user, driver, config=self.configuration(denied)))
        # Both must allow it.
        self.assertIn("disallowed", self.refusal(
            "root", config=self.configuration({"user.denylist": "root"}, allow_root=True)))


def uid_of(name):
    """The id of a user of this machine."""
    line = re.search(rf"(?m)^{name}:[^:]*:(\d+):", pathlib.Path("/etc/passwd").read_text())
    return int(line.group(1))


class DynamicUserCase(DroverTest):
    """An agent that gives users from FIRST on to the tasks of raw_exec and exec. The ranges of classes that run
    side by side must differ."""

    FIRST, COUNT = 81000 + (500 if harness.ISOLATION else 0), 10

    def setUp(self):
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()
        self.agent = self.start()

    def tearDown(self):
        if not self._outcome_failed() and self.agent.run.process.poll() is None:
            self.agent.forget_all(self.leftovers)
            self.agent.stop()
        super().tearDown()

    def start(self, **how):
        plugins = {"raw_exec": {"file": str(plugin_file("raw_exec")), "config": {"enabled": True}},
                   "exec": {"file": str(plugin_file("exec"))}}
        users = {"dynamic_user_min": self.FIRST, "dynamic_user_max": self.FIRST + self.COUNT - 1,
                 "dynamic_user_drivers": ["raw_exec", "exec"]}
        return Agent(self.sandbox, dev=False, config=agent_config(
            self.sandbox, plugins=plugins, client={"users": users}), **how)

    def kill(self):
        self.agent.run.process.kill()
        self.agent.run.process.wait()

    def output(self, alloc, name="t"):
        log = self.sandbox.alloc_dirs[0] / alloc / "alloc" / "logs" / f"{name}.stdout.0"
        return log.read_text() if log.exists() else ""

    def users(self, alloc, *names, times=1):
        """Waits until each of the tasks has said TIMES as whom it runs. Returns the last answers."""
        def said():
            lines = [self.output(alloc, name).splitlines() for name in names]
            return [own[-1] for own in lines] if all(len(own) >= times for own in lines) else None
        found = []
        for line in harness.wait_until(said, f"the users of {names}"):
            uid, gid, groups = line.split(maxsplit=2)
            self.assertEqual((gid, groups), (uid, uid), "it has no other group")
            self.assertTrue(self.FIRST <= int(uid) < self.FIRST + self.COUNT, uid)
            found.append(int(uid))
        return found

    def run_tasks(self, name, *tasks, **fields):
        self.agent.submit(job(group(*tasks, **fields), id=name, type="service"))
        return self.agent.wait_allocs(name, 1, "running")[0]["ID"]

    def directory(self, alloc, name="t"):
        return self.sandbox.alloc_dirs[0] / alloc / name


@unittest.skipUnless(HAS_EXEC, NEEDS_EXEC)
class DynamicUserTest(DynamicUserCase):
    def test_each_task_has_a_user_and_its_files(self):
        template = [{"EmbeddedTmpl": "made", "DestPath": "local/made"}]
        identity = {"File": True}
        alloc = self.run_tasks("own", task("a", STAY, Templates=template, Identity=identity),
                               isolated("b", STAY, Templates=template, Identity=identity),
                               task("c", STAY, User="nobody"))
        a, b = self.users(alloc, "a", "b")
        self.assertNotEqual(a, b)
        harness.wait_until(lambda: self.output(alloc, "c"), "the task of nobody")
        self.assertEqual(self.output(alloc, "c").split()[0], str(uid_of("nobody")))
        for name, user in ("a", a), ("b", b):
            directory = self.directory(alloc, name)
            for path in "", "local", "tmp", "secrets", "local/made", "secrets/nomad_token":
                info = os.stat(directory / path)
                self.assertEqual((info.st_uid, info.st_gid), (user, user), (name, path))

    def test_a_restart_and_the_next_agent_keep_it(self):
        alloc = self.run_tasks("kept", task("a", STAY), isolated("b", STAY))
        users = self.users(alloc, "a", "b")
        self.agent.must("PUT", f"/v1/client/allocation/{alloc}/restart", {"AllTasks": True})
        self.assertEqual(self.users(alloc, "a", "b", times=2), users)
        self.kill()
        self.agent = self.start()
        self.agent.wait_allocs("kept", 1, "running")
        # Nobody else gets the users of tasks that have gone on.
        other = self.run_tasks("other", task("a", STAY), isolated("b", STAY))
        self.assertFalse(set(self.users(other, "a", "b")) & set(users))
        self.agent.must("PUT", f"/v1/client/allocation/{alloc}/restart", {"AllTasks": True})
        self.assertEqual(self.users(alloc, "a", "b", times=3), users)

    def test_an_ended_task_leaves_nothing_open(self):
        alloc = self.run_tasks("ended", task("t", STAY))
        user, = self.users(alloc, "t")
        self.agent.must("DELETE", "/v1/job/ended")
        harness.wait_until(lambda: os.stat(self.directory(alloc)).st_uid == 0, "the closed directory")
        self.assertEqual(os.stat(self.directory(alloc) / "local").st_uid, user)

    def test_no_job_names_such_a_user(self):
        self.agent.submit(job(group(task("t", "true", User=str(self.FIRST))), id="named"))
        alloc = self.agent.wait_allocs("named", 1, "failed")[0]["ID"]
        events = self.agent.get(f"/v1/allocation/{alloc}")["TaskStates"]["t"]["Events"]
        self.assertIn("to tasks without a user", json.dumps(events))

    def test_a_sticky_disk_keeps_its_user(self):
        spec = job(group(task("t", "echo x >> local/file; " + STAY),
                         EphemeralDisk={"Sticky": True, "SizeMB": 10}), id="sticky", type="service")
        self.agent.submit(spec)
        first = self.agent.wait_allocs("sticky", 1, "running")[0]["ID"]
        user, = self.users(first, "t")
        spec["Job"]["TaskGroups"][0]["Tasks"][0]["Env"] = {"NEW": "1"}
        self.agent.submit(spec)
        harness.wait_until(lambda: [a["ID"] for a in self.agent.allocs("sticky")
                                    if a["ClientStatus"] == "running" and a["ID"] != first], "the next one")
        second = next(a["ID"] for a in self.agent.allocs("sticky") if a["ID"] != first)
        self.assertEqual(self.users(second, "t"), [user])
        self.assertEqual((self.directory(second) / "local/file").read_text(), "x\nx\n")


@unittest.skipUnless(IS_ROOT, "other users need root")
class UsedUpUserTest(DynamicUserCase):
    """A range of two users. The first one is a user of the machine."""

    FIRST, COUNT = 81100, 2

    def start(self):
        users = pathlib.Path("/etc/passwd").read_text() + f"taken:x:{self.FIRST}:{self.FIRST}::/:/bin/sh\n"
        mount = f"mount --bind {self.sandbox.write('passwd', users)} /etc/passwd"
        return super().start(command=["unshare", "--mount", "sh", "-c", mount + ' && exec "$0" "$@"',
                                      harness.binary()])

    def test_users_of_the_machine_are_not_given_and_the_rest_ends(self):
        alloc = self.run_tasks("first", task("t", STAY))
        self.assertEqual(self.users(alloc, "t"), [self.FIRST + 1])
        self.agent.submit(job(group(task("t", STAY)), id="second"))
        failed = self.agent.wait_allocs("second", 1, "failed")[0]["ID"]
        events = json.dumps(self.agent.get(f"/v1/allocation/{failed}")["TaskStates"]["t"]["Events"])
        self.assertIn(f"all users from {self.FIRST} to {self.FIRST + 1} are in use, 1 of them by tasks", events)
        self.agent.must("DELETE", "/v1/job/first")
        harness.wait_until(lambda: os.stat(self.directory(alloc)).st_uid == 0, "the closed directory")
        self.agent.submit(job(group(task("t", STAY)), id="third", type="service"))
        third = self.agent.wait_allocs("third", 1, "running")[0]["ID"]
        self.assertEqual(self.users(third, "t"), [self.FIRST + 1])


if __name__ == "__main__":
    harness.main()
