# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The restarts of tasks, and the messages when a task is not restarted."""
import harness
from harness import DroverTest, mock, one, task

THRICE = {"Attempts": 2, "Interval": "10m", "Delay": "50ms", "Mode": "fail"}
EXCEEDED = 'Exceeded allowed attempts 2 in interval 10m0s and mode is "fail"'


class RestartTest(DroverTest):
    def test_failing_batch_task_uses_its_attempts_up(self):
        run = self.run_job(one(task("t", "exit 5"), RestartPolicy=THRICE), code=1)
        types = run.event_types("t")
        self.assertEqual(types.count("Started"), 3, types)
        self.assertEqual(types.count("Restarting"), 2, types)
        self.assertEqual(run.event("t", "Not Restarting")["DisplayMessage"], EXCEEDED)
        self.assertTrue(run.state("t")["Failed"])
        self.assertEqual(run.state("t")["Restarts"], 2)
        for nth in range(2):
            restarting = run.event("t", "Restarting", nth)
            delay = int(restarting["Details"]["start_delay"])
            self.assertGreaterEqual(delay, 50e6)
            self.assertLess(delay, 62.5e6, "at most a quarter more than the policy says")
            gap = run.event("t", "Started", nth + 1)["Time"] - restarting["Time"]
            self.assertGreaterEqual(gap, delay * 0.99, "a restart must not come early")

    def test_batch_task_that_succeeds_is_not_restarted(self):
        run = self.run_job(one(mock("m", run_for="20ms"), RestartPolicy=THRICE))
        self.assertEqual(run.event_types("m").count("Started"), 1)
        self.assertEqual(run.state("m")["Restarts"], 0)

    def test_service_task_that_succeeds_is_restarted(self):
        run = self.run_job(one(mock("m", run_for="20ms"), type="service", RestartPolicy=THRICE),
                           code=1)
        self.assertEqual(run.event_types("m").count("Started"), 3)
        self.assertEqual(run.event("m", "Not Restarting")["DisplayMessage"], EXCEEDED)

    def test_no_attempts(self):
        for kind, exit_code, code in (("batch", 0, 0), ("batch", 1, 1), ("service", 0, 1),
                                      ("service", 1, 1)):
            with self.subTest(kind=kind, exit_code=exit_code):
                run = self.run_job(one(mock("m", run_for="10ms", exit_code=exit_code), type=kind),
                                   code=code)
                if code:
                    self.assertEqual(run.event("m", "Not Restarting")["DisplayMessage"],
                                     "Policy allows no restarts")

    def test_policy_of_the_task_comes_before_that_of_its_group(self):
        run = self.run_job(one(
            mock("own", run_for="10ms", exit_code=1,
                 RestartPolicy={"Attempts": 1, "Delay": "10ms"}), RestartPolicy=THRICE), code=1)
        self.assertEqual(run.event_types("own").count("Started"), 2)

    def test_recoverable_start_error_is_tried_again(self):
        run = self.run_job(
            one(mock("m", start_error="not yet", start_error_recoverable=True),
                RestartPolicy={"Attempts": 1, "Interval": "10m", "Delay": "20ms", "Mode": "fail"}),
            code=1)
        self.assertEqual(run.event_types("m"),
                         ["Received", "Task Setup", "Driver Failure", "Restarting",
                          "Driver Failure", "Not Restarting"])
        self.assertIn("not yet", run.event("m", "Driver Failure")["DisplayMessage"])

    def test_other_start_error_is_not(self):
        run = self.run_job(one(mock("m", start_error="never"), RestartPolicy=THRICE), code=1)
        self.assertEqual(run.event_types("m"),
                         ["Received", "Task Setup", "Driver Failure", "Not Restarting"])
        self.assertIn("Error was unrecoverable",
                      run.event("m", "Not Restarting")["DisplayMessage"])

    def test_mode_delay_waits_for_the_rest_of_the_interval(self):
        run = self.sandbox.run(one(
            mock("m", run_for="10ms", exit_code=1), RestartPolicy={
                "Attempts": 1, "Interval": "5s", "Delay": "10ms", "Mode": "delay"}))
        second = run.wait_event("m", "Restarting", nth=1)
        self.assertIn("Exceeded allowed attempts, applying a delay", second["DisplayMessage"])
        delay = int(second["Details"]["start_delay"])
        self.assertGreater(delay, 1e9)
        self.assertLessEqual(delay, 5e9)
        run.interrupt()
        self.assertEqual(run.wait(), 130, run.story())

    def test_events_that_are_kept_are_bounded_but_all_are_shown(self):
        run = self.run_job(one(mock("m", run_for="5ms", exit_code=1), RestartPolicy={
            "Attempts": 6, "Interval": "10m", "Delay": "5ms", "Mode": "fail"}), code=1)
        self.assertEqual(run.event_types("m").count("Terminated"), 7)
        self.assertEqual(run.event_types("m").count("Started"), 7)


if __name__ == "__main__":
    harness.main()
