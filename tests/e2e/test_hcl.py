# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Job files in HCL: every command that reads them, variables, faults, fmt, init and /v1/jobs/parse."""
import concurrent.futures
import json
import os
import pathlib
import unittest

from agent_harness import AgentTest
from harness import DroverTest, binary
from test_client import Client

HAS_HCL = (pathlib.Path(binary()).parent / "drover-hcl").exists()

WEB = """\
variable "seconds" {
  type    = number
  default = 1
  validation {
    condition     = var.seconds > 0
    error_message = "It must take some time."
  }
}
variable "words" {
  type    = list(string)
  default = ["hello"]
}

job "web" {
  type = "%(type)s"
  meta { owner = "me" }
  group "g" {
    count = %(count)d
    network {
      port "http" {}
    }
    dynamic "task" {
      for_each = var.words
      labels   = ["t-${task.value}"]
      content {
        driver = "mock_driver"
        config {
          run_for       = "${var.seconds}s"
          stdout_string = "${upper(task.value)} ${NOMAD_ALLOC_NAME}"
        }
      }
    }
  }
}
"""


def web(type="batch", count=1):
    return WEB % {"type": type, "count": count}


FAULTS_OF_FIELDS = """\
job "web" {
  type     = "batch"
  priority = 1000
  group "g" {
    consul {
      cluster   = "other"
      namespace = "x"
    }
    task "t" {
      driver = "mock_driver"
      csi_plugin {
        id   = "x"
        type = "node"
      }
    }
  }
}
"""


def expect_faults_of_fields(test, path, said, job=""):
    """Expects in SAID the three faults of that job, each with its place and a mark below it."""
    lines = said.splitlines()
    for place, pointer, source in (
            ("3,3", "/Priority", "priority = 1000"),
            ("5,5", "/TaskGroups/0/Consul", "consul"),
            ("11,7", "/TaskGroups/0/Tasks/0/CSIPluginConfig", "csi_plugin")):
        at = [i for i, line in enumerate(lines) if f"{path}:{place}: Error: {job}{pointer}" in line]
        test.assertEqual(len(at), 1, said)
        test.assertIn(source, lines[at[0] + 1])
        column = lines[at[0] + 1].index(source)
        test.assertEqual(lines[at[0] + 2][column:], "^" * len(source), said)
        test.assertEqual(said.count(pointer + ": "), 1, said)


