# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Plugins take part in tasks by their hooks: tests/fault_drivers/hooking.c, which breaks each rule when the job
asks for it, and the plugins of examples/hooks."""
import stat

import harness
from agent_harness import Agent, AgentTest, agent_config
from harness import DroverTest, group, job, plugin_file, task
from test_slow_drivers import testdata

# A task that shows what it has got, and stays.
STAY = 'echo "count=$COUNT hooked=$HOOKED" >> "$NOMAD_ALLOC_DIR/data/starts"; exec sleep 3600'
FAST = {"Attempts": 2, "Delay": 10_000_000, "Interval": 60_000_000_000, "Mode": "fail"}


def hook_file(name):
    return str(harness.build_dir() / "examples" / (name + ".so"))


def hooked(script, id="e2e", type="batch", secrets="", policy=harness.NO_RESTART, **stages):
    """A job with one task t, whose meta says what the plugin hooking does at which stage."""
    meta = {f"hook_{stage}": what for stage, what in stages.items()}
    if secrets:
        meta["secrets"] = secrets
    return job(group(task("t", script, Meta=meta), RestartPolicy=policy,
                     ReschedulePolicy={"Attempts": 0, "Unlimited": False}), id=id, type=type)


class HookCase:
    """The agent and its plugins; a part of a test class."""

    def hook_config(self, *hooks, limits=None, **secrets):
        self.calls_file = self.sandbox.root / "calls"
        self.exits = self.sandbox.root / "exits"
        plugins = {
            "raw_exec": {"file": str(plugin_file("raw_exec")), "config": {"enabled": True}},
            "hooking": {"file": str(testdata("hooking")), "config": {"log": str(self.calls_file)},
                        "limits": limits or {}},
            "secrets_file": {"file": hook_file("secrets_file"), "config": {"commands": secrets}},
            "exit_notifier": {"file": hook_file("exit_notifier"), "config": {"file": str(self.exits)}},
        }
        plugins = {name: block for name, block in plugins.items() if name in ("raw_exec", *hooks)}
        return agent_config(self.sandbox, log_level="info", plugins=plugins,
                            client={"task_hooks": list(hooks)})

    def calls(self):
        """The calls of the plugin hooking: (stage, count, exit code or -1)."""
        if not self.calls_file.exists():
            return []
        lines = [line.split() for line in self.calls_file.read_text().splitlines()]
        return [(line[0], int(line[3].removeprefix("count=")), int(line[5].removeprefix("exit=")))
                for line in lines]

    def stages(self):
        return [call[0] for call in self.calls()]

    def run_to_end(self, spec, status):
        """Runs a job to the end of its allocation, and returns the state of its task."""
        self.agent.submit(spec)
        return self.agent.wait_allocs(spec["Job"]["ID"], 1, status)[0]["TaskStates"]["t"]

    def messages(self, state, kind):
        return [event["DisplayMessage"] for event in state["Events"] if event["Type"] == kind]

    def wait_log(self, *texts):
        def told():
            return all(text in self.agent.run.err for text in texts)
        harness.wait_until(told, f"a line of the log with {texts}")


class TaskHookTest(HookCase, AgentTest):
    def start_agent(self):
        return Agent(self.sandbox, config=self.hook_config(
            "hooking", limits={"prestart_hook": "1s", "exited_hook": "500ms", "stop_hook": "500ms"}))

    def test_each_stage_of_a_task(self):
        state = self.run_to_end(hooked('echo "$COUNT"; exit 3', prestart="count", exited="count"), "failed")
        self.assertEqual(self.messages(state, "Task Hook"),
                         ["hooking: prestart number 1", "hooking: exited number 2"])
        self.agent.must("DELETE", "/v1/job/e2e", purge="true")
        harness.wait_until(lambda: "stop" in self.stages(), "the stop hook")
        # Poststart may be left out, since the task may have ended before.
        self.assertEqual([call for call in self.calls() if call[0] != "poststart"],
                         [("prestart", 0, -1), ("exited", 1, 3), ("stop", 2, -1)])

    def test_a_stop_calls_prekill_first(self):
        self.agent.submit(hooked(STAY, type="service", prestart="env"))
        alloc = self.agent.wait_allocs("e2e", 1, "running")[0]["ID"]
        starts = self.sandbox.alloc_dirs[0] / alloc / "alloc/data/starts"
        harness.wait_until(starts.exists, "the start")
        self.assertEqual(starts.read_text(), "count= hooked=yes\n")
        harness.wait_until(lambda: "poststart" in self.stages(), "the poststart hook")
        self.agent.must("PUT", f"/v1/client/allocation/{alloc}/restart", {"TaskName": "t"})
        self.agent.wait_restarts(alloc, t=1)
        harness.wait_until(lambda: self.stages().count("poststart") == 2, "the second poststart hook")
        self.agent.must("DELETE", "/v1/job/e2e")
        self.agent.wait_allocs("e2e", 1, "complete", desired="stop")
        harness.wait_until(lambda: "stop" in self.stages(), "the stop hook")
        once = ["prestart", "poststart", "prekill", "exited"]
        self.assertEqual(self.stages(), once + once + ["stop"])

    def test_what_prestart_may_not_answer_fails_the_start(self):
        for what, why in (("fail", "no luck today"),
                          ("foreign", 'the variable "NOMAD_ALLOC_ID" belongs to the host'),
                          ("relative", 'the host_path of a mount "/tmp/../etc" is no absolute path'),
                          ("garbage", "its answer"),
                          ("hang", "hook"),
                          ("block", "hook"),
                          ("crash", "crashed in hook")):
            with self.subTest(what):
                state = self.run_to_end(hooked("exit 0", id=what, prestart=what), "failed")
                told = self.messages(state, "Task hook failed")
                self.assertEqual(len(told), 1, state["Events"])
                self.assertTrue(told[0].startswith("plugin hooking: "), told)
                self.assertIn(why, told[0])
                self.assertNotIn("Started", [event["Type"] for event in state["Events"]])
        # The plugin is there again, and the agent has not noticed anything else.
        state = self.run_to_end(hooked("exit 0", id="good", policy={**FAST, "Delay": 2_000_000_000},
                                       prestart="env"), "complete")
        self.assertIn("Started", [event["Type"] for event in state["Events"]])

    def test_a_mount_needs_a_driver_that_mounts(self):
        spec = hooked("exit 0", prestart="mount")
        spec["Job"]["TaskGroups"][0]["Tasks"][0]["Meta"]["hook_path"] = "/usr"
        state = self.run_to_end(spec, "failed")
        self.assertIn('it has something for /hooked, but driver "raw_exec" cannot mount',
                      self.messages(state, "Task hook failed")[0])

    def test_what_goes_wrong_after_the_start_changes_no_task(self):
        for stage, what in (("exited", "fail"), ("exited", "late_env"), ("exited", "crash"),
                            ("exited", "hang"), ("poststart", "crash")):
            with self.subTest(f"{stage} {what}"):
                name = f"{stage}-{what}".replace("_", "-")
                state = self.run_to_end(hooked("sleep 0.3; exit 0", id=name, policy={
                    **FAST, "Delay": 2_000_000_000}, **{stage: what}), "complete")
                self.assertFalse(state["Failed"], state)
                self.wait_log(f'{stage} hook "plugin_hooking" failed')

    def test_a_plugin_that_only_has_hooks_is_no_driver(self):
        node = self.agent.get("/v1/nodes")[0]["ID"]
        self.assertNotIn("hooking", self.agent.get(f"/v1/node/{node}")["Drivers"])
        reply = self.agent.ask("PUT", "/v1/jobs", job(group(task("t", driver="hooking", config={}))))
        self.assertEqual(reply.status, 500, reply)
        self.assertIn(b'plugin "hooking" runs no tasks', reply.body)


class KeptHookTest(HookCase, DroverTest):
    """The agent dies, and the next one goes on."""

    def setUp(self):
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()

    def start(self, *hooks, **secrets):
        self.agent = Agent(self.sandbox, dev=False, config=self.hook_config(*hooks, **secrets))

    def kill(self):
        self.agent.run.process.kill()
        self.agent.run.process.wait()

    def end(self):
        self.agent.must("DELETE", "/v1/job/e2e", purge="true")
        harness.wait_until(lambda: "stop" in self.stages(), "the stop hook")
        self.agent.forget_all(self.leftovers)
        self.agent.stop()

    def starts(self):
        return [path.read_text() for path in self.sandbox.alloc_dirs[0].glob("*/alloc/data/starts")]

    def test_between_the_hook_and_the_start(self):
        """The second plugin waits, so the agent dies after the first one has answered."""
        flag = self.sandbox.write("wait", "")
        secrets = {"slow": {"command": ["/bin/sh", "-c",
                                        f"while [ -e {flag} ]; do sleep 0.05; done; echo s3cret"]}}
        self.start("hooking", "secrets_file", **secrets)
        self.agent.submit(hooked(STAY, type="service", secrets="slow", prestart="count"))
        harness.wait_until(lambda: self.stages() == ["prestart"], "the first hook")
        # The command of the second plugin runs when the data of the first one are stored.
        harness.wait_until(lambda: harness.marked_processes(flag), "the command")
        self.kill()
        flag.unlink()
        self.start("hooking", "secrets_file", **secrets)
        self.agent.wait_allocs("e2e", 1, "running")
        harness.wait_until(lambda: self.starts() == ["count=2 hooked=\n"], "the start")
        self.assertEqual([call for call in self.calls() if call[0] == "prestart"],
                         [("prestart", 0, -1), ("prestart", 1, -1)])
        secret = next(self.sandbox.alloc_dirs[0].glob("*/t/secrets/slow"))
        self.assertEqual(secret.read_text(), "s3cret\n")
        self.assertFalse(secret.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH), "nobody else writes it")
        self.end()

    def test_a_task_that_runs_is_not_prepared_again(self):
        self.start("hooking")
        self.agent.submit(hooked(STAY, type="service", prestart="count", poststart="count"))
        self.agent.wait_allocs("e2e", 1, "running")
        harness.wait_until(lambda: self.stages() == ["prestart", "poststart"], "the first hooks")
        harness.wait_until(self.starts, "the start")
        self.kill()
        self.start("hooking")
        harness.wait_until(lambda: self.stages().count("poststart") == 2, "poststart in the next agent")
        self.assertEqual(self.stages().count("prestart"), 1)
        self.assertEqual(self.starts(), ["count=1 hooked=\n"])
        self.end()
        self.assertEqual(self.stages(), ["prestart", "poststart", "poststart", "prekill", "exited", "stop"])

    def test_an_end_is_told_once(self):
        self.start("exit_notifier", "hooking")
        self.agent.submit(hooked("sleep 0.5; exit 4", policy=FAST))
        self.agent.wait_allocs("e2e", 1, "failed")
        self.kill()
        self.start("exit_notifier", "hooking")
        self.agent.wait_allocs("e2e", 1, "failed")
        lines = self.exits.read_text().splitlines()
        self.assertEqual(len(lines), 3, "a first run and two restarts")
        for line in lines:
            self.assertRegex(line, r"^\S+Z default/e2e/g/t alloc=\S+ node=\S+ exit_code=4 signal=0$")
        self.end()


class SecretsFileTest(HookCase, AgentTest):
    def start_agent(self):
        shell = ["/bin/sh", "-c"]
        self.marker = self.sandbox.root / "marker"
        return Agent(self.sandbox, config=self.hook_config(
            "secrets_file",
            who={"command": [*shell, 'echo "$SECRET_NAMESPACE/$SECRET_JOB/$SECRET_TASK/$SECRET_NAME"']},
            broken={"command": [*shell, "echo half; exit 5"]},
            much={"command": ["/usr/bin/head", "-c", "1048577", "/dev/zero"]},
            closed={"command": ["/bin/true"], "namespaces": ["other"]},
            leaves={"command": [*shell, "sleep 3600 & echo mine"]}))

    def test_secrets_of_commands(self):
        state = self.run_to_end(hooked('cat "$NOMAD_SECRETS_DIR/who" "$NOMAD_SECRETS_DIR/leaves" '
                                       '> "$NOMAD_ALLOC_DIR/data/starts"', secrets="who leaves"), "complete")
        self.assertEqual(self.messages(state, "Task Hook"), ["secrets_file: secrets written: who, leaves"])
        alloc = self.agent.allocs("e2e")[0]["ID"]
        text = (self.sandbox.alloc_dirs[0] / alloc / "alloc/data/starts").read_text()
        self.assertEqual(text, "default/e2e/t/who\nmine\n")

    def test_a_secret_that_is_not_there_fails_the_start(self):
        for name, why in (("none", 'there is no secret "none": configure a command for it'),
                          ("broken", "the command /bin/sh has failed with exit code 5"),
                          ("much", "/usr/bin/head prints more than 1 MiB"),
                          ("closed", 'the secret "closed" is not for the namespace "default"')):
            with self.subTest(name):
                state = self.run_to_end(hooked("exit 0", id=name, secrets=name), "failed")
                self.assertIn(why, self.messages(state, "Task hook failed")[0])

    def test_a_link_of_the_task_leads_nowhere(self):
        """The first run puts links in the place of its secret and of its directory."""
        self.marker.write_text("untouched")
        script = f"""
[ -e "$NOMAD_ALLOC_DIR/data/again" ] && exit 0
touch "$NOMAD_ALLOC_DIR/data/again"
rm -f "$NOMAD_SECRETS_DIR/who"; ln -s {self.marker} "$NOMAD_SECRETS_DIR/who"
ln -s {self.marker} "$NOMAD_SECRETS_DIR/.who.part"
exit 1
"""
        state = self.run_to_end(hooked(script, secrets="who", policy=FAST), "complete")
        self.assertEqual(state["Restarts"], 1)
        self.assertEqual(self.marker.read_text(), "untouched")
