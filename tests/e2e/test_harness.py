# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The census of leftovers finds each kind of them. Otherwise every other test proves less."""
import os
import pathlib
import subprocess
import sys
import unittest

import harness
from harness import IS_ROOT, DroverTest, Leftovers, Run, wait_until

FAKE = r'''#!/usr/bin/env python3
import json, os, subprocess, sys, time
print(json.dumps({"Type": "Note", "Message": "up"}), flush=True)
print("no json", flush=True)
print("AddressSanitizer would say this", file=sys.stderr)
sys.exit(7)
'''


class HarnessTest(DroverTest):
    def sleeper(self, env, cwd="/", argument="600"):
        child = subprocess.Popen([sys.executable, "-c", "import time; print(1, flush=True); "
                                  "time.sleep(600)", argument], stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, env=env, cwd=cwd)
        child.stdout.readline()
        child.stdout.close()
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        return child

    def end(self, child):
        child.kill()
        child.wait()

    def test_processes_are_found_by_environment_directory_and_arguments(self):
        root = str(self.sandbox.root)
        for child in (self.sleeper({"NOMAD_ALLOC_DIR": root + "/allocs/x"}),
                      self.sleeper({}, cwd=root), self.sleeper({}, argument=root + "/x")):
            self.assertIn(child.pid, self.leftovers.processes())
            self.assertTrue(any(f"process {child.pid}" in t for t in self.leftovers.found()))
            self.end(child)
        stranger = self.sleeper({})
        self.assertNotIn(stranger.pid, self.leftovers.processes())
        self.end(stranger)

    def test_files_are_found(self):
        self.sandbox.run_dir.mkdir()
        for path in (self.sandbox.run_dir / "0123456789abcdef.sock",
                     self.sandbox.tmp / "drover-run-x"):
            path.touch()
            self.assertIn(path.name, " ".join(self.leftovers.found()))
            path.unlink()
        directory = self.sandbox.alloc_dirs[0] / "12345678-1234-1234-1234-123456789abc"
        directory.mkdir(parents=True)
        self.assertIn(str(directory), " ".join(self.leftovers.found()))
        self.assertEqual(self.leftovers.found(kept=True), [])
        directory.rmdir()

    @unittest.skipUnless(IS_ROOT, "mounts and cgroups need root")
    def test_mounts_and_cgroups_are_found(self):
        place = self.sandbox.root / "mount"
        place.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", place], check=True)
        self.assertIn(f"mount {place}", self.leftovers.found())
        subprocess.run(["umount", place], check=True)
        root = harness.v2_root()
        if root is None:
            self.skipTest("no version 2 hierarchy of cgroups is mounted")
        root.mkdir(exist_ok=True)
        group = root / f"{os.getpid():016x}{0:016x}"
        group.mkdir()
        self.addCleanup(lambda: group.exists() and group.rmdir())
        self.assertNotIn(f"cgroup {group}", self.leftovers.found())
        self.sandbox.run_dir.mkdir()
        socket = self.sandbox.run_dir / (group.name[:16] + ".sock")
        socket.touch()
        self.assertIn(f"cgroup {group}", self.leftovers.found())
        socket.unlink()
        self.assertIn(f"cgroup {group}", self.leftovers.found())
        self.sandbox.seen_runs.clear()
        mine = self.sleeper({"MARK": str(self.sandbox.root)})
        stranger = self.sleeper({})
        (group / "cgroup.procs").write_text(str(stranger.pid))
        self.assertNotIn(f"cgroup {group}", self.leftovers.found())
        (group / "cgroup.procs").write_text(str(mine.pid))
        self.assertIn(f"cgroup {group}", self.leftovers.found())
        for child in (mine, stranger):
            self.end(child)
        wait_until(lambda: not harness.cgroup_processes(group), "the cgroup is empty")
        group.rmdir()

    def test_a_census_that_finds_something_fails(self):
        child = self.sleeper({"MARK": str(self.sandbox.root)})
        with self.assertRaisesRegex(AssertionError, f"process {child.pid}"):
            self.leftovers.clear(self, 0.1)
        self.end(child)
        self.leftovers.clear(self, 5)

    def test_a_run_that_ends_does_not_keep_its_reader_waiting(self):
        fake = self.sandbox.write("fake", FAKE)
        fake.chmod(0o755)
        real, harness.binary = harness.binary, lambda: pathlib.Path(fake)
        try:
            run = Run(self.sandbox, [])
        finally:
            harness.binary = real
        self.assertEqual(run.wait(), 7)
        self.assertEqual(run.notes(), ["up"])
        self.assertEqual(run.broken, ["no json"])
        self.assertRegex("==1==ERROR: AddressSanitizer: x", harness.SANITIZER_REPORT)
        with self.assertRaisesRegex(AssertionError, "the run has ended"):
            run.wait_event("t", "Started")

    def test_everything_of_a_sandbox_is_removed(self):
        sandbox = harness.Sandbox()
        child = subprocess.Popen(["sleep", "600"], env={"MARK": str(sandbox.root)},
                                 stdin=subprocess.DEVNULL)
        locked = sandbox.root / "a" / "b"
        locked.mkdir(parents=True)
        locked.chmod(0)
        wait_until(lambda: Leftovers(sandbox).processes(), "the process is there")
        sandbox.remove()
        self.assertEqual(child.wait(5), -9)
        self.assertFalse(sandbox.root.exists())


if __name__ == "__main__":
    harness.main()
