# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The real dpkg installs the Debian package, upgrades it under running tasks, and removes it. This happens in
a mount namespace, where this machine's files are below an overlay. The test records the calls of systemd. The
virtual machine shows their effect (tests/vm/reboot.py)."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import unittest

import harness
from agent_harness import Agent
from harness import DroverTest, group, job, task, wait_until
from small_machine import SmallMachine, children

SYSTEMCTL = '#!/bin/sh\necho "$*" >> "{}"\n'
# The directories to which dpkg writes.
CHANGED = ("/usr", "/etc", "/var")


@unittest.skipUnless(harness.IS_ROOT and shutil.which("dpkg-deb"), "it needs root, and dpkg")
class PackageTest(DroverTest):
    def setUp(self):
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()
        self.machine = SmallMachine(self.sandbox)
        self.addCleanup(self.machine.off)
        self.calls = self.sandbox.root / "calls"
        self.has_hcl = (harness.build_dir() / "bin/drover-hcl").exists()
        self.without_hcl = [] if self.has_hcl else ["--without-hcl"]
        layers = self.sandbox.root / "layers"
        script = [f"cd {self.sandbox.root}", f"mount -t tmpfs layers {layers}"]
        layers.mkdir()
        for path in CHANGED:
            upper, work = (f"{layers}{path}-{name}" for name in ("upper", "work"))
            script.append(f"mkdir -p {upper} {work} && mount -t overlay -o "
                          f"lowerdir={path},upperdir={upper},workdir={work} overlay {path}")
        # The test's directory, which may be below /var, is not in the overlay.
        script.append(f"mount --no-canonicalize --rbind . {self.sandbox.root}")
        script.append("mkdir -p /run/systemd && mount -t tmpfs units /run/systemd && "
                      "mkdir /run/systemd/system")
        fake = self.sandbox.write("systemctl", SYSTEMCTL.format(self.calls))
        script.append(f"install -m 755 {fake} /usr/bin/systemctl")
        done = self.inside("sh", "-ec", "\n".join(script))
        if done.returncode != 0:
            self.skipTest(f"there can be no overlay here: {done.stderr.strip()}")

    def inside(self, *command):
        return subprocess.run([*self.machine.enter, *map(str, command)], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, cwd="/")

    def must(self, *command):
        done = self.inside(*command)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}\n{done.stderr}")
        return done.stdout.strip()

    def install(self, version):
        file = self.sandbox.root / f"drover-{version}.deb"
        subprocess.run([sys.executable, "-B", harness.ROOT / "packaging/deb.py", harness.build_dir(),
                        file, "--version", version, *self.without_hcl], check=True)
        # Without its dependencies, which the machine of the build has.
        self.must("dpkg", "-i", "--force-depends", "--force-confold", "--force-unsafe-io", file)

    def systemd_calls(self):
        """The calls of systemd since the last call of this."""
        text = self.calls.read_text() if self.calls.exists() else ""
        self.calls.write_text("")
        return text.splitlines()

    def start(self):
        return Agent(self.sandbox, dev=False, config=self.config,
                     command=[*self.machine.enter, "/usr/bin/drover"])

    def executable(self):
        return os.readlink(f"/proc/{children(self.agent.run.pid)[0]}/exe")

    def end_agent(self):
        self.machine.signal_agent(self.agent.run, signal.SIGTERM)
        self.agent.run.wait()

    def test_tasks_do_not_notice_an_upgrade(self):
        self.install("0.1.0~test1")
        self.assertEqual(self.systemd_calls(), ["daemon-reload"])
        installed = pathlib.Path(f"/proc/{self.machine.first}/root")
        self.assertEqual((installed / "usr/bin/drover-hcl").exists(), self.has_hcl)
        config = installed / "etc/drover/agent.json"
        text = "".join(line for line in config.read_text().splitlines(True) if "//" not in line)
        fields = {**json.loads(text), "data_dir": str(self.sandbox.root / "data"),
                  "client": {"alloc_dir": str(self.sandbox.alloc_dirs[0]),
                             "run_dir": str(self.sandbox.run_dir)}}
        fields["plugins"]["raw_exec"] = {"config": {"enabled": True}}
        self.config = self.sandbox.write("installed.json", fields)
        config.write_text("// mine\n" + text)
        unit = (installed / "usr/lib/systemd/system/drover.service").read_text()
        self.assertIn("ExecStart=/usr/bin/drover agent ", unit)
        self.agent = self.start()
        script = "echo start >> $NOMAD_ALLOC_DIR/data/starts; exec sleep 1000"
        self.agent.submit(job(group(task("t", script), Count=3), id="web", type="service"))
        self.agent.wait_allocs("web", 3, "running")
        starts = lambda: [path.read_text() for path in
                          self.sandbox.alloc_dirs[0].glob("*/alloc/data/starts")]
        wait_until(lambda: starts() == ["start\n"] * 3, "all tasks have begun")
        sleeping = lambda: {pid for pid, line in self.leftovers.processes().items()
                            if line == "sleep 1000"}
        before = sleeping()
        self.assertEqual(len(before), 3)

        self.install("0.1.0~test2")
        self.assertEqual(self.systemd_calls(), ["daemon-reload", "try-restart drover.service"])
        self.assertIn("// mine", config.read_text())
        self.assertEqual(self.executable(), "/usr/bin/drover (deleted)")
        # The old agent stays in charge until systemd restarts it.
        self.agent.wait_allocs("web", 3, "running")
        self.end_agent()
        self.agent = self.start()
        self.assertEqual(self.executable(), "/usr/bin/drover")
        self.agent.wait_allocs("web", 3, "running")
        self.assertEqual(sleeping(), before)
        self.assertEqual(starts(), ["start\n"] * 3)

        self.agent.must("DELETE", "/v1/job/web", purge="true")
        wait_until(lambda: not sleeping(), "the end of the tasks")
        wait_until(lambda: all(a["ClientStatus"] == "complete"
                               for a in self.agent.get("/v1/allocations")), "their report")
        self.agent.must("PUT", "/v1/system/gc")
        self.end_agent()
        self.must("dpkg", "-r", "drover")
        self.assertEqual(self.systemd_calls(), ["disable --quiet --now drover.service", "daemon-reload"])
        self.assertFalse((installed / "usr/bin/drover").exists())
        self.machine.cut()


if __name__ == "__main__":
    harness.main()
