# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Jobs of the driver exec: what an isolated task has, what it cannot reach, how it is limited."""
import json
import pathlib
import unittest

import harness
from harness import IS_ROOT, DroverTest, one, task


def isolated(name, script, config=None, **fields):
    return task(name, config={"command": "/bin/sh", "args": ["-c", script], **(config or {})},
                driver="exec", **fields)


@unittest.skipUnless(IS_ROOT, "exec needs an agent that is root")
class ExecTest(DroverTest):
    def configuration(self, **config):
        return self.sandbox.write_config("exec.json", plugins={
            "exec": {"file": str(harness.plugin_file("exec")), "config": config}})

    def output(self, script, task_config=None, config=None, code=0, **fields):
        run = self.run_job(one(isolated("look", script, task_config, **fields)),
                           config=self.configuration(**(config or {})), code=code)
        return "".join(line + "\n" for line in run.logs("look", "stdout"))

    def test_a_task_has_its_directories_and_only_those(self):
        text = self.output(
            "id -un; pwd; echo $NOMAD_ALLOC_DIR $NOMAD_TASK_DIR $NOMAD_SECRETS_DIR; "
            "echo x > ${NOMAD_TASK_DIR}/a && echo x > ${NOMAD_ALLOC_DIR}/data/a && "
            "echo x > ${NOMAD_SECRETS_DIR}/a && echo x > /tmp/a && echo written; "
            f"test -e {self.sandbox.root} && echo leak; "
            "echo x 2>&1 > /alloc/logs/mine || echo read-only")
        self.assertEqual(text.split("\n")[:4], ["nobody", "/", "/alloc /local /secrets", "written"])
        self.assertNotIn("leak", text)
        self.assertIn("read-only", text)

    def test_command_of_the_local_directory_and_of_the_path(self):
        self.assertEqual(self.output("sh -c 'echo found'", {"command": "sh"}), "found\n")

    def test_capabilities_follow_job_and_operator(self):
        show = "grep -E 'CapEff|CapBnd' /proc/self/status | cut -f2"
        self.assertEqual(self.output(show), "0000000000000000\n00000000a80405fb\n")
        self.assertEqual(self.output(show, {"cap_add": ["net_bind_service"], "cap_drop": ["all"]}),
                         "0000000000000400\n0000000000000400\n")

    def test_what_the_operator_does_not_allow_is_refused(self):
        for config, operator, message in (
                ({"cap_add": ["sys_admin"]}, {}, "allow_caps: sys_admin"),
                ({"pid_mode": "host"}, {}, "pid_mode \"host\" is not allowed"),
                ({"ipc_mode": "shared"}, {}, "ipc_mode must be"),
                ({"work_dir": "here"}, {}, "work_dir must be absolute but got relative path"),
                ({}, {"denied_host_uids": "65534"}, "running as uid 65534 is disallowed")):
            with self.subTest(message):
                run = self.run_job(one(isolated("look", "true", config)),
                                   config=self.configuration(**operator), code=1)
                self.assertIn(message, json.dumps(run.lines).replace("\\\"", "\""))

    def test_root_is_refused_as_a_user(self):
        run = self.run_job(one(isolated("look", "true", User="root")),
                           config=self.configuration(), code=1)
        self.assertIn('running as user "root" is disallowed',
                      run.event("look", "Task hook failed")["DisplayMessage"])

    def test_host_processes_are_seen_where_the_operator_allows_it(self):
        # Other users' processes are hidden either way; the numbers tell which namespace it is.
        own = "echo $$; ls -d /proc/[0-9]* | wc -l"
        number, count = map(int, self.output(own).split())
        self.assertLess(max(number, count), 8)
        number, _ = map(int, self.output(own, {"pid_mode": "host"},
                                         {"default_pid_mode": "host"}).split())
        self.assertGreater(number, 8)

    def test_memory_is_limited_and_told(self):
        run = self.run_job(one(isolated("look", "x=x; while :; do x=$x$x; done",
                                        Resources={"CPU": 100, "MemoryMB": 16})),
                           config=self.configuration(), code=1)
        self.assertRegex(json.dumps(run.lines), "(?i)oom")

    def test_the_example_runs(self):
        job = pathlib.Path(__file__).parents[2] / "examples" / "jobs" / "exec.json"
        run = self.run_job(job, config=self.configuration(), code=0)
        self.assertIn("listening on", "\n".join(run.logs("web", "stdout")))


if __name__ == "__main__":
    harness.main()
