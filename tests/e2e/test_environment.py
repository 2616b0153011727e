# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The surroundings of a task of raw_exec: environment, descriptors, directories, and the values of ${...}."""
import json
import os
import signal
import unittest

import harness
from harness import IS_ROOT, DroverTest, group, job, mock, one, task

SHOW = r'''
import json, os, signal, sys
status = dict(line.split(":\t", 1) for line in open("/proc/self/status").read().splitlines())
print(json.dumps({
    "env": dict(entry.split("=", 1) for entry in
                open("/proc/self/environ").read().split("\0") if entry),
    "argv": sys.argv,
    "cwd": os.getcwd(),
    "fds": {int(fd): os.readlink("/proc/self/fd/" + fd) for fd in os.listdir("/proc/self/fd")
            if os.path.exists("/proc/self/fd/" + fd) or fd in "012"},
    "ignored": status["SigIgn"], "blocked": status["SigBlk"],
    "session": os.getsid(0) == os.getpid() or os.getpgid(0) == os.getpid(),
    "oom": open("/proc/self/oom_score_adj").read().strip(),
    "umask": status.get("Umask"),
    "modes": {name: oct(os.stat(os.environ[name]).st_mode & 0o7777) for name in
              ("NOMAD_ALLOC_DIR", "NOMAD_TASK_DIR", "NOMAD_SECRETS_DIR")},
}))
'''


