# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Wrong jobs: Drover reports all mistakes, with their places, and does nothing."""
import json

import harness
from harness import DroverTest, group, job, mock, one, task

GROUP = "/Job/TaskGroups/0"


class ValidationTest(DroverTest):
    def test_all_mistakes_are_told_at_once(self):
        spec = job(group(task("a/b", "true", KillTimeout="soon"), task("b", "true", Kill=1),
                         task("b", "true"), name="..", Count=-1),
                   id="e 2", type="bach", Priority=200)
        said = self.refused(
            spec, "the job has 9 faults", "/Job/ID", "/Job/Type", "/Job/Priority",
            GROUP + "/Name", GROUP + "/Count", GROUP + "/Tasks/0/Name",
            GROUP + "/Tasks/0/KillTimeout", GROUP + "/Tasks/1/Kill", GROUP + "/Tasks/2/Name")
        # One line each, for people.
        self.assertEqual(len([line for line in said.splitlines() if "  * /Job/" in line]), 9, said)

    def test_what_is_not_carried_out_is_refused_by_name(self):
        spec = one(task("t", "true", Vault={"Role": "r"}, Secrets=[{"Name": "x"}],
                        Services=[{"Name": "s", "Connect": {"Native": True}}]),
                   Volumes={"v": {"Type": "csi", "Source": "v"}})
        said = self.refused(spec, *(f"{GROUP}/Tasks/0/{name}: is not supported by this version"
                                    for name in ("Vault", "Secrets", "Services/0/Connect")),
                            GROUP + '/Volumes/v/Type: "csi" is not supported by this version')
        self.assertNotIn("/KillTimeout", said)

    def test_what_stays_refused_says_what_to_do_instead(self):
        self.refused(one(task("t", "true", Vault={}, Consul={"Cluster": "c"}, Kind="connect-proxy:x",
                              CSIPluginConfig={"ID": "x", "Type": "node"},
                              Services=[{"Name": "s", "Connect": {"SidecarService": {}}}])),
                     *(f"{GROUP}/Tasks/0/{name}: is not supported by this version: remove it"
                       for name in ("Vault", "Consul", "Kind", "CSIPluginConfig",
                                    "Services/0/Connect")))

    def test_templates_and_sources_that_can_never_work_are_refused(self):
        templates = [{"EmbeddedTmpl": text, "DestPath": f"local/{number}"} for number, text in enumerate((
            "a\n{{ nope 1 }}", '{{ with secret "x" }}{{ end }}', "{{ if true }}", '{{ nope "${X}" }}', "fine"))]
        artifacts = [{"GetterSource": source} for source in ("git@github.com:a/b.git", "ftp://${X}/a")]
        said = self.refused(one(task("t", "true", Templates=templates, Artifacts=artifacts)), "the job has 4 faults",
                            GROUP + '/Tasks/0/Templates/0/EmbeddedTmpl: template:2:4: function "nope" not defined',
                            GROUP + "/Tasks/0/Templates/1/EmbeddedTmpl: template:1:9: secret: this version has no Vault",
                            GROUP + "/Tasks/0/Templates/2/EmbeddedTmpl: template:1:4: the action has no {{end}}",
                            GROUP + "/Tasks/0/Artifacts/0/GetterSource: source ")
        self.assertNotIn("Templates/3", said)
        path = self.sandbox.write("bad.hcl", """job "x" {
  group "g" {
    task "t" {
      driver = "raw_exec"
      config { command = "true" }
      template {
        destination = "local/a"
        data        = "{{ nope }}"
      }
    }
  }
}
""")
        done = self.sandbox.command("validate", path)
        self.assertEqual(done.code, 1, done)
        self.assertIn("bad.hcl:8", done.out)
        self.assertIn('function "nope" not defined', done.out)

    def test_what_is_taken_and_not_carried_out_is_warned_of(self):
        run = self.run_job(one(mock("m", run_for="10ms", Identity={"ExtraClaims": ["a"]})))
        self.assertIn(f"{GROUP}/Tasks/0/Identity/ExtraClaims: is not carried out by this version: ", run.err)

    def test_a_policy_of_replacements_is_checked(self):
        self.refused(one(mock("m"), ReschedulePolicy={"Attempts": 3, "Interval": "10s", "Delay": "1s"}),
                     f"{GROUP}/ReschedulePolicy/Delay: must be at least 5s, but is 1s")
        self.refused(one(mock("m"), ReschedulePolicy={"Attempts": 3, "Interval": "10s"}),
                     f"{GROUP}/ReschedulePolicy/Interval: must be at least 15s, but is 10s")
        self.refused(one(mock("m"), ReschedulePolicy={"Attempts": 3, "Unlimited": True}),
                     f"{GROUP}/ReschedulePolicy/Attempts: 3 attempts with unlimited = true is ambiguous")

    def test_fields_without_effect_are_accepted(self):
        self.run_job(one(mock("m", run_for="10ms", Vault=None, Templates=[], Services=None,
                              Affinities=[]), Update=None, Spreads=[]))

    def test_a_constraint_that_the_machine_does_not_meet_is_reported(self):
        constraint = {"LTarget": "${attr.kernel.name}", "RTarget": "linux"}
        self.run_job(one(mock("m", run_for="10ms"), Constraints=[constraint]))
        run = self.sandbox.run(one(mock("m", run_for="10ms"),
                                   Constraints=[{**constraint, "Operand": "!="}]))
        self.assertIn(run.wait(), (1, 2), run.story())
        self.assertIn("does not meet the constraint ${attr.kernel.name} != linux",
                      run.err + str(run.lines))
        self.refused(one(mock("m"), Constraints=[{**constraint, "Operand": "regexp", "RTarget": "("}]),
                     GROUP + "/Constraints/0/RTarget: is not a regular expression")

    def test_unknown_field_in_other_case_is_explained(self):
        self.refused(one(task("t", "true", killTimeout="5s")), 'did you mean "KillTimeout"?')

    def test_names_that_are_paths_create_nothing(self):
        for name in ("../../escape", "a/b", ".", "..", "alloc", "a\nb", "\x1b[31m", "x" * 300, ""):
            with self.subTest(name=name):
                said = self.refused(one(task(name, "true")), GROUP + "/Tasks/0/Name")
                self.assertNotIn("\x1b", said)

    def test_files_that_are_no_job(self):
        for content, text in (("", "the text is empty"), ("{", "line 1"), ("[]", "object"),
                              ('{"Job": 1}', "/Job"), ("{}", "ID"), ("\x00\x01", "Invalid character"),
                              ('{"Job": {"ID": "a", "ID": "b"}}', "twice"),
                              ("[" * 5000, ""), ('job "x" {}', "no task group"),
                              ("job {", "bad.json:1,5: Error")):
            with self.subTest(content=content[:20]):
                path = self.sandbox.write("bad.json", content)
                done = self.sandbox.command("run", "--config", self.sandbox.config_file, path)
                self.assertEqual(done.code, 2, done)
                self.assertIn(text, done.err)

    def test_files_that_are_no_file(self):
        for path in ("/no/such.json", self.sandbox.root, "/dev/zero"):
            with self.subTest(path=path):
                done = self.sandbox.command("run", "--config", self.sandbox.config_file, path)
                self.assertEqual(done.code, 2, done)
                self.assertIn(str(path), done.err)

    def test_validate_of_good_and_bad_files(self):
        good = self.sandbox.write("good.json", one(mock("m")))
        bad = self.sandbox.write("bad.json", one(mock("m", KillTimeout="soon")))
        done = self.sandbox.command("validate", good)
        self.assertEqual(done.code, 0, done)
        self.assertEqual(self.sandbox.command("validate", good, bad).code, 1)
        done = self.sandbox.command("validate", good, bad, "/no/such-job.json")
        self.assertEqual(done.code, 2, done)
        self.assertIn("good.json: valid", done.out)
        self.assertIn("/no/such-job.json: no such file", done.out + done.err)
        self.assertIn("bad.json", done.out + done.err)
        self.assertIn(GROUP + "/Tasks/0/KillTimeout", done.out + done.err)
        self.assertEqual(self.leftovers.found(), [])

    def test_validate_asks_the_drivers_when_it_may(self):
        spec = self.sandbox.write("job.json", one(task("t", config={"comand": "x"})))
        self.assertEqual(self.sandbox.command("validate", spec).code, 0)
        done = self.sandbox.command("validate", "--config", self.sandbox.config_file, spec)
        self.assertEqual(done.code, 1, done)
        self.assertIn(": " + GROUP + "/Tasks/0/Config/command: is missing; ", done.out)
        self.assertIn("; " + GROUP + "/Tasks/0/Config/comand: there is no such field", done.out)
        bare = self.sandbox.write("bare.json", one(task("t", driver="docker", config={}))["Job"])
        done = self.sandbox.command("validate", "--config", self.sandbox.config_file, bare)
        self.assertIn("bare.json: /TaskGroups/0/Tasks/0/Driver: ", done.out)

    def test_validate_as_json(self):
        bad = self.sandbox.write("bad.json", one(mock("m", KillTimeout="soon", Nope=1)))
        for spelling in ("--json", "-json"):
            done = self.sandbox.command("validate", spelling, bad)
            self.assertEqual(done.code, 1, done)
            text = json.dumps(json.loads(done.out))
            self.assertIn(GROUP + "/Tasks/0/KillTimeout", text)
            self.assertIn(GROUP + "/Tasks/0/Nope", text)


if __name__ == "__main__":
    harness.main()