@unittest.skipUnless(HAS_HCL, "this build has no drover-hcl")
class HclJobTest(Client, AgentTest):
    def setUp(self):
        super().setUp()
        self.address = self.agent.url

    def test_a_job_from_its_plan_to_its_text(self):
        path = self.sandbox.write("web.nomad.hcl", web("service"))
        self.assertIn("The job is valid", self.cli("job", "validate", path).out)
        planned = self.cli("job", "plan", "-var", "seconds=1000", path, code=1).out
        self.assertIn("1 create", planned)
        self.assertIn(f"drover job run --check-index 0 --var 'seconds=1000' {path}", planned)
        self.cli("job", "run", "-var", "seconds=1000", path)
        tasks = self.agent.get("/v1/job/web")["TaskGroups"][0]["Tasks"]
        self.assertEqual([(t["Name"], t["Config"]["run_for"]) for t in tasks], [("t-hello", "1000s")])
        self.assertEqual(tasks[0]["Config"]["stdout_string"], "HELLO ${NOMAD_ALLOC_NAME}")

        self.assertEqual(self.cli("job", "inspect", "-hcl", "web").out, web("service"))
        sent = self.json("job", "inspect", "-hcl", "web")
        self.assertEqual((sent["Format"], sent["VariableFlags"]), ("hcl2", {"seconds": "1000"}))
        shown = self.cli("job", "inspect", "--hcl", "--with-vars", "web").out
        self.assertTrue(shown.endswith("# --var 'seconds=1000'\n"), shown)
        self.assertRegex(self.cli("job", "history", "web").out, r"(?m)^0 .* hcl2$")

    def test_what_was_written_is_there_for_each_version(self):
        hcl = self.sandbox.write("web.nomad.hcl", web("service", 0))
        as_json = self.sandbox.write("web.json", self.cli("job", "run", "-output", hcl).out)
        self.assertEqual(json.loads(as_json.read_text())["Job"]["TaskGroups"][0]["Count"], 0)
        self.cli("job", "run", "-detach", hcl)
        as_json.write_text(as_json.read_text().replace('"me"', '"you"'))
        self.cli("job", "run", "-detach", as_json)
        history = self.cli("job", "history", "web").out
        self.assertRegex(history, r"(?m)^1 .* json$")
        self.assertRegex(history, r"(?m)^0 .* hcl2$")
        self.assertEqual(self.cli("job", "inspect", "-hcl", "-version", "0", "web").out,
                         web("service", 0))
        self.assertIn('"you"', self.cli("job", "inspect", "-hcl", "web").out)
        self.agent.must("PUT", "/v1/jobs", json.loads(self.cli("job", "run", "-output", hcl).out
                                                      .replace('"web"', '"other"')))
        self.assertIn("does not have the file", self.fails("job", "inspect", "-hcl", "other"))

    def test_variables_come_from_the_environment_files_and_the_command_line(self):
        path = self.sandbox.write("web.nomad.hcl", web(count=0))
        low = self.sandbox.write("low.hcl", 'words = ["low"]\nseconds = 2\n')
        high = self.sandbox.write("high.hcl", 'words = ["a", "b"]\n')

        def tasks(*options, **env):
            made = json.loads(self.cli("job", "run", "-output", *options, path, **env).out)
            return [(t["Name"], t["Config"]["run_for"])
                    for t in made["Job"]["TaskGroups"][0]["Tasks"]]
        self.assertEqual(tasks(), [("t-hello", "1s")])
        self.assertEqual(tasks(NOMAD_VAR_seconds="7", NOMAD_VAR_other="x"), [("t-hello", "7s")])
        self.assertEqual(tasks("-var-file", low, "-var-file", high, NOMAD_VAR_seconds="7"),
                         [("t-a", "2s"), ("t-b", "2s")])
        self.assertEqual(tasks("-var-file", low, "-var", 'words=["x"]', "-var", "seconds=9"),
                         [("t-x", "9s")])
        self.cli("job", "run", "-detach", "-var-file", low, "-var", "seconds=9", path,
                 NOMAD_VAR_words='["e"]', NOMAD_VAR_of_another_job="secret")
        sent = self.json("job", "inspect", "-hcl", "web")
        self.assertEqual(sent["Variables"], low.read_text() + "\n")
        self.assertEqual(sent["VariableFlags"], {"seconds": "9", "words": '["e"]'})

        self.assertIn("It must take some time.", self.fails("job", "run", "-var", "seconds=0", path))
        self.assertIn("must be NAME=VALUE", self.fails("job", "run", "-var", "seconds", path))
        self.assertIn("variable file", self.fails("job", "run", "-var-file", "/no/such", path))
        unknown = ("job", "run", "-detach", "-var", "nobody=1")
        self.assertIn("which the document does not declare", self.fails(*unknown, path))
        self.assertIn("which the document does not declare",
                      self.cli(*unknown, "-hcl2-strict=false", path).err)

    def test_a_job_comes_from_standard_input(self):
        path = self.sandbox.write("web.nomad.hcl", web(count=0))
        for command in (("job", "run", "-detach"), ("job", "plan"), ("job", "validate"), ("validate",)):
            with self.subTest(command=command), open(path, "rb") as stdin:
                self.cli(*command, "-", stdin=stdin)
        bad = self.sandbox.write("bad.hcl", 'job "web" {\n  prioriti = 1\n}\n')
        with open(bad, "rb") as stdin:
            self.assertIn("<stdin>:2,3: Error", self.fails("job", "run", "-", stdin=stdin))

    def test_every_fault_is_shown_with_its_place(self):
        path = self.sandbox.write("bad.nomad.hcl", """\
job "web" {
  type = "batch"
  group "g" {
    count = "many"
    task "t" {
      drivr = "mock_driver"
      kill_timeout = nope(1)
    }
  }
}
""")
        for command, code in ((("job", "run"), 1), (("job", "plan"), 255), (("job", "validate"), 1)):
            said = self.fails(*command, path, code=code)
            self.assertIn("3 errors", said)
            for place in (f"{path}:4,13: Error: ", f"{path}:6,7: Error: ", f"{path}:7,22: Error: "):
                self.assertIn(place, said)
            lines = said.splitlines()
            at = next(i for i, line in enumerate(lines) if 'drivr = "mock_driver"' in line)
            self.assertEqual(lines[at + 1].split("|")[1].strip(), "^^^^^")
        self.assertEqual(self.agent.get("/v1/jobs"), [])

    def test_every_fault_of_a_field_is_shown_with_its_place(self):
        path = self.sandbox.write("bad.nomad.hcl", FAULTS_OF_FIELDS)
        for command, code in ((("job", "run"), 1), (("job", "plan"), 255), (("job", "validate"), 1)):
            with self.subTest(command=command):
                expect_faults_of_fields(self, path, self.fails(*command, path, code=code), "/Job")
        # Only the agent's driver finds this fault.
        path = self.sandbox.write("driver.nomad.hcl", web().replace("run_for ", "run_far "))
        self.assertIn(f"{path}:27,9: Error: /Job/TaskGroups/0/Tasks/0/Config",
                      self.fails("job", "run", path))
        self.assertEqual(self.agent.get("/v1/jobs"), [])

    def test_what_is_not_carried_out_is_refused_by_name_and_once(self):
        path = self.sandbox.write("web.nomad.hcl", """\
job "web" {
  group "g" {
    consul {
      cluster   = "other"
      namespace = "x"
    }
    task "t" {
      driver = "mock_driver"
      schedule {
        cron { start = "0 * * * *" }
      }
    }
  }
}
""")
        said = self.fails("job", "run", path)
        self.assertEqual(said.count("is not supported by this version"), 2, said)
        self.assertIn("/TaskGroups/0/Consul", said)
        self.assertIn("/TaskGroups/0/Tasks/0/Schedule", said)

    def test_an_empty_block_is_refused_if_it_means_something(self):
        path = self.sandbox.write("web.nomad.hcl", """\
job "web" {
  group "g" {
    service {
      name = "web"
      port = "80"
      connect {
        sidecar_service {}
      }
    }
    task "t" {
      driver = "mock_driver"
      vault {}
    }
  }
}
""")
        said = self.fails("job", "run", path)
        for pointer in ("/TaskGroups/0/Services/0/Connect", "/TaskGroups/0/Tasks/0/Vault"):
            self.assertIn(pointer + ": is not supported by this version", said)
        self.assertEqual(self.agent.get("/v1/jobs"), [])

    def test_functions_read_files_only_if_they_may(self):
        self.sandbox.write("files/a.txt", "from a file")
        path = self.sandbox.write("web.nomad.hcl", """\
job "web" {
  meta { a = file("a.txt") }
  group "g" {
    count = 0
    task "t" { driver = "mock_driver" }
  }
}
""")
        said = self.fails("job", "run", path)
        self.assertIn("functions of files are not allowed", said)
        self.assertIn("--files-below DIRECTORY", said)
        made = self.cli("job", "run", "-output", "-files-below", self.sandbox.root / "files", path).out
        self.assertEqual(json.loads(made)["Job"]["Meta"], {"a": "from a file"})

    def test_jobs_are_parsed_by_the_agent(self):
        def parse(code, **body):
            reply = self.agent.ask("PUT", "/v1/jobs/parse", body)
            self.assertEqual(reply.status, code, reply.body)
            return json.loads(reply.body) if code == 200 else reply.body.decode()
        job = parse(200, JobHCL=web())
        self.assertEqual(job["ID"], "web")
        self.assertNotIn("Priority", job)
        whole = parse(200, JobHCL=web(), Canonicalize=True, Variables='words = ["x"]\nunknown = 1\n')
        self.assertEqual((whole["Priority"], whole["TaskGroups"][0]["Tasks"][0]["Name"]), (50, "t-x"))
        wrong = parse(400, JobHCL='job "web" {\n  typ = 1\n  prio = 2\n}\n')
        self.assertTrue(wrong.startswith("Failed to parse job: input.hcl:2,3-6: "), wrong)
        self.assertIn("\ninput.hcl:3,3-7: ", wrong)
        self.assertIn("not allowed here", parse(400, JobHCL='job "web" { region = file("/etc/passwd") }'))
        self.assertIn("/Multiregion: is not supported",
                      parse(400, JobHCL='job "a" {\n  multiregion {\n    region "b" {\n      count = 1\n    }\n  }\n}\n',
                            Canonicalize=True))
        slow = 'job "a" {\n  meta { a = length([for a in range(1000) : [for b in range(1000) : ' \
               '[for c in range(100) : upper("${a}${b}${c}")]]]) }\n}'
        self.assertRegex(self.agent.ask("PUT", "/v1/jobs/parse", {"JobHCL": slow})
                         .body.decode(), "takes more than|make it simpler")
        self.assertEqual(self.agent.get("/v1/jobs"), [])

    def test_many_jobs_are_parsed_at_once(self):
        """As a tool does that plans many jobs."""
        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            replies = list(pool.map(
                lambda _: self.agent.ask("PUT", "/v1/jobs/parse", {"JobHCL": web()}), range(20)))
        self.assertEqual([(r.status, r.body) for r in replies if r.status != 200], [])


