# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""`drover job restart`: by the program that somebody watches, and by the agent."""
import signal
import subprocess
import time

import harness
from agent_harness import AgentTest
from harness import DroverTest, binary, group, job, mock, task
from test_agent_streams import Stream
from test_client import LONG, Client, canned, service, stub
from test_takeover import TakeoverCase
from typed import Typed

ASK = '"ask" cannot be used when terminal is not interactive'


def ended(count):
    """A job whose allocations end at once, so that they cannot be restarted."""
    return job(group(mock("t", run_for="1ms"), Count=count), id="sum")


class Restarts(Client):
    """What tests of restarts ask of self.agent."""

    def run_service(self, *tasks, count=3, **fields):
        self.agent.submit(service(*(tasks or (task("t", LONG),)), Count=count, **fields))
        self.agent.wait_allocs("web", count, "running")
        self.wait_deployed()
        return [a["ID"] for a in self.agent.allocs("web")]

    def wait_deployed(self):
        def done():
            one = self.agent.get("/v1/job/web/deployment")
            return one is None or one["Status"] == "successful"
        harness.wait_until(done, "the deployment")

    def run_ended(self, count):
        self.agent.submit(ended(count))
        self.agent.wait_allocs("sum", count, "complete")

    def wait_restarted(self, counts):
        """Waits until the tasks of the allocations were restarted so many times. The reports of the node come later
        than the answers to requests."""
        harness.wait_until(lambda: self.restarts() == counts or None, f"restarts: {counts}")

    def restarts(self):
        return sorted(sum(t["Restarts"] for t in a["TaskStates"].values())
                      for a in self.agent.allocs("web") if a["DesiredStatus"] == "run")