class EnvironmentTest(DroverTest):
    def show(self, arguments=(), env=None, signals=(), **fields):
        """Runs a task that prints its environment."""
        script = self.sandbox.write("show.py", SHOW)
        spec = job(group(task("show", config={
            "command": "/usr/bin/env",
            "args": ["python3", "-I", str(script), *arguments]}, **fields),
            name="grp", Meta={"rack": "group", "only-group": "1"}),
            id="env-job", Meta={"rack": "job", "owner": "me"}, Namespace="ns-1")
        # systemd and shells may pass on such things: an ignored signal, an open descriptor.
        read, write = os.pipe()
        os.set_inheritable(read, True)
        os.set_inheritable(write, True)
        before = {number: signal.signal(number, signal.SIG_IGN) for number in signals}
        try:
            run = self.run_job(spec, env=env)
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
            os.close(read)
            os.close(write)
        return run, json.loads(run.logs("show", "stdout")[0])

    def test_environment_is_exactly_that_of_the_task(self):
        denied = {"AWS_SECRET_ACCESS_KEY": "leak", "MY_TOKEN": "leak", "DB_PASSWORD": "leak",
                  "LD_NO_SUCH": "leak", "NOMAD_ALLOC_ID": "leak", "NOMAD_LEAK": "leak",
                  "NOTIFY_SOCKET": "leak", "DROVER_LEAK": "leak"}
        host = {"HOST_PLAIN": "from the host", "OWN": "from the host", "PATH": os.environ["PATH"]}
        run, shown = self.show(Env={"OWN": "x${NOMAD_TASK_NAME}y", "WITH.DOT-dash": "1"},
                               Meta={"rack": "task"}, env={**denied, **host})
        env = shown["env"]
        alloc = run.placed()[0]
        root = f"{self.sandbox.alloc_dirs[0]}/{alloc['AllocID']}"
        expected = {
            "OWN": "xshowy", "WITH.DOT-dash": "1",
            "NOMAD_ALLOC_DIR": f"{root}/alloc", "NOMAD_TASK_DIR": f"{root}/show/local",
            "NOMAD_SECRETS_DIR": f"{root}/show/secrets",
            "NOMAD_ALLOC_ID": alloc["AllocID"], "NOMAD_SHORT_ALLOC_ID": alloc["AllocID"][:8],
            "NOMAD_ALLOC_NAME": "env-job.grp[0]", "NOMAD_ALLOC_INDEX": "0",
            "NOMAD_TASK_NAME": "show", "NOMAD_GROUP_NAME": "grp", "NOMAD_JOB_ID": "env-job",
            "NOMAD_JOB_NAME": "env-job", "NOMAD_NAMESPACE": "ns-1", "NOMAD_REGION": "global",
            "NOMAD_DC": "dc1", "NOMAD_CPU_LIMIT": "100", "NOMAD_MEMORY_LIMIT": "300",
            "NOMAD_META_rack": "task", "NOMAD_META_RACK": "task", "NOMAD_META_owner": "me",
            "NOMAD_META_OWNER": "me", "NOMAD_META_only_group": "1", "NOMAD_META_ONLY_GROUP": "1",
        }
        for key, value in expected.items():
            self.assertEqual(env.get(key), value, key)
        self.assertNotIn("leak", env.values())
        # Without a root of its own, a task has the host's environment, except denied variables.
        self.assertEqual(env["HOST_PLAIN"], "from the host")
        allowed = set(self.sandbox.environment(host)) | set(expected)
        self.assertLessEqual({key for key in env if key not in allowed},
                             {"NOMAD_PARENT_CGROUP", "NOMAD_MEMORY_MAX_LIMIT"})

    def test_paths_and_host_variables_are_those_of_the_root_that_the_driver_reports(self):
        """mock_driver has the isolation of its configuration, and its tasks print their options."""
        paths = "${NOMAD_ALLOC_DIR} ${NOMAD_TASK_DIR} ${NOMAD_SECRETS_DIR}"
        host = {"PATH": os.environ["PATH"], "HOST_PLAIN": "x"}
        for isolation, inherited in {"none": set(host), "chroot": {"PATH"}, "image": set()}.items():
            how = {"env": host, "config": self.sandbox.write_config("mock.json", plugins={
                "mock_driver": {"file": str(harness.plugin_file("mock_driver")),
                                "config": {"fs_isolation": isolation}}})}
            printers = {name: mock(name, stdout_string='${env["%s"]}\n' % name) for name in host}
            run = self.run_job(one(mock("show", stdout_string=paths + " $NOMAD_TASK_DIR\n"),
                                   *(printers[name] for name in inherited)), **how)
            root = f"{self.sandbox.alloc_dirs[0]}/{run.placed()[0]['AllocID']}"
            seen = (f"{root}/alloc {root}/show/local {root}/show/secrets" if isolation == "none"
                    else "/alloc /local /secrets")
            self.assertEqual(run.logs("show"), [seen + " $NOMAD_TASK_DIR"], isolation)
            for name in inherited:
                self.assertEqual(run.logs(name), [host[name]], isolation)
            for name in set(host) - inherited:
                run = self.run_job(one(printers[name]), code=1, **how)
                self.assertIn("Failed Validation", run.event_types(name), isolation)

    def test_descriptors_signals_and_directories(self):
        _, shown = self.show(signals=(signal.SIGHUP, signal.SIGUSR2))
        self.assertEqual(sorted(shown["fds"]), ["0", "1", "2"], shown["fds"])
        self.assertEqual(shown["fds"]["0"], "/dev/null")
        # Python itself ignores SIGPIPE and SIGXFSZ.
        own = (1 << (signal.SIGPIPE - 1)) | (1 << (signal.SIGXFSZ - 1))
        self.assertEqual(int(shown["ignored"], 16) & ~own, 0)
        self.assertEqual(int(shown["blocked"], 16), 0)
        self.assertTrue(shown["session"], "a task leads a group of its own")
        self.assertEqual(shown["oom"], "0")
        self.assertEqual(shown["cwd"], os.path.dirname(shown["env"]["NOMAD_TASK_DIR"]))
        self.assertEqual(shown["modes"], {"NOMAD_ALLOC_DIR": "0o1777", "NOMAD_TASK_DIR": "0o755",
                                          "NOMAD_SECRETS_DIR": "0o700"})

    def test_arguments_are_interpolated(self):
        _, shown = self.show(["${NOMAD_JOB_NAME}-${NOMAD_META_owner}", "${env[\"NOMAD_DC\"]}",
                              "${attr.kernel.name}", "$HOME", "a b", "", "$${x}"],
                             Env={"A": "${NOMAD_ALLOC_NAME}/${unknown.thing}"})
        argv = shown["argv"][1:]
        self.assertEqual(argv[0], "env-job-me")
        self.assertEqual(argv[1], "dc1")
        self.assertEqual(argv[2], "linux")
        self.assertEqual(argv[3:], ["$HOME", "a b", "", "${x}"])
        # In an environment, unknown references stay unchanged.
        self.assertEqual(shown["env"]["A"], "env-job.grp[0]/${unknown.thing}")

    def test_unknown_variable_in_a_configuration_is_an_error(self):
        run = self.run_job(one(task("t", config={"command": "/bin/echo",
                                                 "args": ["${NOMAD_META_nothing_here}"]})), code=1)
        self.assertNotIn("Started", run.event_types("t"))
        self.assertIn("NOMAD_META_nothing_here", str(run.events("t")))

    def test_node_of_the_configuration_is_seen(self):
        config = self.sandbox.write_config("node.json", name="node-7", datacenter="dc9",
                                           region="eu", client={"meta": {"rack": "r1"},
                                                                "node_class": "big"})
        run = self.run_job(one(task("t", config={
            "command": "/bin/echo", "args": ["${node.unique.name} ${node.datacenter} "
                                             "${node.region} ${meta.rack} ${node.class}"]})), config=config)
        self.assertEqual(run.logs("t"), ["node-7 dc9 eu r1 big"])

    def test_directories_are_shared_and_kept_apart_as_promised(self):
        run = self.run_job(one(
            task("first", "echo shared > $NOMAD_ALLOC_DIR/data/f; echo own > $NOMAD_TASK_DIR/f; "
                          "echo secret > $NOMAD_SECRETS_DIR/f", Lifecycle={"Hook": "prestart"}),
            task("second", "cat $NOMAD_ALLOC_DIR/data/f; ls $NOMAD_TASK_DIR $NOMAD_SECRETS_DIR")))
        self.assertEqual(run.logs("second", "stdout")[0], "shared")
        self.assertNotIn("f", run.logs("second"))

    @unittest.skipUnless(IS_ROOT, "secrets are a tmpfs only with root")
    def test_secrets_are_in_memory(self):
        run = self.run_job(one(task("t", "stat -f -c %T $NOMAD_SECRETS_DIR")))
        self.assertEqual(run.logs("t"), ["tmpfs"])

    @unittest.skipUnless(IS_ROOT, "another user needs root")
    def test_user_of_the_task(self):
        run = self.run_job(one(task("t", "id -u; id -g; id -G; umask", User="nobody")))
        shown = run.logs("t", "stdout")
        self.assertEqual(shown[0], "65534")
        self.assertEqual(shown[1], shown[2], "no groups of the agent")

    def test_work_dir(self):
        run = self.run_job(one(task("t", config={"command": "/bin/pwd", "work_dir": "/usr"})))
        self.assertEqual(run.logs("t"), ["/usr"])

    def test_program_in_the_task_directory(self):
        run = self.run_job(one(
            task("main", config={"command": "prog", "args": ["x"]}),
            task("make", "d=$NOMAD_ALLOC_DIR/../main/local; mkdir -p $d; "
                         "printf '#!/bin/sh\\necho mine $1\\n' > $d/prog",
                 Lifecycle={"Hook": "prestart"})))
        self.assertEqual(run.logs("main"), ["mine x"])


if __name__ == "__main__":
    harness.main()
