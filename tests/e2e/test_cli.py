# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The commands that run nothing, the documents about them, and the directories of runs."""
import json
import os
import re
import subprocess

import cli_docs
import harness
from harness import DroverTest, mock, one, plugin_file, task


class CliTest(DroverTest):
    def test_version(self):
        done = self.sandbox.command("version")
        self.assertEqual(done.code, 0, done)
        self.assertRegex(done.out, r"^drover \d+\.\d+\.\d+ \(driver ABI \d+\.\d+\)\n$")
        number = done.out.split()[1]
        for option in ("--version", "-version", "-v"):
            self.assertEqual(self.sandbox.command(option).out, f"drover {number}\n")
        for spelling in ("--json", "-json"):
            shown = json.loads(self.sandbox.command("version", spelling).out)
            self.assertEqual(shown["Version"], number)
            self.assertEqual(set(shown), {"Version", "AbiMajor", "AbiMinor"})

    def test_version_is_that_of_the_project(self):
        text = (harness.ROOT / "CMakeLists.txt").read_text()
        number = re.search(r"project\(Drover VERSION ([\d.]+)", text).group(1)
        self.assertIn(f"drover {number} ", self.sandbox.command("version").out)

    def test_help_of_every_command(self):
        commands = dict(cli_docs.sections())
        # The page has commands of every depth.
        self.assertLessEqual({(), ("run",), ("job", "run"), ("job", "tag", "apply"),
                              ("node", "meta", "read"), ("version",)}, set(commands))
        for command, shown in commands.items():
            with self.subTest(command=command):
                self.assertIn("--help", shown)
                for spelling in ("-h", "-help"):
                    done = self.sandbox.command(*command, spelling)
                    self.assertEqual((done.code, done.err), (0, ""), done)
                    self.assertEqual(len(done.out.split()), len(shown.split()))

    def test_page_of_the_command_line_is_true(self):
        self.assertEqual(cli_docs.differences(), "",
                         "run tests/e2e/cli_docs.py --update and look at what has changed")

    def test_single_dash_for_long_options(self):
        path = self.sandbox.write("job.json", one(mock("m", run_for="10ms")))
        done = self.sandbox.command("run", "-config", self.sandbox.config_file, "-json", "-no-logs",
                                    "-no-stats", path)
        self.assertEqual(done.code, 0, done)
        self.assertTrue(all(json.loads(line) for line in done.out.splitlines()))

    def test_job_file_that_begins_with_a_dash(self):
        self.sandbox.write("-job.json", one(mock("m", run_for="10ms")))
        done = self.sandbox.command("run", "--config", self.sandbox.config_file, "--", "-job.json")
        self.assertEqual(done.code, 0, done)

    def test_standard_output_that_is_full(self):
        for command in (["version"], ["completion", "bash"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([str(harness.binary()), *command], stdout=full,
                                      stderr=subprocess.PIPE, timeout=harness.LIMIT,
                                      stdin=subprocess.DEVNULL, env=self.sandbox.environment())
            self.assertEqual(done.returncode, 1)
            self.assertIn(b"could be written to standard output", done.stderr)


class DirectoryTest(DroverTest):
    SHOW = "echo $NOMAD_ALLOC_DIR; echo kept > $NOMAD_ALLOC_DIR/data/f"

    def test_default_is_a_new_directory_that_is_removed(self):
        config = self.sandbox.write_config("none.json", client={"alloc_dir": None, "run_dir": None})
        run = self.run_job(one(task("t", self.SHOW)), config=config)
        shown = run.logs("t")[0]
        self.assertTrue(shown.startswith(str(self.sandbox.tmp) + "/"), shown)
        self.assertEqual(list(self.sandbox.tmp.iterdir()), [])

    def test_directory_of_the_option_comes_first(self):
        place = self.sandbox.root / "place"
        self.sandbox.alloc_dirs.append(place)
        run = self.run_job(one(task("t", self.SHOW)), "--alloc-dir", place)
        self.assertTrue(run.logs("t")[0].startswith(f"{place}/"))
        self.leftovers.clear(self, 2)

    def test_relative_directory(self):
        self.sandbox.alloc_dirs.append(self.sandbox.root / "rel")
        run = self.run_job(one(task("t", self.SHOW)), "--alloc-dir", "rel")
        self.assertTrue(run.logs("t")[0].startswith(f"{self.sandbox.root}/rel/"))

    def test_keep_leaves_the_files_and_nothing_else(self):
        run = self.run_job(one(task("t", self.SHOW)), "--keep")
        shared = run.logs("t")[0]
        with open(shared + "/data/f", encoding="utf-8") as file:
            self.assertEqual(file.read(), "kept\n")
        self.assertEqual(self.leftovers.found(kept=True), [])
        self.leaves_allocations = True

    def test_keep_without_a_directory_says_where(self):
        config = self.sandbox.write_config("none.json", client={"alloc_dir": None})
        run = self.run_job(one(task("t", self.SHOW)), "--keep", config=config)
        self.assertTrue(os.path.exists(run.logs("t")[0] + "/data/f"))
        self.leaves_allocations = True

    def test_directory_that_cannot_be_made(self):
        file = self.sandbox.write("file", "")
        run = self.sandbox.run(one(mock("m")), "--alloc-dir", file / "below")
        self.assertIn(run.wait(), (1, 2), run.story())
        self.assertIn(str(file), run.err + str(run.lines))

    def test_two_runs_side_by_side(self):
        first = self.sandbox.run(one(task("t", "echo up; exec sleep 60")))
        first.wait_log("t", "up")
        self.run_job(one(task("t", "echo other"), name="h"))
        self.assertIsNone(first.process.poll())
        first.interrupt()
        self.assertEqual(first.wait(), 130)

    def test_plugin_dir_without_a_configuration(self):
        path = self.sandbox.write("job.json", one(mock("m", run_for="10ms")))
        done = self.sandbox.command("run", "--plugin-dir", plugin_file("mock_driver").parent, path)
        self.assertEqual(done.code, 0, done)


if __name__ == "__main__":
    harness.main()