class JobRestartTest(Restarts, AgentTest):
    def setUp(self):
        super().setUp()
        self.address = self.agent.url

    def restart(self, *options, code=0, id="web"):
        return self.cli("job", "restart", "-on-error=fail", *options, id, code=code)

    def test_all_allocations_one_after_the_other(self):
        ids = self.run_service()
        shown = self.restart("-verbose").out
        self.assertEqual(shown.splitlines()[0], 'Restarting 3 allocations of the job "web"')
        for id in ids:
            self.assertIn(f'Restarting allocation "{id}" of group "g"\n', shown)
        self.assertTrue(shown.endswith("Job restart finished\nJob restarted successfully!\n"), shown)
        for id in ids:
            self.agent.wait_restarts(id, t=1)
        self.restart("-batch-size=100%")
        self.wait_restarted([2, 2, 2])

    def test_groups_and_tasks_are_chosen(self):
        spec = job(group(task("a", LONG), task("b", LONG), name="one", Update={"MaxParallel": 0}),
                   group(task("c", LONG), name="two", Update={"MaxParallel": 0}), id="web",
                   type="service")
        self.agent.submit(spec)
        self.agent.wait_allocs("web", 2, "running")
        one, two = (next(a["ID"] for a in self.agent.allocs("web") if a["TaskGroup"] == name)
                    for name in ("one", "two"))
        self.restart("-group", "two")
        self.agent.wait_restarts(two, c=1)
        self.agent.wait_restarts(one, a=0, b=0)
        shown = self.restart("-task", "a", "-task", "x", "-verbose").out
        self.assertIn(f'Skipping allocation "{two}": it has none of the tasks', shown)
        self.agent.wait_restarts(one, a=1, b=0)
        self.restart("-all-tasks", "-group=one")
        self.agent.wait_restarts(one, a=2, b=1)
        self.assertEqual(self.restart("-group", "three").out, "No allocations to restart\n")

    def test_nobody_is_asked_without_a_terminal(self):
        for options, said in (((), f'Invalid -on-error value "ask": {ASK}'),
                              (("-on-error=fail", "-batch-wait=ask"),
                               f'Invalid -batch-wait value "ask": {ASK}'),
                              (("-yes", "-batch-size=0"), 'Invalid -batch-size value "0": '),
                              (("-yes", "-batch-wait=soon"), 'Invalid -batch-wait value "soon": '),
                              (("-yes", "-on-error=never"), 'Invalid -on-error value "never": '),
                              (("-detach", "-batch-wait=ask"), "the agent can ask nobody"),
                              (("-yes", "-reschedule", "-task=t"), "leave -task and -all-tasks out"),
                              (("-yes", "-all-tasks", "-task=t"), "excludes"),
                              (("-cancel", "-detach"), "excludes")):
            self.assertIn(said, self.fails("job", "restart", *options, "web", code=2))
        self.assertIn("no job has an id", self.fails("job", "restart", "-yes", "none"))

    def test_errors_end_it_unless_they_are_ignored(self):
        self.run_ended(3)
        done = self.restart(id="sum", code=1)
        self.assertIn("Stopping job restart due to error\nJob restart finished with errors\n", done.out)
        self.assertRegex(done.err, r'\n1 error occurred while restarting job:\n'
                                   r'\* Error restarting allocation "[0-9a-f]{8}": ')
        done = self.cli("job", "restart", "-yes", "-task=t", "sum", code=1)
        self.assertIn("3 errors occurred while restarting job:\n", done.err)
        self.assertEqual(done.err.count('Failed to restart task "t": '), 3)
        self.assertNotIn("Stopping", done.out)

    def test_a_deployment_goes_first(self):
        self.agent.submit(service(task("t", LONG), Update={"HealthCheck": "manual"}))
        self.agent.wait_allocs("web", 1, "running")
        done = self.restart(code=1)
        self.assertRegex(done.err, r'\* Deployment "[0-9a-f-]{36}" is "running"\n$')
        said = self.fails("job", "restart", "-detach", "web")
        self.assertRegex(said, r'Deployment "[0-9a-f-]{36}" is "running"')

    def test_allocations_are_replaced(self):
        before = self.run_service(count=2)
        shown = self.restart("-reschedule", "-verbose", "-no-shutdown-delay").out
        for id in before:
            self.assertRegex(shown, f'Allocation "{id}" is replaced by "[0-9a-f-]{{36}}"\n')
        self.agent.wait_allocs("web", 2, "running")
        live = {a["ID"] for a in self.agent.allocs("web") if a["DesiredStatus"] == "run"}
        self.assertFalse(live & set(before))

    def test_a_batch_job_is_replaced_on_request(self):
        self.agent.submit(job(group(task("t", LONG)), id="sum"))
        before = self.agent.wait_allocs("sum", 1, "running")[0]["ID"]
        self.restart("-reschedule", id="sum")
        self.assertNotEqual(self.agent.wait_allocs("sum", 1, "running")[0]["ID"], before)

    def test_a_system_job_is_replaced_in_its_place(self):
        self.agent.submit(job(group(task("t", LONG), Update={"MaxParallel": 0}), id="sys",
                              type="system"))
        before = self.agent.wait_allocs("sys", 1, "running")[0]["ID"]
        self.restart("-reschedule", id="sys")
        self.assertNotEqual(self.agent.wait_allocs("sys", 1, "running")[0]["ID"], before)

    def test_sysbatch_jobs_stay_in_their_place(self):
        self.agent.submit(job(group(task("t", LONG)), id="sys", type="sysbatch"))
        self.agent.wait_allocs("sys", 1, "running")
        said = 'Jobs of type "sysbatch" are not allowed to be rescheduled.'
        self.assertIn(said, self.fails("job", "restart", "-yes", "-reschedule", "sys"))
        self.assertIn(said, self.fails("job", "restart", "-detach", "-reschedule", "sys"))
        self.restart(id="sys")

    def test_a_replacement_without_room_ends_it(self):
        self.run_service(count=2)
        node = self.agent.get("/v1/nodes")[0]["ID"]
        self.cli("node", "eligibility", "-disable", node)
        done = self.cli("job", "restart", "-yes", "-reschedule", "web", code=1)
        self.assertIn("Stopping job restart due to unrecoverable error", done.out)
        self.assertRegex(done.err, "the replacement cannot be placed: see drover eval status ")

    def test_a_signal_ends_it(self):
        self.run_service(count=2)
        process = subprocess.Popen(
            [binary(), "job", "restart", "-yes", "-batch-wait=1h", "web"],
            env=self.sandbox.environment({"DROVER_ADDR": self.address}),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        for line in process.stdout:
            if line.startswith("Waiting 1h0m0s"):
                break
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.stdout.read(), "Job restart canceled\n")
        self.assertEqual(process.wait(harness.LIMIT), 130)
        self.wait_restarted([0, 1])


