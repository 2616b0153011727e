# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The order in which the tasks of a group start and end."""

import harness
from harness import ROOT, SLACK, DroverTest, mock, one, task


class LifecycleTest(DroverTest):
    def finished(self, run, name):
        return name + " finished", run.state(name)["FinishedAt"]

    def started(self, run, name, nth=0):
        return name + " started", run.event(name, "Started", nth)["Time"]

    def test_example_runs_in_order_and_leaves_nothing(self):
        # The web server serves for 5 seconds. On a slow machine the others need longer to ask it.
        text = (ROOT / "examples/jobs/lifecycle.json").read_text()
        self.assertIn("sleep 5;", text)
        slow = self.sandbox.write("lifecycle.json",
                                  text.replace("sleep 5;", f"sleep {4 + 2 * SLACK:g};"))
        run = self.run_job(slow, limit=90)
        for first, second in (("build", "web"), ("build", "flaky"), ("build", "probe")):
            self.assert_order(self.finished(run, first), self.started(run, second))
        self.assert_order(self.started(run, "watch"), self.started(run, "web"))
        self.assert_order(self.started(run, "web"), self.started(run, "probe"))
        self.assert_order(self.started(run, "flaky"), self.started(run, "probe"))
        for name in ("build", "watch", "web", "flaky", "probe"):
            self.assert_order(self.finished(run, name), self.started(run, "sweep"))
        self.assert_order(self.finished(run, "web"), self.finished(run, "watch"))

        self.assertEqual(
            run.event_types("flaky"),
            ["Received", "Task Setup", "Started", "Terminated", "Restarting", "Started",
             "Terminated"])
        self.assertEqual(run.event("flaky", "Terminated")["DisplayMessage"], "Exit Code: 7")
        self.assertEqual(run.state("flaky")["Restarts"], 1)
        self.assertEqual(run.logs("flaky", "stderr"), ["first try: failing"])
        self.assertEqual(run.logs("flaky", "stdout"), ["second try: fine"])
        self.assertIn("hello from lifecycle.site[0]", run.logs("probe"))
        self.assertIn("served its time", run.logs("web"))
        self.assertIn("sweeping up", run.logs("sweep"))

        # The sidecar is stopped when the leader has ended.
        watch = run.event_types("watch")
        self.assertEqual([t for t in watch if t in ("Killing", "Terminated", "Killed")],
                         ["Killing", "Terminated", "Killed"], watch)
        self.assertEqual({run.state(name)["Failed"] for name in
                          ("build", "watch", "web", "flaky", "probe", "sweep")}, {False})
        self.assertEqual(run.statuses()[-1], ("complete", "All tasks have completed"))
        self.assertIn("running", [status for status, _ in run.statuses()])

    def test_failed_prestart_keeps_the_main_task_from_starting(self):
        run = self.run_job(
            one(task("before", "exit 3", Lifecycle={"Hook": "prestart"}), task("main", "true"),
                task("after", "echo after", Lifecycle={"Hook": "poststop"})), code=1)
        self.assertNotIn("Started", run.event_types("main"))
        self.assertEqual(run.statuses()[-1], ("failed", "Failed tasks"))
        self.assertTrue(run.state("before")["Failed"])
        self.assertEqual(run.state("main")["State"], "dead")

    def test_failing_main_task_takes_its_siblings_with_it(self):
        run = self.run_job(one(task("bad", "sleep 0.3; exit 4"), task("good", "exec sleep 60"),
                               task("after", "echo after", Lifecycle={"Hook": "poststop"})), code=1)
        self.assertIn("Sibling Task Failed", run.event_types("good"))
        self.assertEqual(run.logs("after"), ["after"])
        self.assertEqual(run.event("bad", "Not Restarting")["DisplayMessage"],
                         "Policy allows no restarts")
        self.assert_order(self.finished(run, "good"), self.started(run, "after"))

    def test_leader_ends_the_others(self):
        run = self.run_job(one(task("leader", "sleep 0.3", Leader=True),
                               task("other", "exec sleep 60", KillSignal="SIGTERM")))
        self.assertIn("Leader Task Dead", run.event_types("other"))
        self.assertFalse(run.state("other")["Failed"])

    def test_sidecar_of_a_batch_job_ends_with_the_main_tasks(self):
        run = self.run_job(one(task("main", "sleep 0.3"),
                               task("side", "exec sleep 60", KillSignal="SIGTERM",
                                    Lifecycle={"Hook": "poststart", "Sidecar": True})))
        self.assert_order(self.started(run, "main"), self.started(run, "side"))
        self.assert_order(self.finished(run, "main"), self.finished(run, "side"))
        self.assertIn("Killed", run.event_types("side"))

    def test_exact_events_of_a_task_that_ends_by_itself(self):
        run = self.run_job(one(mock("m", run_for="50ms", stdout_string="hi\n")))
        self.assertEqual(run.event_types("m"), ["Received", "Task Setup", "Started", "Terminated"])
        self.assertEqual([e["DisplayMessage"] for e in run.events("m")],
                         ["Task received by client", "Building Task Directory",
                          "Task started by client", "Exit Code: 0"])
        self.assertEqual(run.logs("m"), ["hi"])

    def test_max_run_duration_ends_the_allocation(self):
        run = self.run_job(one(task("long", "exec sleep 60", KillSignal="SIGTERM"),
                               task("after", "echo after", Lifecycle={"Hook": "poststop"}),
                               MaxRunDuration="1s"))
        self.assertEqual(run.statuses()[-1],
                         ("complete", "allocation exceeded max_run_duration"))
        self.assertEqual(run.logs("after"), [], "poststop must not run after max_run_duration")
        state = run.state("long")
        self.assertGreaterEqual(state["FinishedAt"] - state["StartedAt"], 0.9e9)


if __name__ == "__main__":
    harness.main()
