# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Plugins: loads, refusals and their messages."""
import hashlib
import json
import os
import shutil
import xml.etree.ElementTree

import harness
from harness import IS_ROOT, SLACK, DroverTest, mock, one, plugin_file, task


class PluginTest(DroverTest):
    def list(self, plugins, *options, code=None):
        config = self.sandbox.write_config("plugins.json", plugins=plugins)
        done = self.sandbox.command("plugin", "list", "--config", config, *options)
        if code is not None:
            self.assertEqual(done.code, code, done)
        return done

    def copy(self, name, source="mock_driver"):
        path = self.sandbox.root / name
        shutil.copyfile(plugin_file(source), path)
        path.chmod(0o755)
        return path

    def test_good_plugins_are_listed_as_healthy(self):
        done = self.list({"raw_exec": {"file": str(plugin_file("raw_exec")),
                                       "config": {"enabled": True}},
                          "mock_driver": {"file": str(plugin_file("mock_driver"))}}, code=0)
        for line in done.out.splitlines():
            if "raw_exec" in line or "mock_driver" in line:
                self.assertIn("healthy", line)
        self.assertIn("raw_exec", done.out)
        self.assertIn("mock_driver", done.out)

    def test_plugin_directory(self):
        config = self.sandbox.write_config(
            "dirs.json", plugin_dirs=[str(plugin_file("mock_driver").parent)],
            plugins={"raw_exec": {"config": {"enabled": True}}})
        done = self.sandbox.command("plugin", "list", "--config", config)
        self.assertEqual(done.code, 0, done)
        self.assertIn("raw_exec", done.out)
        done = self.sandbox.command("plugin", "list", "--plugin-dir", plugin_file("mock_driver").parent)
        self.assertIn(done.code, (0, 1), done)

    def test_every_bad_file_gets_one_message_and_the_others_load(self):
        junk = self.sandbox.write("junk.so", "this is no library\n")
        junk.chmod(0o755)
        truncated = self.copy("truncated.so")
        os.truncate(truncated, 5000)
        empty = self.sandbox.write("empty.so", b"")
        writable = self.copy("writable.so")
        writable.chmod(0o777)
        pinned = self.copy("pinned.so")
        fifo = self.sandbox.root / "fifo.so"
        os.mkfifo(fifo)
        library = next(path for path in (
            "/lib/x86_64-linux-gnu/libm.so.6", "/lib/aarch64-linux-gnu/libm.so.6", "/lib64/libm.so.6")
            if os.path.exists(path))
        bad = {
            "junk": ({"file": str(junk)}, "junk.so"),
            "truncated": ({"file": str(truncated)}, "truncated.so"),
            "empty": ({"file": str(empty)}, "empty.so"),
            "writable": ({"file": str(writable)}, "0777"),
            "pinned": ({"file": str(pinned), "sha256": "0" * 64}, "sha256"),
            "missing": ({"file": "/no/such/plugin.so"}, "/no/such/plugin.so"),
            "directory": ({"file": str(self.sandbox.root)}, "not a regular file"),
            "fifo": ({"file": str(fifo)}, "not a regular file"),
            "library": ({"file": library}, "it is no Drover plugin"),
            "nowhere": ({}, "nowhere"),
            "misnamed": ({"file": str(plugin_file("mock_driver"))}, "mock_driver"),
        }
        if IS_ROOT:
            stranger = self.copy("stranger.so")
            os.chown(stranger, 1234, 1234)
            bad["stranger"] = ({"file": str(stranger)}, "belongs to user 1234")
        plugins = {name: block for name, (block, _) in bad.items()}
        plugins["mock_driver"] = {"file": str(plugin_file("mock_driver"))}
        plugins["raw_exec"] = {"file": str(plugin_file("raw_exec")), "config": {"enabled": True}}
        done = self.list(plugins, "--json", code=1)
        listed = json.loads(done.out)
        entries = listed if isinstance(listed, list) else \
            listed.get("Plugins", listed.get("plugins"))
        if isinstance(entries, dict):
            entries = [{"Name": name, **entry} for name, entry in entries.items()]
        by_name = {entry.get("Name", entry.get("name")): json.dumps(entry) for entry in entries}
        self.assertEqual(set(by_name), set(plugins))
        for name, (_, text) in bad.items():
            self.assertIn(text, by_name[name], name)
            self.assertNotIn('"healthy"', by_name[name].lower())
        for name in ("mock_driver", "raw_exec"):
            self.assertIn("healthy", by_name[name].lower())
            self.assertNotIn("unhealthy", by_name[name].lower())
        # For people: one line for each.
        text = self.list(plugins, code=1).out
        for name, (_, said) in bad.items():
            lines = [line for line in text.splitlines() if line.startswith(name + " ")]
            self.assertEqual(len(lines), 1, text)
        # A job of a good driver runs beside them.
        config = self.sandbox.write_config("all.json", plugins=plugins)
        self.run_job(one(mock("m", run_for="10ms")), config=config)

    def test_pin_that_fits(self):
        digest = hashlib.sha256(plugin_file("mock_driver").read_bytes()).hexdigest()
        self.list({"mock_driver": {"file": str(plugin_file("mock_driver")), "sha256": digest}}, code=0)

    def test_directory_that_others_may_write(self):
        directory = self.sandbox.root / "open"
        directory.mkdir()
        shutil.copyfile(plugin_file("mock_driver"), directory / "mock_driver.so")
        (directory / "mock_driver.so").chmod(0o644)
        directory.chmod(0o777)
        done = self.list({"mock_driver": {"file": str(directory / "mock_driver.so")}}, code=1)
        self.assertIn("0777", done.out + done.err)

    def test_disabled_plugin_is_not_loaded(self):
        done = self.list({"raw_exec": {"file": str(plugin_file("raw_exec")), "enabled": False},
                          "mock_driver": {"file": str(plugin_file("mock_driver"))}})
        self.assertEqual(done.code, 0, done)
        run = self.sandbox.run(one(task("t", "true")),
                               config=self.sandbox.root / "plugins.json")
        self.assertIn(run.wait(), (1, 2), run.story())

    def test_unknown_isolation_is_refused_by_name(self):
        done = self.list({"raw_exec": {"isolation": "cardboard"}}, code=2)
        self.assertIn("/plugins/raw_exec/isolation", done.err)

    def test_a_process_of_its_own_runs_the_same_job(self):
        config = self.sandbox.write_config("process.json", plugins={
            "raw_exec": {"file": str(plugin_file("raw_exec")), "config": {"enabled": True},
                         "isolation": "process"}})
        run = self.run_job(one(task("t", "echo from another process")), config=config)
        self.assertEqual(run.logs("t"), ["from another process"])

    def test_where_a_driver_runs_without_being_told(self):
        directory = self.sandbox.root / "third"
        directory.mkdir()
        shutil.copyfile(plugin_file("raw_exec"), directory / "raw_exec.so")
        config = self.sandbox.write_config("third.json", plugins={
            "raw_exec": {"file": str(directory / "raw_exec.so"), "config": {"enabled": True}},
            "mock_driver": {"file": str(plugin_file("mock_driver"))}})
        done = self.sandbox.command("plugin", "list", "--json", "--config", config)
        self.assertEqual(done.code, 0, done)
        self.assertEqual({row["Name"]: row["Isolation"] for row in json.loads(done.out)},
                         {"raw_exec": "process", "mock_driver": "in-process"})

    def test_inspect(self):
        done = self.sandbox.command("plugin", "inspect", plugin_file("raw_exec"))
        self.assertEqual(done.code, 0, done)
        for text in ("raw_exec", "Apache-2.0", "command"):
            self.assertIn(text, done.out)
        for spelling in ("--json", "-json"):
            done = self.sandbox.command("plugin", "inspect", spelling, plugin_file("mock_driver"))
            self.assertEqual(done.code, 0, done)
            self.assertIn("mock_driver", json.dumps(json.loads(done.out)))
            self.assertIn("run_for", json.dumps(json.loads(done.out)))

    def test_inspect_of_what_is_no_plugin(self):
        for path in (self.sandbox.write("x.so", "junk"), "/no/such.so", self.sandbox.root):
            done = self.sandbox.command("plugin", "inspect", path)
            self.assertIn(done.code, (1, 2), done)
            self.assertIn(str(path), done.err + done.out)

    def test_relative_path(self):
        self.copy("here.so")
        done = self.sandbox.command("plugin", "inspect", "here.so")
        self.assertEqual(done.code, 0, done)

    def test_validate(self):
        done = self.sandbox.command("plugin", "validate", plugin_file("raw_exec"),
                                    "--plugin-config", '{"enabled": true}')
        self.assertEqual(done.code, 0, done)
        done = self.sandbox.command("plugin", "validate", plugin_file("raw_exec"),
                                    "--plugin-config", '{"enabeld": true}')
        self.assertIn(done.code, (1, 2), done)
        self.assertIn("enabeld", done.out + done.err)
        done = self.sandbox.command("plugin", "validate", plugin_file("raw_exec"),
                                    "--plugin-config", "{")
        self.assertIn(done.code, (1, 2), done)

    def test_conformance_cases_are_listed_and_one_runs(self):
        done = self.sandbox.command("plugin", "test", "--list", plugin_file("mock_driver"))
        self.assertEqual(done.code, 0, done)
        names = [line.split()[0] for line in done.out.splitlines()]
        self.assertGreaterEqual(len(set(names)), 120, done)
        done = self.sandbox.command("plugin", "test", plugin_file("mock_driver"), "--case",
                                    names[0])
        self.assertEqual(done.code, 0, done)

    def test_a_conformance_run_says_what_it_was_and_how_much_it_left_out(self):
        file = plugin_file("mock_driver")
        cases = ["--case", "load", "--case", "exit-signal-kill"]  # mock_driver runs no commands
        done = self.sandbox.command("plugin", "test", file, *cases, "--json", "--seed", "4711",
                                    "--task-config", '{"run_for": "60s"}', "--max-skips", "1")
        self.assertEqual(done.code, 0, done)
        lines = [json.loads(line) for line in done.out.splitlines()]
        self.assertEqual([line["Type"] for line in lines], ["run", "case", "case", "summary"], done)
        run, summary = lines[0], lines[-1]
        verdicts = {case["Name"]: case["Verdict"] for case in lines[1:-1]}
        self.assertEqual(verdicts, {"load": "PASS", "exit-signal-kill": "SKIP"}, done)
        self.assertEqual((run["Driver"], run["Place"], run["Seed"], run["TaskConfig"]),
                         ("mock_driver", "in-process", 4711, '{"run_for": "60s"}'))
        self.assertEqual((summary["Skipped"], summary["MaxSkips"], summary["Conforms"]),
                         (1, 1, True))
        self.assertRegex(run["Sha256"], "^[0-9a-f]{64}$")
        self.assertRegex(run["DriverAbi"] + run["HostAbi"], r"^1\.[0-9]+1\.[0-9]+$")
        self.copy("here.so")
        done = self.sandbox.command("plugin", "test", "here.so", "--case", "load", "--json")
        self.assertEqual(done.code, 0, done)
        of_relative = json.loads(done.out.splitlines()[0])
        self.assertEqual(of_relative["File"], "here.so")
        for key in ("Driver", "DriverVersion", "DriverAbi", "Sha256"):
            self.assertEqual(of_relative[key], run[key])
        done = self.sandbox.command("plugin", "test", file, *cases, "--max-skips", "0")
        self.assertEqual(done.code, 1, done)
        self.assertIn("1 cases were skipped, --max-skips allows 0", done.err)

    def test_required_cases_must_not_be_skipped(self):
        file = plugin_file("mock_driver")
        cases = ["--case", "load", "--case", "exit-signal-kill"]
        done = self.sandbox.command("plugin", "test", file, *cases, "--require", "load")
        self.assertEqual(done.code, 0, done)
        done = self.sandbox.command("plugin", "test", file, *cases, "--require", "load,exit-signal")
        self.assertEqual(done.code, 1, done)
        self.assertIn("--require exit-signal: exit-signal-kill was skipped", done.err)
        done = self.sandbox.command("plugin", "test", file, *cases, "--require", "lunch")
        self.assertEqual(done.code, 2, done)
        for names in (",", "load,", ",load", "load,,stop", ""):
            done = self.sandbox.command("plugin", "test", file, *cases, "--require", names)
            self.assertEqual(done.code, 2, done)
            self.assertIn(f'--require "{names}": a name of its list is empty', done.err)

    def test_without_a_file_nothing_is_run(self):
        fifo = str(self.sandbox.root / "fifo.so")
        os.mkfifo(fifo)
        for verb in ("test", "fuzz"):
            for file, why in (("nofile.so", "nofile.so: No such file"), (fifo, "no regular file"),
                              (str(self.sandbox.root), "no regular file")):
                done = self.sandbox.command("plugin", verb, file, "--json")
                self.assertEqual((done.code, done.out), (2, ""), done)
                self.assertIn(why, done.err)
                self.assertEqual(len(done.err.splitlines()), 1, done)
        done = self.sandbox.command("plugin", "test", plugin_file("mock_driver"), "--case", "load",
                                    "--junit", "")
        self.assertEqual((done.code, done.out), (2, ""), done)
        self.assertIn("--junit: names no file", done.err)

    def test_numbers_that_are_none_are_refused(self):
        for verb, option in (("test", "--max-skips"), ("test", "--seed"), ("fuzz", "--seed")):
            for value in ("-1", "9" * 23, "1x", ""):
                done = self.sandbox.command("plugin", verb, plugin_file("mock_driver"),
                                            f"{option}={value}")
                self.assertEqual(done.code, 2, done)
                self.assertIn(option, done.err)
        done = self.sandbox.command("plugin", "test", plugin_file("mock_driver"), "--case", "load",
                                    "--seed", str(2**64 - 1))
        self.assertEqual(done.code, 0, done)

    def test_junit_is_written_for_ci(self):
        report = str(self.sandbox.root / "junit.xml")
        for _ in range(2):  # the second run replaces the report of the first
            done = self.sandbox.command("plugin", "test", plugin_file("mock_driver"), "--case",
                                        "load", "--case", "exit-signal-kill", "--seed", "4711",
                                        "--junit", report)
            self.assertEqual(done.code, 0, done)
            suite = xml.etree.ElementTree.parse(report).getroot().find("testsuite")
            self.assertEqual((suite.get("tests"), suite.get("skipped")), ("2", "1"))
            named = {one.get("name"): one.get("value") for one in suite.iter("property")}
            self.assertEqual((named["seed"], named["place"]), ("4711", "in-process"))
            self.assertRegex(named["sha256"], "^[0-9a-f]{64}$")

    def test_a_new_project_may_have_a_directory_that_looks_like_an_option(self):
        done = self.sandbox.command("plugin", "new", "disk", "--lang", "c", "--dir=-x")
        self.assertEqual(done.code, 0, done)
        self.assertIn("Wrote -x. To build it: cd ./-x && ", done.out)
        self.assertTrue((self.sandbox.root / "-x" / "disk.c").exists())

    def test_a_kit_file_is_read_strictly(self):
        kit = str(self.sandbox.root / "kit.json")
        with open(kit, "w") as file:
            file.write('{"tasks": {"lasting": {"config": {"run_for": "60s"}}}}')
        done = self.sandbox.command("plugin", "test", plugin_file("mock_driver"), "--case", "stop",
                                    "--kit", kit)
        self.assertEqual(done.code, 0, done)
        self.assertIn("kit file: ", done.out)
        with open(kit, "w") as file:
            file.write('{"tasks": {"lastng": {}}}')
        done = self.sandbox.command("plugin", "test", plugin_file("mock_driver"), "--case", "stop",
                                    "--kit", kit)
        self.assertEqual(done.code, 2, done)
        self.assertIn("/tasks/lastng is not known here", done.err)
        with open(kit, "w") as file:
            file.write("[" * 100000)
        done = self.sandbox.command("plugin", "test", plugin_file("mock_driver"), "--case", "stop",
                                    "--kit", kit)
        self.assertEqual(done.code, 2, done)
        self.assertIn("are nested", done.err)

    def test_configurations_of_the_command_line_are_json(self):
        for option in ("--plugin-config", "--task-config"):
            for value in ("{", "[" * 100000):
                done = self.sandbox.command("plugin", "test", plugin_file("mock_driver"), "--case",
                                            "stop", option, value)
                self.assertEqual(done.code, 2, done)
                self.assertIn(option + ": ", done.err)

    def test_random_sequences_find_no_fault_of_mock_driver(self):
        done = self.sandbox.command("plugin", "fuzz", plugin_file("mock_driver"), "--runs", "2",
                                    "--steps", "15", "--seed", "1", "--json",
                                    limit=20 + 20 * SLACK)
        self.assertEqual(done.code, 0, done)
        lines = [json.loads(line) for line in done.out.splitlines()]
        self.assertEqual([line["Type"] for line in lines],
                         ["run", "sequence", "sequence", "summary"], done)
        again = f'{lines[1]["Seed"]}:{lines[1]["Steps"]}'
        done = self.sandbox.command("plugin", "fuzz", plugin_file("mock_driver"), "--reproduce",
                                    again, limit=20 + 20 * SLACK)
        self.assertEqual(done.code, 0, done)
        self.assertIn("1 sequences, 0 failed", done.out)
        done = self.sandbox.command("plugin", "fuzz", plugin_file("mock_driver"), "--reproduce",
                                    "x:1")
        self.assertEqual(done.code, 2, done)

    def test_a_run_without_an_agent_has_at_least_120_cases_that_pass(self):
        # Under the address sanitizer the cases take 42 s of processor time.
        done = self.sandbox.command("plugin", "test", plugin_file("mock_driver"),
                                    limit=20 + 20 * SLACK)
        self.assertEqual(done.code, 0, done)
        passed = [line for line in done.out.splitlines() if line.startswith("PASS")]
        self.assertGreaterEqual(len(passed), 120, done)


if __name__ == "__main__":
    harness.main()