class JobRestartTerminalTest(Restarts, AgentTest):
    """Somebody sits at the terminal, answers questions, and presses Ctrl-C."""

    def setUp(self):
        super().setUp()
        self.address = self.agent.url

    def restart(self, *options, id="web"):
        return Typed(self, "job", "restart", *options, id)

    def test_it_asks_between_batches(self):
        self.run_service(count=4)
        typed = self.restart("-batch-wait=ask")
        question = "Proceed with the next batch? [Y/n/<wait duration>] "
        typed.until(question)
        self.wait_restarted([0, 0, 0, 1])
        typed.type("what\n")
        typed.until('Invalid answer "what"')
        typed.until(question)
        typed.type("\n")  # yes
        typed.until(question)
        typed.type("10ms\n")  # and no more questions
        shown = typed.wait(0)
        self.assertEqual(shown.count("Waiting 10ms before the next batch"), 2)
        self.assertIn("Job restarted successfully!", shown)
        self.wait_restarted([1, 1, 1, 1])

    def test_no_and_the_end_of_the_input_cancel_it(self):
        self.run_service(count=2)
        for answer in ("n\n", "NO\n", "\x04"):
            typed = self.restart("-batch-wait=ask")
            typed.until("Proceed with the next batch?")
            typed.type(answer)
            self.assertIn("Job restart canceled", typed.wait(0))
        self.wait_restarted([0, 3])

    def test_it_asks_after_errors(self):
        self.run_ended(4)
        typed = self.restart("-batch-size=25%", id="sum")
        question = "Ignore the errors above and proceed with the next batch? [y/N] "
        typed.until('Error restarting allocation "')
        typed.until(question)
        typed.type("y\n")
        typed.until(question)
        typed.type("\n")  # no
        shown = typed.wait(1)
        self.assertIn("Job restart canceled", shown)
        self.assertIn("2 errors occurred while restarting job:", shown)

    def test_errors_that_are_likely_to_happen_again(self):
        self.run_service(count=2)
        self.cli("node", "eligibility", "-disable", self.agent.get("/v1/nodes")[0]["ID"])
        typed = self.restart("-reschedule")
        typed.until("the replacement cannot be placed")
        typed.until("The errors above are likely to happen again.")
        typed.until("Ignore the errors above and proceed with the next batch? [y/N] ")
        typed.type("n\n")
        shown = typed.wait(1)
        self.assertIn("Job restart canceled", shown)
        self.assertIn("1 error occurred while restarting job:", shown)

    def test_an_answer_after_errors_may_be_a_duration(self):
        self.run_ended(3)
        typed = self.restart("-batch-wait=ask", id="sum")
        typed.until("proceed with the next batch? [y/N/<wait duration>] ")
        typed.type("10ms\n")
        typed.until("Waiting 10ms before the next batch")
        typed.until("proceed with the next batch? [y/N] ")
        typed.type("y\n")
        shown = typed.wait(1)
        self.assertIn("3 errors occurred while restarting job:", shown)

    def test_control_c_asks_first(self):
        self.run_service(count=2)
        typed = self.restart("-batch-wait=1h")
        sure = "Are you sure you want to stop the restart process? [y/N] "
        typed.until("Waiting 1h0m0s")
        for answer in ("n\n", "\n"):
            typed.press_control_c()
            typed.until("Restart interrupted, no more allocations will be restarted.")
            typed.until(sure)
            typed.type(answer)
            typed.until("The restart goes on.")
        typed.press_control_c()
        typed.until(sure)
        typed.type("y\n")
        self.assertIn("Job restart canceled", typed.wait(0))
        self.wait_restarted([0, 1])

    def test_control_c_twice_is_sure(self):
        self.run_service(count=2)
        typed = self.restart("-batch-wait=1h")
        typed.until("Waiting 1h0m0s")
        typed.press_control_c()
        typed.until("[y/N] ")
        typed.press_control_c()
        self.assertIn("Job restart canceled", typed.wait(0))

    def test_control_c_while_tasks_end(self):
        slow = task("t", "trap '' INT TERM; echo up; while :; do sleep 0.1; done",
                    KillTimeout=3_000_000_000)
        self.run_service(slow, count=2)
        typed = self.restart()
        typed.until("Restarting allocation")
        typed.press_control_c()
        typed.until("Are you sure")
        typed.type("y\n")
        typed.wait(0)
        self.assertEqual(self.restarts()[0], 0)

    def test_a_terminal_that_is_resized_or_closed(self):
        self.run_service(count=2)
        typed = self.restart("-batch-wait=ask")
        typed.until("Proceed with the next batch?")
        typed.resize(10, 30)
        time.sleep(0.2)
        self.assertIsNone(typed.process.poll())
        typed.close()  # what is said then reaches nobody, which may be an error as well
        self.assertIn(typed.process.wait(harness.LIMIT), (1, 130))
        self.wait_restarted([0, 1])


