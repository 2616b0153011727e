# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The messages for tasks that cannot be started."""
import harness
from harness import DroverTest, one, plugin_file, task


def config(**values):
    return one(task("t", config=values))


POINTER = "/Job/TaskGroups/0/Tasks/0"


class DriverFailureTest(DroverTest):
    def driver_failure(self, spec, *texts, config=None):
        run = self.run_job(spec, code=1, config=config)
        failure = run.event("t", "Driver Failure") or run.event("t", "Setup Failure") or \
            run.event("t", "Failed Validation")
        self.assertIsNotNone(failure, run.story())
        for text in texts:
            self.assertIn(text, failure["DisplayMessage"])
        self.assertNotIn("Started", run.event_types("t"))
        self.assertTrue(run.state("t")["Failed"])
        return failure["DisplayMessage"]

    def test_missing_binary_is_named(self):
        self.driver_failure(config(command="/no/such/program"),
                            'binary "/no/such/program" could not be found')

    def test_name_that_is_nowhere_in_the_path(self):
        self.driver_failure(config(command="drover-no-such-program"),
                            'binary "drover-no-such-program" could not be found')

    def test_directory_as_command(self):
        self.driver_failure(config(command="/etc"), "/etc")

    def test_program_without_an_interpreter(self):
        path = self.sandbox.write("script", "#!/no/such/interpreter\n")
        path.chmod(0o755)
        self.driver_failure(config(command=str(path)), str(path))

    def test_program_that_is_no_program(self):
        path = self.sandbox.write("junk", b"\x7fELFjunk")
        path.chmod(0o755)
        self.driver_failure(config(command=str(path)), str(path))

    def test_unknown_user(self):
        self.driver_failure(one(task("t", "true", User="drover-nobody-here")),
                            "drover-nobody-here")

    def test_numbers_that_are_no_user(self):
        for user in ("0day", "-1", "4294967296", "4294967295"):
            with self.subTest(user=user):
                run = self.sandbox.run(one(task("t", "id -u", User=user)))
                self.assertIn(run.wait(), (1, 2), run.story())
                self.assertEqual(run.logs("t"), [])

    def test_work_dir_that_is_missing(self):
        self.driver_failure(config(command="/bin/true", work_dir="/no/such/dir"), "/no/such/dir")

    def test_wrong_configuration_is_refused_with_its_place(self):
        self.refused(config(command=["x"]), POINTER + "/Config/command: ")
        self.refused(config(), POINTER + "/Config/command: is missing")
        self.refused(config(command="/bin/true", comand="x"), POINTER + "/Config/comand: ",
                     'did you mean "command"?')
        self.refused(config(command="/bin/true", args={"a": 1}), POINTER + "/Config/args: ")
        self.refused(config(command="/bin/true", args=[{"a": 1}]), POINTER + "/Config/args/0: ")

    def test_two_wrong_tasks_are_reported_at_once(self):
        self.refused(one(task("a", config={"command": ["x"]}), task("b", config={"comand": "x"})),
                     "/Job/TaskGroups/0/Tasks/0/Config/command: ",
                     "/Job/TaskGroups/0/Tasks/1/Config/comand: ")

    def test_configuration_that_is_wrong_after_interpolation(self):
        spec = one(task("t", driver="mock_driver",
                        config={"run_for": "10ms", "exit_code": "${NOMAD_META_code}"},
                        Meta={"code": "seven"}))
        self.driver_failure(spec, "exit_code")

    def test_unknown_driver_is_refused(self):
        self.refused(one(task("t", config={}, driver="docker")), POINTER + "/Driver", "docker")

    def test_disabled_driver_is_refused(self):
        path = self.sandbox.write_config("disabled.json", plugins={
            "raw_exec": {"file": str(plugin_file("raw_exec")), "config": {"enabled": False}}})
        run = self.sandbox.run(one(task("t", "true")), config=path)
        self.assertIn(run.wait(), (1, 2), run.story())
        said = run.err + str(run.lines)
        self.assertIn("disabled", said)

    def test_plugin_configuration_with_an_unknown_key(self):
        path = self.sandbox.write_config("wrong.json", plugins={
            "raw_exec": {"file": str(plugin_file("raw_exec")), "config": {"enabeld": True}}})
        run = self.sandbox.run(one(task("t", "true")), config=path)
        self.assertIn(run.wait(), (1, 2), run.story())
        self.assertIn("enabeld", run.err + str(run.lines))

    def test_exit_by_a_signal_is_reported(self):
        run = self.run_job(one(task("t", "kill -SEGV $$")), code=1)
        self.assertEqual(run.event("t", "Terminated")["DisplayMessage"],
                         "Exit Code: 139, Signal: 11")

    def test_exit_message_of_a_driver_is_reported(self):
        run = self.run_job(one(task("t", driver="mock_driver", config={
            "run_for": "10ms", "exit_code": 9, "exit_err_msg": "gone fishing"})), code=1)
        self.assertIn("gone fishing", run.event("t", "Terminated")["DisplayMessage"])


if __name__ == "__main__":
    harness.main()
