# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Drover as a unit of systemd with Delegate=yes: the cgroups of its processes, and their limits."""
import json
import os
import pathlib
import subprocess
import unittest

import harness
from harness import DroverTest, group, job, one, task, wait_until

RUNS_SYSTEMD = harness.IS_ROOT and os.path.isdir("/run/systemd/system")
# The shipped unit's lines about cgroups and kills.
DELEGATED = [line for line in (harness.ROOT / "packaging/drover@.service").read_text().splitlines()
             if line.startswith(("Delegate=", "KillMode=", "OOMPolicy=", "TasksMax="))]


def exec_task(name, script, **fields):
    return task(name, config={"command": "/bin/sh", "args": ["-c", script]}, driver="exec",
                **fields)


def systemctl(*arguments):
    return subprocess.run(["systemctl", *arguments], capture_output=True, text=True)


@unittest.skipUnless(RUNS_SYSTEMD, "systemd is not the init of this machine, or this is not root")
class SystemdTest(DroverTest):
    def setUp(self):
        super().setUp()
        self.units = []
        self.addCleanup(self.remove_units)

    def remove_units(self):
        for unit in self.units:
            systemctl("kill", "--signal=KILL", "--kill-who=all", unit)
            systemctl("stop", unit)
            systemctl("reset-failed", unit)

    def start(self, spec, properties=DELEGATED, shell=False):
        """Starts `drover run` as a unit; returns its name."""
        unit = f"{self.sandbox.root.name}-{len(self.units)}.service"
        config = self.sandbox.write_config(plugins={
            "exec": {"file": str(harness.plugin_file("exec"))},
            "raw_exec": {"file": str(harness.plugin_file("raw_exec")),
                         "config": {"enabled": True}}})
        job_file = self.sandbox.write(unit + ".json", spec)
        self.output = self.sandbox.root / "output"
        command = [harness.binary(), "run", "--config", config, "--json", job_file]
        if shell:
            command = ["/bin/sh", "-c", " ".join(map(str, command)) + "; exit $?"]
        self.units.append(unit)
        done = subprocess.run(
            ["systemd-run", "--quiet", "--no-block", "--unit", unit,
             "--property=RemainAfterExit=yes", f"--property=StandardOutput=file:{self.output}",
             *(f"--property={line}" for line in properties), *map(str, command)],
            capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return unit

    def lines(self):
        text = self.output.read_text() if self.output.exists() else ""
        return [json.loads(line) for line in text.splitlines(keepends=True) if line[-1] == "\n"]

    def logs(self):
        return [line["Line"] for line in self.lines() if line["Type"] == "Log"]

    def wait_log(self, text):
        return wait_until(lambda: [line for line in self.logs() if text in line], text)[0]

    def wait_end(self, unit):
        wait_until(lambda: systemctl("show", "-P", "SubState", unit).stdout.strip()
                   in ("exited", "failed", "dead"), f"end of {unit}")
        return systemctl("show", "-P", "ExecMainStatus", unit).stdout.strip()

    def cgroup(self, unit):
        return pathlib.Path(str(harness.v2_root().parent) +
                            systemctl("show", "-P", "ControlGroup", unit).stdout.strip())

    def names(self, directory):
        pids = (directory / "cgroup.procs").read_text().split()
        return sorted({pathlib.Path("/proc", pid, "comm").read_text().strip() for pid in pids})

    def test_the_shipped_units_are_valid_and_delegate(self):
        self.assertIn("Delegate=yes", DELEGATED)
        # The tasks of an agent have a unit of their own, so that the agent can start again beside them.
        agent = [line for line in DELEGATED if line != "Delegate=yes"]
        tasks = [line for line in DELEGATED if not line.startswith("KillMode=")]
        for unit, lines in (("drover@", DELEGATED), ("drover", agent), ("drover-tasks", tasks)):
            path = harness.ROOT / "packaging" / (unit + ".service")
            text = path.read_text()
            for line in lines:
                self.assertIn(line + "\n", text, unit)
            checked = subprocess.run(["systemd-analyze", "verify", "--man=no", str(path)],
                                     capture_output=True, text=True)
            # Tests do not install the program there.
            complaints = [line for line in checked.stderr.splitlines()
                          if "/usr/local/bin/drover is not executable" not in line]
            self.assertEqual(complaints, [], unit)

    def test_agent_shims_and_tasks_have_cgroups_of_their_own(self):
        unit = self.start(one(exec_task("t", "echo ready; exec sleep 1000",
                                        Resources={"CPU": 512, "MemoryMB": 64}), type="service"))
        self.wait_log("ready")
        top = self.cgroup(unit)
        self.assertEqual(self.names(top), [])
        self.assertEqual(self.names(top / "agent"), ["drover", "drover-sweeper"])
        init, shim = self.names(top / "shims")
        self.assertEqual(init, "drover-init")
        self.assertIn("drover-shim", shim)
        (run,) = [path for path in (top / "tasks").iterdir() if path.is_dir()]
        self.assertEqual(self.names(run), ["sleep"])
        self.assertEqual((run / "memory.max").read_text(), f"{64 << 20}\n")
        self.assertEqual((run / "pids.max").read_text(), "4096\n")
        self.assertNotEqual((run / "cpu.weight").read_text(), "100\n")
        # systemd does not touch delegated cgroups.
        self.assertEqual(systemctl("daemon-reload").returncode, 0)
        self.assertEqual(self.names(run), ["sleep"])
        self.assertEqual((run / "memory.max").read_text(), f"{64 << 20}\n")
        self.assertEqual(systemctl("stop", unit).returncode, 0)
        self.assertFalse(top.exists(), "the unit's cgroup is left")

    def test_a_task_that_is_killed_for_memory_does_not_end_the_unit(self):
        unit = self.start(job(
            group(exec_task("hungry", "x=x; while :; do x=$x$x; done",
                            Resources={"CPU": 100, "MemoryMB": 16}), name="a"),
            group(exec_task("other", "until test -e /alloc/data/go; do sleep 0.1; done; "
                                     "echo lived"), name="b")))
        wait_until(lambda: any(line["Type"] == "TaskEvent" and line["Event"]["Type"] == "Terminated"
                               and line["Task"] == "hungry" for line in self.lines()), "the kill")
        self.assertRegex(json.dumps(self.lines()), "(?i)oom")
        for data in self.sandbox.alloc_dirs[0].glob("*/alloc/data"):
            (data / "go").touch()
        self.wait_log("lived")
        self.assertEqual(self.wait_end(unit), "1")

    def test_what_is_left_of_a_killed_agent_is_ended(self):
        unit = self.start(one(exec_task("t", "echo ready; exec sleep 1000"), type="service"))
        self.wait_log("ready")
        top = self.cgroup(unit)
        (run,) = [path for path in (top / "tasks").iterdir() if path.is_dir()]
        self.assertEqual(systemctl("kill", "--kill-who=main", "--signal=KILL", unit).returncode, 0)
        wait_until(lambda: not run.exists(), "the end of the task")

    def test_a_shell_around_the_agent_is_reported(self):
        unit = self.start(one(exec_task("t", "true", Resources={"CPU": 100, "MemoryMB": 16})),
                          shell=True)
        self.assertEqual(self.wait_end(unit), "1")
        self.assertIn("has processes of its own: let its unit start drover itself",
                      json.dumps(self.lines()))

    def test_without_delegation_the_unit_is_left_alone(self):
        unit = self.start(one(exec_task("t", "echo ready; exec sleep 1000"), type="service"), ())
        self.wait_log("ready")
        top = self.cgroup(unit)
        self.assertIn("drover", self.names(top))
        self.assertFalse((top / "tasks").exists())
        self.assertEqual(systemctl("stop", unit).returncode, 0)