class OddRestartTest(Client, DroverTest):
    """Agents whose answers leave things out."""

    def answers(self, job, *allocs):
        return {"/v1/jobs": [{"ID": "web", "Namespace": "default"}], "/v1/job/web": job,
                "/v1/job/web/versions": {}, "/v1/job/web/allocations": list(allocs),
                "/v1/job/web/deployments": None}

    def test_a_job_without_a_type_and_a_status(self):
        replaced = stub(1, DesiredStatus="run", NextAllocation="other")
        with canned(self.answers({}, replaced, stub(2, DesiredStatus="stop", ClientStatus="lost"),
                                 {})) as self.address:
            for options in ((), ("-reschedule",), ("-all-tasks",), ("-task", "t")):
                self.assertEqual(self.cli("job", "restart", "-yes", *options, "web").out,
                                 "No allocations to restart\n")

    def test_answers_of_another_form(self):
        for job in ([], "text", {"Type": 7}):
            with canned(self.answers(job)) as self.address:
                self.assertIn("No allocations", self.cli("job", "restart", "-yes", "web").out)
        answers = self.answers({})
        answers["/v1/job/web/allocations"] = {}
        with canned(answers) as self.address:
            self.fails("job", "restart", "-yes", "web")

    def test_a_job_of_several_regions(self):
        with canned(self.answers({"Multiregion": {"Regions": [{"Name": "eu"}]}})) as self.address:
            for answer, said in (("n\n", "Job restart canceled"), ("y\n", "No allocations to restart")):
                typed = Typed(self, "job", "restart", "web")
                typed.until('Are you sure you want to restart multi-region job "web" in a single '
                            "region? [y/N] ")
                typed.type(answer)
                self.assertIn(said, typed.wait(0))


