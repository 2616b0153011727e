# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Every option of every driver, in a job as clients send it, and its effect. The drivers' own schemas list
the options. The test fails for an option that no job here has."""
import json
import os
import pathlib
import unittest

import nomad
from nomad.api import exceptions

import harness
from agent_harness import Agent, AgentTest, agent_config
from harness import group, job, task
from test_exec import IN_CHROOT

DRIVERS = {"raw_exec": {"enabled": True}, "mock_driver": {}, "exec": {"default_pid_mode": "host"}}
SHELL = "/bin/sh"


def options_of(driver, sandbox):
    """The names of the driver's options, "a.b" for an option inside another."""
    shown = sandbox.command("plugin", "inspect", "--json", harness.plugin_file(driver))
    names = set()
    for name, schema in json.loads(shown.out)["TaskConfigSchema"]["properties"].items():
        names.add(name)
        names.update(f"{name}.{inner}" for inner in schema.get("properties", {}))
    return names


class DriverOptionsTest(AgentTest):
    def setUp(self):
        super().setUp()
        self.agent.stop()
        self.agent = Agent(self.sandbox, config=agent_config(self.sandbox, "options.json", plugins={
            driver: {"file": str(harness.plugin_file(driver)), "config": config}
            for driver, config in DRIVERS.items()}))
        host, port = self.agent.address.split(":")
        self.nomad = nomad.Nomad(host=host, port=int(port), timeout=30)
        self.used = set()
        self.count = 0

    def submit(self, driver, config, **fields):
        """Runs a job of one task with this configuration, and returns its id."""
        for name, value in config.items():
            inner = value[0] if isinstance(value, list) and value and isinstance(value[0], dict) else {}
            self.used.add(name)
            self.used.update(f"{name}.{key}" for key in inner)
        self.count += 1
        name = f"job-{self.count}"
        group_fields = {"RestartPolicy": fields.pop("RestartPolicy", harness.NO_RESTART)}
        spec = job(group(task("t", config=config, driver=driver, **fields), **group_fields), id=name)
        self.nomad.job.register_job(name, spec)
        return name

    def alloc(self, name, *statuses):
        def there():
            for alloc in self.nomad.job.get_allocations(name):
                if alloc["ClientStatus"] in statuses:
                    return alloc
            return None
        return harness.wait_until(there, f"{name} is {statuses}")

    def ended(self, driver, config, **fields):
        """The end of the task of such a job."""
        alloc = self.alloc(self.submit(driver, config, **fields), "complete", "failed")
        state = alloc["TaskStates"]["t"]
        state["ID"] = alloc["ID"]
        return state

    def runs(self, driver, config, **fields):
        """The id of the allocation of such a job, whose task runs."""
        alloc = self.alloc(self.submit(driver, config, **fields), "running", "failed")
        self.assertEqual(alloc["ClientStatus"], "running", alloc["TaskStates"])
        return alloc["ID"]

    def log(self, alloc, stream="stdout"):
        try:
            return self.nomad.client.stream_logs.stream(alloc, "t", stream, plain=True)
        except exceptions.URLNotFoundNomadException:
            return ""

    def output(self, driver, script, config=None, **fields):
        state = self.ended(driver, {"command": SHELL, "args": ["-c", script], **(config or {})},
                           **fields)
        self.assertFalse(state["Failed"], state["Events"])
        return self.log(state["ID"])

    def messages(self, state):
        return "\n".join(event["DisplayMessage"] for event in state["Events"])

    def has_used_all(self, driver):
        self.assertEqual(options_of(driver, self.sandbox) - self.used, set())

    def test_raw_exec(self):
        driver = "raw_exec"
        self.assertEqual(self.output(driver, "echo $0", {"args": ["-c", "echo $0", "me"]}), "me\n")
        self.assertEqual(self.output(driver, "pwd", {"work_dir": "/proc"}), "/proc\n")
        self.assertEqual(self.output(driver, "cat /proc/self/oom_score_adj",
                                     {"oom_score_adj": 567}), "567\n")
        self.assertEqual(self.output(driver, 'echo "<$SECRET_A>" $SHOWN',
                                     {"denied_envvars": ["SECRET*"]},
                                     Env={"SECRET_A": "x", "SHOWN": "y"}), "<> y\n")
        for option, value, name in self.given_cgroups():
            self.assertIn(name, self.output(driver, "cat /proc/self/cgroup", {option: value}))
        both = self.ended(driver, {"command": SHELL, "cgroup_v2_override": "a.slice/b.scope",
                                   "cgroup_v1_override": [{"pids": "a/b"}]})
        self.assertIn("only one of", self.messages(both))
        self.has_used_all(driver)

    def given_cgroups(self):
        """Options that name an existing cgroup, and the cgroup's name."""
        name = f"drover-e2e-given-{os.getpid()}"
        for option, value, parent in (
                ("cgroup_v2_override", name, harness.v2_root() and harness.v2_root().parent),
                # A block of a job file comes as a list of one object.
                ("cgroup_v1_override", [{"pids": name}], pathlib.Path("/sys/fs/cgroup/pids"))):
            if not harness.IS_ROOT or parent is None or not parent.is_dir():
                print(f"{option} needs root and a hierarchy of that version", flush=True)
                continue
            (parent / name).mkdir()
            self.addCleanup(harness.wait_until, lambda path=parent / name: remove(path), "rmdir")
            yield option, value, name

    @unittest.skipUnless(harness.IS_ROOT and not IN_CHROOT, "exec needs root, and no chroot")
    def test_exec(self):
        driver = "exec"
        self.assertEqual(self.output(driver, "echo $0", {"args": ["-c", "echo $0", "me"]}), "me\n")
        self.assertLess(int(self.output(driver, "echo $$", {"pid_mode": "private"})), 8)
        own = os.readlink("/proc/self/ns/ipc")
        self.assertNotEqual(self.output(driver, "readlink /proc/self/ns/ipc",
                                        {"ipc_mode": "private"}).strip(), own)
        self.assertEqual(self.output(driver, "grep CapEff /proc/self/status | cut -f2",
                                     {"cap_add": ["net_bind_service"], "cap_drop": ["all"]}),
                         "0000000000000400\n")
        self.assertEqual(self.output(driver, "cat /proc/self/oom_score_adj",
                                     {"oom_score_adj": 345}), "345\n")
        self.assertEqual(self.output(driver, "pwd", {"work_dir": "/tmp"}), "/tmp\n")
        limited = self.runs(driver, {"command": SHELL, "cpu_hard_limit": True, "args": [
            "-c", "echo x; exec sleep 1000"]}, Resources={"CPU": 100, "MemoryMB": 64})
        pids = self.nomad.client.allocation.read_allocation_stats(limited)["Tasks"]["t"]["Pids"]
        self.assertTrue(any(quota.isdigit() and int(quota) <= 25000
                            for quota in quotas(next(iter(pids)))), pids)
        self.has_used_all(driver)

    def test_mock_driver(self):
        driver = "mock_driver"
        state = self.ended(driver, {"run_for": "10ms", "exit_code": 5, "exit_signal": 0,
                                    "exit_err_msg": "as told", "kill_after": "1s"})
        ended = next(e for e in state["Events"] if e["Type"] == "Terminated")
        self.assertEqual((ended["ExitCode"], ended["Details"].get("exit_message")),
                         (5, "as told"), ended)
        state = self.ended(driver, {"run_for": "10ms", "exit_signal": 15})
        self.assertIn("Signal: 15", self.messages(state))
        state = self.ended(driver, {
            "run_for": "50ms", "stdout_string": "o", "stdout_repeat": 2,
            "stdout_repeat_duration": "1ms", "stderr_string": "e", "stderr_repeat": 1,
            "stderr_repeat_duration": "1ms"})
        self.assertEqual((self.log(state["ID"]), self.log(state["ID"], "stderr")), ("ooo", "ee"))
        self.starts(driver)
        self.beside(driver)
        self.statistics(driver)
        self.prepares_and_news(driver)
        # Faults in calls that no job here makes. Other tests have a host for them.
        state = self.ended(driver, {"run_for": "10ms", "hang_in": "recover", "crash_in": "recover",
                                    "crash_by": "abort", "silent_in": "recover",
                                    "renew_handle": True})
        self.assertFalse(state["Failed"])
        self.assertIn("mock failure in start", self.messages(self.ended(driver, {"fail_in": "start"})))
        self.has_used_all(driver)

    def starts(self, driver):
        once = {**harness.NO_RESTART, "Attempts": 1}
        state = self.ended(driver, {"start_error": "broken"}, RestartPolicy=once)
        self.assertEqual((state["Restarts"], state["Failed"]), (0, True))
        self.assertIn("broken", self.messages(state))
        state = self.ended(driver, {"start_error": "broken", "start_error_recoverable": True},
                           RestartPolicy=once)
        self.assertEqual((state["Restarts"], state["Failed"]), (1, True))
        state = self.ended(driver, {"start_block_for": "300ms", "run_for": "10ms"})
        times = {event["Type"]: event["Time"] for event in state["Events"]}
        self.assertGreaterEqual(times["Started"] - times["Task Setup"], 300_000_000)
        self.assertIn("malformed port map",
                      self.messages(self.ended(driver, {"driver_port_map": "http"})))
        self.runs(driver, {"run_for": "1h", "driver_ip": "10.0.0.1", "driver_advertise": True,
                           "driver_port_map": "http:8080"})
        self.ended(driver, {"run_for": "300ms", "plugin_exit_after": "50ms"})

    def beside(self, driver):
        """Signals and commands. A block of a job file comes as a list of one object."""
        alloc = self.runs(driver, {"run_for": "1h", "signal_error": "will not", "exec_command": [{
            "run_for": "10ms", "exit_code": 3, "exit_signal": 0, "exit_err_msg": "",
            "signal_error": "", "stdout_string": "o", "stdout_repeat": 1,
            "stdout_repeat_duration": "1ms", "stderr_string": "e", "stderr_repeat": 2,
            "stderr_repeat_duration": "1ms"}]})
        with self.assertRaises(exceptions.BaseNomadException) as refused:
            self.nomad.client.allocation.signal_allocation(alloc, "SIGHUP", "t")
        self.assertIn("will not", refused.exception.nomad_resp.text)
        done = self.sandbox.command("alloc", "exec", alloc, "anything",
                                    env={"DROVER_ADDR": self.agent.url})
        self.assertEqual((done.code, done.out, done.err), (3, "oo", "eee"))

    def statistics(self, driver):
        def samples(**config):
            alloc = self.runs(driver, {"run_for": "1h", **config})
            return self.nomad.client.allocation.read_allocation_stats(alloc)["Tasks"]
        self.assertEqual(samples(stats_unimplemented=True), {})
        self.assertEqual(samples(stats_error="none today", stats_error_recoverable=False), {})
        self.assertEqual(list(samples(stats_close_after=1, stats_late_message=True)), ["t"])
        self.assertEqual(list(samples(stats_each_interval=True)), ["t"])

    def prepares_and_news(self, driver):
        state = self.ended(driver, {"run_for": "10ms", "prepare_key": "a thing", "prepare_for": "10ms",
                                    "prepare_error": "no such thing as hunter2", "secret": "hunter2"})
        self.assertIn("no such thing as <redacted>", self.messages(state))
        alloc = self.runs(driver, {"run_for": "1h", "news_after": "10ms", "news_ip": "10.9.8.7",
                                   "news_health": "unhealthy", "news_text": "no heartbeat",
                                   "news_of_nobody": True})

        def told():
            state = self.nomad.allocation.get_allocation(alloc)["TaskStates"]["t"]
            return "Task became unhealthy: no heartbeat" in self.messages(state)
        harness.wait_until(told, "the news of the task")


def remove(directory):
    """Whether a cgroup could be removed. That takes a moment after the end of its processes."""
    try:
        directory.rmdir()
    except OSError:
        return False
    return True


def quotas(pid):
    """The limits of processor time that the cgroups of a process set."""
    found = []
    for line in pathlib.Path(f"/proc/{pid}/cgroup").read_text().splitlines():
        _, names, path = line.split(":", 2)
        file = pathlib.Path(f"/sys/fs/cgroup/{path}/cpu.max" if names == "" else
                            f"/sys/fs/cgroup/cpu/{path}/cpu.cfs_quota_us")
        if (names == "" or "cpu" in names.split(",")) and file.exists():
            found += file.read_text().split()[:1]
    return found
