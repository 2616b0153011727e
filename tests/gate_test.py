#!/usr/bin/env python3
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The gate itself (./dev test): tests that run a second time, once, or not again."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import second_try

ROOT = pathlib.Path(__file__).resolve().parents[1]
PRESETS = """{"version": 6, "configurePresets": [{"name": "release", "generator": "Ninja",
  "binaryDir": "${sourceDir}/build/release"}], "testPresets": [{"name": "release", "configurePreset": "release"}]}"""
# A test notes each of its runs in a file of its name. It fails as often as the file NAME.fails has lines.
TEST = """#!/bin/sh
echo run >>"$1"
[ "$(wc -l <"$1")" -gt "$(wc -l <"$1.fails")" ]
"""


class GateProject(unittest.TestCase):
    """A project with the gate of this repository, and with its own tests."""

    LANGUAGES = "NONE"

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = pathlib.Path(directory.name) / "project"
        self.notes = pathlib.Path(directory.name) / "notes"
        for path in (self.root / "host", self.root / "tests", self.notes):
            path.mkdir(parents=True)
        for name in ("dev", "tests/kept.py", "tests/second_try.py"):
            shutil.copy(ROOT / name, self.root / name)
        (self.root / ".gitignore").write_text("build/\n")
        (self.root / "CMakePresets.json").write_text(PRESETS)
        self.lists = ["cmake_minimum_required(VERSION 3.25)",
                      f"project(Gate LANGUAGES {self.LANGUAGES})", "enable_testing()"]
        subprocess.run(["git", "init", "-q"], cwd=self.root, check=True)

    def gate(self, labels="fast|e2e"):
        """Builds, and tests what has one of LABELS. Returns the output of bash."""
        (self.root / "CMakeLists.txt").write_text("\n".join(self.lists))
        env = {key: value for key, value in os.environ.items() if not key.startswith("CTEST_")}
        script = f"""set -e
            cmake --preset release >/dev/null
            cmake --build build/release >/dev/null
            source ./dev
            tests_of_processes release everything -L '{labels}'
            echo "second tries: ${{second_tries[*]}}" """
        return subprocess.run(["bash", "-c", script], cwd=self.root, env=env, capture_output=True, text=True)

    def runs(self, name):
        return len((self.notes / name).read_text().splitlines())


    def add(self, name, fails=0, label="e2e"):
        """Adds a test that is a script."""
        (self.root / "test.sh").write_text(TEST)
        (self.notes / name).touch()
        (self.notes / f"{name}.fails").write_text("\n" * fails)
        self.lists += [f'add_test(NAME "{name}" COMMAND sh {self.root}/test.sh "{self.notes / name}")',
                       f'set_tests_properties("{name}" PROPERTIES LABELS {label})']


class SecondTryTest(GateProject):
    def test_what_failed_once_runs_again_and_nothing_else_does(self):
        self.add("e2e.Good")
        self.add("e2e.Flaky", fails=1)
        self.add("e2e.Long", label="long")
        done = self.gate()
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("second tries: e2e.Flaky", done.stdout)
        self.assertEqual([self.runs(name) for name in ("e2e.Good", "e2e.Flaky", "e2e.Long")], [1, 2, 0])

    def test_what_fails_twice_fails(self):
        self.add("e2e.Bad", fails=2)
        done = self.gate()
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(self.runs("e2e.Bad"), 2)

    def test_a_failure_on_simulated_time_is_not_tried_again(self):
        self.add("task.RestartTest.Waits", fails=1, label="fast")
        done = self.gate()
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("simulated time", done.stderr)
        self.assertEqual(self.runs("task.RestartTest.Waits"), 1)

    def test_many_failures_are_no_accident(self):
        for i in range(4):
            self.add(f"e2e.Flaky{i}", fails=1)
        done = self.gate()
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("4 tests failed, too many", done.stderr)
        self.assertEqual(self.runs("e2e.Flaky0"), 1)