class DetachedRestartTest(Restarts, TakeoverCase):
    """The agent restarts the job by itself, and the next agent goes on."""

    def start(self, *options, **how):
        agent = super().start(*options, **how)
        self.address = agent.url
        return agent

    def latest(self):
        return self.agent.get("/v1/job/web/restart")[0]

    def wait_restart(self, what):
        def found():
            one = self.latest()
            return one if what(one) else None
        return harness.wait_until(found, "the restart to go on")

    def test_it_goes_on_when_nobody_watches(self):
        self.run_service()
        stream = Stream(self.agent, "/v1/event/stream", [("topic", "JobRestart:web")])
        self.addCleanup(stream.close)
        shown = self.cli("job", "restart", "-detach", "web").out
        self.assertRegex(shown, r"^restart [0-9a-f-]{36} has begun: ")
        done = self.wait_restart(lambda one: one["Status"] != "running")
        self.assertEqual((done["Status"], done["StatusDescription"], done["Done"]),
                         ("complete", "Job restart finished", 3))
        self.wait_restarted([1, 1, 1])
        events = stream.events_until(
            lambda e: e["Payload"]["JobRestart"]["Status"] == "complete")
        counts = [e["Payload"]["JobRestart"]["Done"] for e in events]
        self.assertEqual(counts, sorted(counts))
        self.assertEqual({e["Type"] for e in events}, {"JobRestartUpdated"})
        with subprocess.Popen(
                [binary(), "events", "--topic", "JobRestart:web"], stdout=subprocess.PIPE, text=True,
                env=self.sandbox.environment({"DROVER_ADDR": self.address})) as process:
            for line in process.stdout:
                if "web complete, 3 of 3 done" in line:
                    break
            process.kill()
        status = self.cli("job", "status", "web").out
        self.assertRegex(status, r"(?s)Latest restart\n.*Done +=+ 3 of 3 allocations\n")

    def test_it_is_canceled(self):
        self.run_service()
        self.cli("job", "restart", "-detach", "-batch-wait=1h", "web")
        self.wait_restart(lambda one: one["Done"] == 1)
        self.assertIn("is under way", self.fails("job", "restart", "-detach", "web"))
        self.assertRegex(self.cli("job", "restart", "-cancel", "web").out, "is canceled\n$")
        self.assertEqual(self.latest()["Status"], "canceled")
        self.assertIn("no restart of the job", self.fails("job", "restart", "-cancel", "web"))
        self.wait_restarted([0, 0, 1])

    def test_the_next_agent_goes_on(self):
        self.run_service(count=4)
        self.cli("job", "restart", "-detach", "-batch-wait=500ms", "web")
        for done in (1, 2):
            self.wait_restart(lambda one, least=done: one["Done"] >= least)
            self.kill()
            self.agent = self.start()
        done = self.wait_restart(lambda one: one["Status"] != "running")
        self.assertEqual((done["Status"], done["Errors"]), ("complete", {}))
        harness.wait_until(lambda: self.restarts()[0] >= 1 or None, "a restart of each")

    def test_the_next_agent_waits_for_replacements(self):
        before = self.run_service(count=2)
        self.cli("job", "restart", "-detach", "-reschedule", "web")
        self.kill()  # while the first replacement starts
        self.agent = self.start()
        self.wait_restart(lambda one: one["Status"] == "complete")
        live = self.agent.wait_allocs("web", 2, "running")
        self.assertFalse({a["ID"] for a in live} & set(before))

    def test_without_room_for_replacements_the_rest_stays(self):
        self.run_service()
        self.cli("node", "eligibility", "-disable", self.agent.get("/v1/nodes")[0]["ID"])
        self.cli("job", "restart", "-detach", "-yes", "-reschedule", "web")
        done = self.wait_restart(lambda one: one["Status"] != "running")
        self.assertEqual((done["Status"], done["StatusDescription"], len(done["Errors"])),
                         ("failed", "Stopping job restart due to unrecoverable error", 1))
        self.agent.wait_allocs("web", 2, "running")

    def test_errors_are_kept(self):
        self.agent.submit(ended(2))
        self.agent.wait_allocs("sum", 2, "complete")
        self.cli("job", "restart", "-detach", "-yes", "sum")

        def failed():
            one = self.agent.get("/v1/job/sum/restart")[0]
            return one if one["Status"] != "running" else None
        done = harness.wait_until(failed, "the restart to end")
        self.assertEqual(done["StatusDescription"],
                         "Job restart finished with errors of 2 allocations")
        self.assertEqual(len(done["Errors"]), 2)


if __name__ == "__main__":
    harness.main()
