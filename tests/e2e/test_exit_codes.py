# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The exit codes of the process."""
import os
import subprocess

import harness
from harness import DroverTest, binary, mock, one, task


class ExitCodeTest(DroverTest):
    def test_complete_is_0(self):
        self.run_job(one(mock("m", run_for="20ms")), code=0)

    def test_failed_is_1(self):
        run = self.run_job(one(mock("m", run_for="20ms", exit_code=3)), code=1)
        self.assertEqual(run.statuses()[-1], ("failed", "Failed tasks"))
        self.assertEqual(run.event("m", "Terminated")["DisplayMessage"], "Exit Code: 3")

    def test_one_failed_allocation_of_two_is_1(self):
        run = self.run_job(
            one(task("t", 'test "$NOMAD_ALLOC_INDEX" = 0'), Count=2), code=1)
        last = {line["AllocName"]: line["ClientStatus"] for line in run.of_type("Alloc")}
        self.assertEqual(last, {"e2e.g[0]": "complete", "e2e.g[1]": "failed"})

    def test_interrupted_is_130(self):
        run = self.sandbox.run(one(task("t", "exec sleep 60")))
        run.wait_event("t", "Started")
        run.interrupt()
        self.assertEqual(run.wait(), 130, run.story())

    def test_wrong_use_is_2_with_a_message_on_standard_error(self):
        good = self.sandbox.write("good.json", one(mock("m", run_for="20ms")))
        cases = {
            (): "subcommand",
            ("frobnicate",): "frobnicate",
            ("run",): "JOB",
            ("run", "--no-such", good): "--no-such",
            ("run", "--config", "/no/such.json", good): "/no/such.json: no such file",
            ("run", "--config", self.sandbox.config_file, "/no/such-job.json"): "/no/such-job.json",
            ("run", "--config", self.sandbox.write("bad.json", "{"), good): "not JSON",
            ("run", "--config", self.sandbox.write("worse.json", {"nam": 1}), good): "/nam",
            ("plugin",): "subcommand",
            ("deployment", "frob"): 'drover deployment: unknown command "frob"\nA sub',
            ("job", "frob", "web"): 'drover job: unknown command "frob"\nA sub',
            ("job", "-short", "periodic", "start"):
                'drover job periodic: unknown command "start"\nA sub',
            ("node", "meta", "set"): 'drover node meta: unknown command "set"\nA sub',
        }
        for arguments, text in cases.items():
            with self.subTest(arguments=arguments):
                done = self.sandbox.command(*arguments)
                self.assertEqual(done.code, 2, done)
                self.assertIn(text, done.err)

    def test_works_with_closed_descriptors(self):
        path = self.sandbox.write("job.json", one(task("t", "echo said; ls -l /proc/self/fd")))

        for closed in ([0], [2], [0, 2]):
            def close_them():
                for fd in closed:
                    os.close(fd)
            with self.subTest(closed=closed):
                done = subprocess.run(
                    [str(binary()), "run", "--config", str(self.sandbox.config_file), str(path)],
                    preexec_fn=close_them, capture_output=True, timeout=harness.LIMIT,
                    env=self.sandbox.environment({"CI": "true"}), start_new_session=True)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertIn(b"said", done.stdout)

    def test_a_reader_that_goes_away_does_not_leave_tasks_behind(self):
        # `drover run ... | head -1`
        path = self.sandbox.write("job.json", one(task(
            "t", "while :; do echo line; sleep 0.01; done", KillTimeout="1s")))
        process = subprocess.Popen(
            [str(binary()), "run", "--config", str(self.sandbox.config_file), str(path)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=self.sandbox.environment(), start_new_session=True)
        try:
            self.assertTrue(process.stdout.readline())
            process.stdout.close()
            # It is stopped in order, as by an interrupt: nothing stays, not even directories.
            self.assertEqual(process.wait(harness.LIMIT), 130)
        finally:
            process.kill()
            process.wait()


if __name__ == "__main__":
    harness.main()