@unittest.skipUnless(HAS_HCL, "this build has no drover-hcl")
class HclFileTest(DroverTest):
    """What needs no agent."""

    def command(self, *arguments, code=0, stdin=None):
        if stdin is None:
            done = self.sandbox.command(*arguments)
        else:
            with open(self.sandbox.write("stdin", stdin), "rb") as file:
                done = self.sandbox.command(*arguments, stdin=file)
        self.assertEqual(done.code, code, done)
        return done

    def test_jobs_are_checked_and_run(self):
        path = self.sandbox.write("web.nomad.hcl", web())
        self.assertIn("valid", self.command("validate", "--config", self.sandbox.config_file, path).out)
        run = self.command("run", "--config", self.sandbox.config_file, "-var", 'words=["a", "b"]',
                           path)
        self.assertIn("A web.g[0]", run.out)
        self.assertIn("B web.g[0]", run.out)
        bad = self.sandbox.write("bad.nomad.hcl", 'job "a" {\n  x = 1\n}\n')
        said = self.command("validate", path, bad, code=1).out
        self.assertIn(f"{bad}:2,3: Error: Unsupported argument", said)
        self.assertIn(f"{path}: valid", said)
        bad = self.sandbox.write("fields.nomad.hcl", FAULTS_OF_FIELDS)
        expect_faults_of_fields(self, bad, self.command("validate", bad, code=1).out)
        expect_faults_of_fields(self, bad, self.command(
            "run", "--config", self.sandbox.config_file, bad, code=2).err)
        in_json = self.sandbox.write("a.json", {"Job": {"ID": "a"}})
        self.assertIn("is JSON, which has no variables",
                      self.command("run", "--config", self.sandbox.config_file, "-var", "a=b", in_json,
                                   code=2).err)

    def test_an_example_is_written_and_is_valid(self):
        self.assertIn("Wrote example.nomad.hcl", self.command("job", "init").out)
        path = self.sandbox.root / "example.nomad.hcl"
        self.assertIn("valid", self.command("validate", path).out)
        before = path.read_bytes()
        self.assertIn("exists already", self.command("job", "init", code=1).err)
        self.assertEqual(path.read_bytes(), before)
        self.command("job", "init", "--minimal", "small.nomad.hcl")
        self.assertIn("valid", self.command("validate", self.sandbox.root / "small.nomad.hcl").out)
        self.assertNotIn("#", (self.sandbox.root / "small.nomad.hcl").read_text())
        self.assertEqual(self.command("fmt", "--check").out, "", "the examples are laid out")
        self.assertIn("/no/such", self.command("job", "init", "/no/such/file", code=1).err)

    def test_files_are_laid_out(self):
        bad, good = 'job "a" {\ntype="batch"\n}\n', 'job "a" {\n  type = "batch"\n}\n'
        files = {name: self.sandbox.write(name, bad)
                 for name in ("d/a.hcl", "d/b.nomad", "d/c.txt", "d/below/d.hcl")}
        os.chmod(files["d/a.hcl"], 0o640)
        (self.sandbox.root / "d/link.hcl").symlink_to("a.hcl")
        d = self.sandbox.root / "d"
        self.assertEqual(self.command("fmt", "-check", files["d/a.hcl"], code=1).out,
                         f"{files['d/a.hcl']}\n")
        self.assertEqual(files["d/a.hcl"].read_text(), bad)
        self.assertEqual(self.command("fmt", "-write=false", "-list=false", files["d/a.hcl"]).out, good)
        self.assertEqual(self.command("fmt", d).out, f"{d}/a.hcl\n{d}/b.nomad\n")
        self.assertEqual([f.read_text() for f in files.values()], [good, good, bad, bad])
        self.assertEqual(files["d/a.hcl"].stat().st_mode & 0o777, 0o640)
        self.assertTrue((self.sandbox.root / "d/link.hcl").is_symlink())
        self.assertEqual(self.command("fmt", "-recursive", "-list=false", d).out, "")
        self.assertEqual(files["d/below/d.hcl"].read_text(), good)
        self.assertEqual(sorted(p.name for p in d.iterdir()),
                         ["a.hcl", "b.nomad", "below", "c.txt", "link.hcl"])
        self.command("fmt", "-check", "-recursive", d)
        self.assertEqual(self.command("fmt", "-", stdin=bad).out, good)

    def test_what_cannot_be_laid_out_stays_as_it_is(self):
        path = self.sandbox.write("a.hcl", 'job "a" {\n')
        said = self.command("fmt", path, code=1)
        self.assertIn(f"{path}:1,", said.err)
        self.assertEqual(path.read_text(), 'job "a" {\n')
        other = self.sandbox.write("a.txt", "x=1")
        self.assertIn("is not called", self.command("fmt", other, code=2).err)
        self.assertIn("no such file", self.command("fmt", "/no/such.hcl", code=2).err)
        self.assertIn("Error", self.command("fmt", "-", stdin="{", code=1).err)

    def test_names_of_files_are_completed(self):
        for name in ("a.nomad.hcl", "b.nomad", "c.json", "d.txt", "dir/e.hcl", ".hidden.hcl"):
            self.sandbox.write(name, "")
        def complete(*words):
            return self.command("__complete", *words).out.split()
        own = {"agent.json", "run/", "tmp/", "allocs/"}
        self.assertEqual(set(complete("job", "run", "")) - own,
                         {"a.nomad.hcl", "b.nomad", "c.json", "dir/"})
        self.assertEqual(complete("job", "plan", "a."), ["a.nomad.hcl"])
        self.assertEqual(complete("validate", "dir/"), ["dir/e.hcl"])
        self.assertEqual(complete("fmt", "b"), ["b.nomad"])
        self.assertEqual(complete("job", "run", "--var-file", "dir/e"), ["dir/e.hcl"])


if __name__ == "__main__":
    import harness
    harness.main()