class KeptTest(GateProject):
    """A test that does not run again while its program, C code of the project, is unchanged."""

    LANGUAGES = "C"

    def setUp(self):
        super().setUp()
        (self.notes / "unit").touch()
        self.lists += ["add_executable(unit_test test.c)",
                       f"add_test(NAME unit.A COMMAND unit_test {self.notes / 'unit'})",
                       "set_tests_properties(unit.A PROPERTIES LABELS fast)"]

    def write_program(self, status):
        """It notes its run and exits with STATUS, an expression in C."""
        (self.root / "test.c").write_text(f"""#include <stdio.h>
            int main(int argc, char** argv) {{
              FILE* runs = fopen(argv[argc - 1], "a");
              const long size = ftell(runs);
              fputs("run\\n", runs);
              fclose(runs);
              return {status};
            }}""")

    def test_what_has_passed_runs_again_only_when_it_has_changed(self):
        for status, runs in (("0", 1), ("0", 1), ("size < 0", 2), ("size < 0", 2)):
            self.write_program(status)
            done = self.gate()
            self.assertEqual(done.returncode, 0, done)
            self.assertEqual(self.runs("unit"), runs, status)

    def test_a_file_that_is_not_compiled_counts_too(self):
        self.write_program("0")
        self.gate()
        (self.root / "data.json").write_text("{}")
        self.gate()
        self.assertEqual(self.runs("unit"), 2)

    def test_what_needed_a_second_try_is_not_kept(self):
        self.write_program("size == 0")
        for _ in range(2):
            self.assertEqual(self.gate().returncode, 0)
        self.assertEqual(self.runs("unit"), 3)

    def test_what_passed_beside_a_failure_is_kept(self):
        self.write_program("0")
        self.add("e2e.Flaky", fails=1)
        self.assertIn("second tries: e2e.Flaky", self.gate().stdout)
        self.gate()
        self.assertEqual(self.runs("unit"), 1)

    def test_what_failed_beside_what_is_kept_is_what_runs_again(self):
        """A run without the tests that are kept numbers the others anew."""
        self.write_program("0")
        flaky = ("e2e.Flaky  # GetParam() = (1+1, *)", "e2e.Flaky")
        for name in ("e2e.Good", *flaky):
            self.add(name)
        self.gate()
        for name in flaky:
            (self.notes / f"{name}.fails").write_text("\n\n")  # the second of its runs
        done = self.gate()
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual([self.runs(name) for name in ("unit", "e2e.Good", *flaky)], [1, 2, 3, 3])

    def test_a_script_runs_always_and_so_does_what_shares_its_prefix(self):
        self.write_program("0")
        self.add("unit.Script")
        for _ in range(2):
            self.assertEqual(self.gate().returncode, 0)
        self.assertEqual((self.runs("unit"), self.runs("unit.Script")), (2, 2))

    def test_a_test_that_was_not_chosen_before_runs(self):
        self.write_program("0")
        self.lists += [f"add_test(NAME unit.Long COMMAND unit_test {self.notes / 'unit'})",
                       "set_tests_properties(unit.Long PROPERTIES LABELS long)"]
        self.gate()
        self.gate("fast|e2e|long")
        self.assertEqual(self.runs("unit"), 3)


class SimulatedTest(unittest.TestCase):
    def test_suites_are_known_by_the_loop_that_they_use(self):
        suites = second_try.simulated_suites(ROOT / "host")
        self.assertIn("base.ContextTest", suites)
        for name in ("base.ContextTest.Ends", "base.All/ContextTest.Ends/1  # x", "task.part1"):
            self.assertTrue(second_try.is_simulated(name, suites), name)
        for name in ("store.StoreTest.Syncs", "e2e.StopTest", "base.part1", "scheduler.SchedulerCostTest.AnEnd",
                     "api.ListDelayTest.AList"):
            self.assertFalse(second_try.is_simulated(name, suites), name)


if __name__ == "__main__":
    unittest.main()
