# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Live progress and questions when names are hostile and terminals are odd, and when the agent is."""
import os
import signal
import subprocess

import harness
from harness import DroverTest, binary, mock
from screen import Screen
from staged_agent import ID, StagedAgent, broken, deployment, run_of
from test_client import Client, service
from typed import Typed

# What would clear a screen, set a title, ring, go back, and control a terminal of eight bits.
EVIL = "e\x1b[2J\x1b]0;owned\x07\r\b\x9b31m\u202e\nv"
SHOWN = r"e\x1b[2J\x1b]0;owned\x07\x0d\x08\xc2\x9b31m\xe2\x80\xae\x0av"
FORBIDDEN = ("\x1b[2J", "\x1b]", "\x07", "\b", "\x9b", "\u202e", "e\rv")


class LiveCase(Client, DroverTest):
    def stage(self, answers):
        self.agent = StagedAgent(self, answers)
        self.address = self.agent.address

    def run_typed(self, *options, **how):
        return Typed(self, "job", "run", *options, self.job_file(), **how)

    def job_file(self):
        return self.sandbox.write("job.json", service(mock("t", run_for="1h")))

    def assert_harmless(self, shown):
        for bad in FORBIDDEN:
            self.assertNotIn(bad, shown)


class HostileNameTest(LiveCase):
    def test_progress(self):
        groups = {EVIL: {"HealthyAllocs": 0, "DesiredCanaries": 1, "PlacedCanaries": ["x"]}}
        alloc = {"ID": EVIL, "Name": EVIL, "NodeName": EVIL, "ClientStatus": "pending", "ClientDescription": EVIL}
        for command in (("job", "run", self.job_file()), ("deployment", "status", "-monitor", ID)):
            states = [deployment(status, groups, why=EVIL) for status in ("running", "running", "successful")]
            self.stage({**run_of(*states), f"GET /v1/deployment/allocations/{ID}": [alloc]})
            shown = Typed(self, *command, columns=400).wait(0)
            self.assert_harmless(shown)
            self.assertIn(f"successful: {SHOWN}\n", shown)
            self.assertIn(f"  {SHOWN}: 0 of 1 healthy", shown)
            self.assertIn(f"{SHOWN} placed on {SHOWN}: pending ({SHOWN})", shown)

    def test_evaluations_and_allocations(self):
        answers = run_of(None)
        answers[f"GET /v1/evaluation/{ID}"] = {
            "ID": ID, "Status": "complete", "StatusDescription": EVIL, "BlockedEval": EVIL,
            "FailedTGAllocs": {EVIL: {"NodesEvaluated": 1, "ConstraintFiltered": {EVIL: 1}}}}
        answers[f"GET /v1/evaluation/{ID}/allocations"] = [
            {"ID": EVIL, "Name": EVIL, "NodeName": EVIL, "ClientStatus": EVIL, "ClientDescription": EVIL}]
        self.stage(answers)
        shown = self.run_typed().wait(2)
        self.assert_harmless(shown)
        self.assertIn(f'task group "{SHOWN}": 1 allocation could not be placed', shown)
        self.assertIn(f'the constraint "{SHOWN}" excludes 1 of 1 nodes', shown)

    def test_questions_and_errors_of_a_restart(self):
        alloc = {"ID": ID, "TaskGroup": EVIL, "ClientStatus": "running", "DesiredStatus": "run"}
        self.stage({"GET /v1/jobs": [{"ID": "web" + EVIL, "Namespace": "default"}]})
        ends = {"/versions": {}, "/allocations": [alloc, dict(alloc, ID="b" + ID[1:])], "/deployments": None,
                "/restart": 500}
        listed = self.agent.next_answer

        def next_answer(key):
            if not key.startswith(("GET /v1/job/", "PUT /v1/client/")):
                return listed(key)
            return ends.get("/" + key.rpartition("/")[2], {"Multiregion": {"Regions": [{"Name": "eu"}]}})
        self.agent.next_answer = next_answer
        typed = Typed(self, "job", "restart", "web", columns=400)
        typed.until("in a single region? [y/N] ")
        typed.type("what\x1b[2J\n")
        typed.until("Invalid answer")
        typed.type("y\n")
        typed.until("Ignore the errors above and proceed with the next batch? [y/N] ")
        typed.type("n\n")
        shown = typed.wait(1)
        # The terminal itself shows what is typed, and an escape as ^[.
        self.assert_harmless(shown)
        self.assertIn(f'multi-region job "web{SHOWN}"', shown)
        self.assertIn(f'of group "{SHOWN}"\n', shown)
        self.assertIn(r'Invalid answer "what\x1b[2J"', shown)


class OddTerminalTest(LiveCase):
    """What is drawn again and again leaves nothing behind."""

    def states(self, *names, count=6):
        for healthy in range(count):
            yield deployment("running", {name: {"HealthyAllocs": healthy} for name in names})
        yield deployment("successful", {name: {"HealthyAllocs": count} for name in names}, why="")

    def draw(self, rows, columns, *names):
        self.stage(run_of(*self.states(*names)))
        typed = self.run_typed(rows=rows, columns=columns)
        typed.wait(0)
        return Screen(rows, columns).write(typed.shown.decode())

    def assert_drawn_once(self, screen, *names):
        """Each line of the end is shown once, and no line of before is."""
        shown = "".join(screen.text())
        self.assertEqual(shown.count("of version 3: successful"), 1, screen.text())
        self.assertNotIn("of version 3: running", shown)
        for name in names:
            self.assertEqual(shown.count(f"{name}: 6 of 1 healthy"), 1, screen.text())
            self.assertEqual(shown.count(name), 1, screen.text())

    def test_terminals_of_any_size(self):
        for rows, columns in ((24, 80), (24, 30), (24, 12), (24, 9), (5, 8), (3, 6), (2, 40), (1, 40)):
            with self.subTest(rows=rows, columns=columns):
                names = ("front", "rear")
                self.assert_drawn_once(self.draw(rows, columns, *names), *names)

    def test_terminals_without_room(self):
        for rows, columns in ((24, 1), (24, 2), (1, 1), (0, 0), (0, 80), (24, 0)):
            with self.subTest(rows=rows, columns=columns):
                screen = self.draw(rows or 24, columns or 80, "g") if rows and columns else None
                if screen is not None:
                    shown = "".join(screen.text())
                    self.assertEqual(shown.count("successful"), 1)
                    # What stands above is not removed.
                    self.assertIn("evaluation abcdef01: complete", shown)
                    continue
                self.stage(run_of(*self.states("g")))
                shown = self.run_typed(rows=rows, columns=columns).wait(0)
                self.assertTrue(shown.endswith("  g: 6 of 1 healthy, 0 placed\n"), shown[-200:])

    def test_long_names(self):
        names = ("a" * 5000, "b" * 300)
        screen = self.draw(24, 80, *names)
        self.assert_drawn_once(screen, *names)
        self.assertLess(len(screen.lines), 90)

    def test_wide_characters_and_tabs(self):
        names = ("日本語" * 20, "🚀" * 50, "e\u0301" * 60, "é" * 100)
        self.assert_drawn_once(self.draw(24, 60, *names), *names)
        screen = self.draw(24, 40, "a\tb\tc\td\te\tf", "g")
        self.assertEqual("".join(screen.text()).count("of version 3"), 1, screen.text())

    def test_a_thousand_groups(self):
        names = [f"group-{i:04}" for i in range(1000)]
        self.stage(run_of(*self.states(*names, count=4), pause=0.3))
        typed = self.run_typed(rows=24, columns=80)
        typed.until("... and 979 more")
        while typed.read(0.1) and b"successful" not in typed.shown:
            screen = Screen(24, 80).write(typed.shown.decode(errors="ignore"))
            self.assertLess(len(screen.lines), 40, "what is drawn stays on the screen")
        typed.wait(0)
        text = Screen(24, 80).write(typed.shown.decode()).text()
        self.assertEqual([line for line in text if "group-" in line],
                         [f"  {name}: 4 of 1 healthy, 0 placed" for name in names])
        self.assertEqual(sum("more" in line for line in text), 0)

    def test_a_terminal_that_is_resized_all_the_time(self):
        names = [f"group-{i:03}" for i in range(60)]
        self.stage(run_of(*self.states(*names, count=60), pause=0.02))
        typed = self.run_typed(rows=24, columns=80)
        sizes = [(24, 1), (0, 0), (1, 1), (200, 300), (3, 7), (1, 200), (24, 0), (40, 2), (65535, 65535)]
        for number in range(10_000):
            typed.resize(*sizes[number % len(sizes)])
            if not typed.read(0.01):
                break
        shown = typed.wait(0)
        self.assertTrue(shown.endswith("  group-059: 60 of 1 healthy, 0 placed\n"), shown[-200:])

    def test_lines_that_are_cut_for_a_terminal_that_becomes_narrow(self):
        """What is drawn again below a new line fits the new size."""
        groups = {f"group-{i}": {} for i in range(8)}
        running = deployment("running", groups)
        answers = run_of(running, pause=0.1)
        allocs = [[]]
        answers[f"GET /v1/deployment/allocations/{ID}"] = lambda: list(allocs[0])
        self.stage(answers)
        typed = self.run_typed(rows=24, columns=100)
        typed.until("group-7: 0 of 1 healthy")
        typed.resize(5, 20)
        allocs[0] = [{"ID": ID, "Name": "web.g[0]", "ClientStatus": "pending"}]
        typed.until("pending")
        typed.until("... and 6 more")
        drawn = typed.shown.decode().replace("\r\n", "\n").split("pending\n")[1]
        self.assertEqual(drawn.split("\n"), ["deployment abcdef01", "  group-0: 0 of 1 h", "  group-1: 0 of 1 h",
                                             "  ... and 6 more"])
        typed.press_control_c()
        typed.wait(-signal.SIGINT)


class OddOutputTest(LiveCase):
    def test_a_reader_that_goes_away(self):
        self.stage({**run_of(*[deployment("running", {"g": {"HealthyAllocs": n}}) for n in range(2000)]),
                    "GET /v1/jobs": [{"ID": "web", "Namespace": "default"}], "GET /v1/job/web": {},
                    "GET /v1/job/web/versions": {}, "GET /v1/job/web/deployments": None,
                    "GET /v1/job/web/allocations": [
                        {"ID": f"{n:08}" + ID[8:], "ClientStatus": "running", "DesiredStatus": "run",
                         "TaskGroup": "g"} for n in range(1, 2000)]})
        for n in range(1, 2000):
            self.agent.answers[f"PUT /v1/client/allocation/{n:08}{ID[8:]}/restart"] = {}
        for command in (("job", "run", self.job_file()), ("deployment", "status", "-monitor", ID),
                        ("job", "restart", "-yes", "-batch-wait=1ms", "web")):
            for restored in (True, False):  # without, Python's own disposition stays: SIGPIPE is ignored
                with self.subTest(command=command, restored=restored):
                    process = subprocess.Popen([binary(), *map(str, command)], stdin=subprocess.DEVNULL,
                                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                               restore_signals=restored,
                                               env=self.sandbox.environment({"DROVER_ADDR": self.address}))
                    self.addCleanup(process.kill)
                    self.assertTrue(process.stdout.readline())
                    process.stdout.close()
                    self.assertEqual(process.wait(harness.LIMIT), -signal.SIGPIPE)

    def test_nobody_can_answer(self):
        self.stage(restart_of({"Multiregion": {"Regions": [{"Name": "eu"}]}}))
        said = self.cli("job", "restart", "-on-error=fail", "web", code=1).err
        self.assertIn('restart multi-region job "web" in a single region? Nobody has answered: use --yes', said)
        self.assertNotIn("GET /v1/job/web/allocations", self.agent.asked)
        self.cli("job", "restart", "-yes", "web")
        closed = subprocess.run([binary(), "job", "restart", "-on-error=fail", "web"], capture_output=True, text=True,
                                env=self.sandbox.environment({"DROVER_ADDR": self.address}),
                                preexec_fn=lambda: os.close(0), timeout=harness.LIMIT, check=False)
        self.assertEqual(closed.returncode, 1, closed)

    def test_an_answer_from_a_pipe(self):
        self.stage(restart_of({"Multiregion": {"Regions": [{"Name": "eu"}]}}))
        for answer, said in (("y\n", "No allocations to restart\n"), ("n\n", "Job restart canceled\n")):
            with subprocess.Popen([binary(), "job", "restart", "-on-error=fail", "web"], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True,
                                  env=self.sandbox.environment({"DROVER_ADDR": self.address})) as process:
                self.assertTrue(process.communicate(answer)[0].endswith(said))
                self.assertEqual(process.returncode, 0)


def restart_of(job, *allocs):
    return {"GET /v1/jobs": [{"ID": "web", "Namespace": "default"}], "GET /v1/job/web": job,
            "GET /v1/job/web/versions": {}, "GET /v1/job/web/allocations": list(allocs),
            "GET /v1/job/web/deployments": None}


class HangingAgentTest(LiveCase):
    """An agent that takes a request and does not answer."""

    ALLOC = {"ID": ID, "TaskGroup": "g", "ClientStatus": "running", "DesiredStatus": "run"}
    SURE = "Are you sure you want to stop the restart process? [y/N] "

    def hang_at(self, key):
        self.stage({**restart_of({}, self.ALLOC), f"PUT /v1/allocation/{ID}/stop": {"Index": 7}})
        self.agent.answers[key] = self.agent.hang

    def test_control_c_ends_the_wait(self):
        for key, options in ((f"PUT /v1/client/allocation/{ID}/restart", ()),
                             (f"PUT /v1/allocation/{ID}/stop", ("-reschedule",)),
                             ("GET /v1/job/web/evaluations", ("-reschedule",)),
                             ("GET /v1/job/web/deployments", ()),
                             ("GET /v1/job/web/versions", ())):
            with self.subTest(key):
                self.hang_at(key)
                typed = Typed(self, "job", "restart", *options, "web")
                self.agent.wait_asked(key)
                typed.press_control_c()
                typed.until(self.SURE)
                typed.type("n\n")
                typed.until("The restart goes on.")
                typed.press_control_c()
                typed.until(self.SURE)
                typed.type("y\n")
                self.assertIn("Job restart canceled", typed.wait(0))

    def test_a_signal_ends_it(self):
        for key, options in ((f"PUT /v1/client/allocation/{ID}/restart", ()),
                             (f"PUT /v1/allocation/{ID}/stop", ("-reschedule",)),
                             ("GET /v1/job/web", ())):
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                with self.subTest(key, number=number):
                    self.hang_at(key)
                    process = subprocess.Popen([binary(), "job", "restart", "-yes", *options, "web"],
                                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                                               env=self.sandbox.environment({"DROVER_ADDR": self.address}))
                    self.addCleanup(process.stdout.close)
                    self.addCleanup(process.kill)
                    self.agent.wait_asked(key)
                    process.send_signal(number)
                    self.assertEqual(process.wait(harness.LIMIT), 130)

    def test_signals_at_the_first_question(self):
        for number, code in ((signal.SIGINT, 0), (signal.SIGTERM, 130), (signal.SIGHUP, 130), (signal.SIGQUIT, 130)):
            with self.subTest(number):
                self.stage(restart_of({"Multiregion": {"Regions": [{"Name": "eu"}]}}, self.ALLOC))
                typed = Typed(self, "job", "restart", "web")
                typed.until("in a single region? [y/N] ")
                typed.process.send_signal(number)
                self.assertIn("Job restart canceled", typed.wait(code))
                self.assertNotIn("GET /v1/job/web/versions", self.agent.asked)


class ExitCodeOfAnswersTest(LiveCase):
    """The exit codes for answers that no agent of Drover gives when a test wants them."""

    def test_a_blocked_deployment(self):
        for command in (("job", "run", self.job_file()), ("deployment", "status", "-monitor", ID)):
            self.stage(run_of(deployment("running", {"g": {}}), deployment("blocked", {"g": {}})))
            self.cli(*command, code=1)
            self.stage(run_of(deployment("running", {"g": {}}), deployment("blocked", {"g": {}})))
            Typed(self, *command).wait(1)

    def test_an_evaluation_that_fails(self):
        for status in ("failed", "canceled"):
            answers = run_of(None)
            answers[f"GET /v1/evaluation/{ID}"] = {"ID": ID, "Status": status, "StatusDescription": "it is " + status}
            self.stage(answers)
            self.assertIn("it is " + status, self.cli("job", "run", self.job_file(), code=1).out)

    def test_every_command_that_waits(self):
        job, path = {"ID": "web", "Stop": True, "TaskGroups": []}, f"/v1/deployment/%s/{ID}"
        calls = {("job", "run", self.job_file()): "PUT /v1/jobs",
                 ("job", "start", "web"): "PUT /v1/jobs",
                 ("job", "eval", "web"): "PUT /v1/job/web/evaluate",
                 ("job", "revert", "web", "0"): "PUT /v1/job/web/revert",
                 ("job", "scale", "web", "2"): "PUT /v1/job/web/scale",
                 ("job", "dispatch", "web"): "PUT /v1/job/web/dispatch",
                 ("job", "periodic", "force", "web"): "PUT /v1/job/web/periodic/force",
                 ("job", "stop", "web"): "DELETE /v1/job/web",
                 ("alloc", "stop", ID): f"PUT /v1/allocation/{ID}/stop",
                 ("job", "promote", "web"): "PUT " + path % "promote",
                 ("deployment", "promote", ID): "PUT " + path % "promote",
                 ("deployment", "resume", ID): "PUT " + path % "pause",
                 ("deployment", "pause", ID): "PUT " + path % "pause",
                 ("deployment", "fail", ID): "PUT " + path % "fail",
                 ("deployment", "unblock", ID): "PUT " + path % "unblock"}
        missing = {"g": {"NodesEvaluated": 1}}
        ends = [({"Status": "complete"}, "running", 0), ({"Status": "complete"}, "complete", 0),
                ({"Status": "complete"}, "failed", 1), ({"Status": "complete"}, "lost", 1),
                ({"Status": "failed"}, "running", 1), ({"Status": "complete", "FailedTGAllocs": missing}, "running", 2)]
        for command, key in calls.items():
            for evaluation, status, code in ends:
                with self.subTest(command=command, evaluation=evaluation, status=status):
                    self.stage({
                        "GET /v1/jobs": [{"ID": "web", "Namespace": "default"}], "GET /v1/allocations": [{"ID": ID}],
                        "GET /v1/deployments": [{"ID": ID}], "GET /v1/job/web": job,
                        "GET /v1/job/web/deployment": {"ID": ID}, f"GET /v1/allocation/{ID}": {"ID": ID},
                        "GET /v1/job/web/scale": {"TaskGroups": {"g": {}}},
                        f"GET /v1/evaluation/{ID}": {"ID": ID, **evaluation},
                        f"GET /v1/evaluation/{ID}/allocations": [
                            {"ID": ID, "ClientStatus": status, "DesiredStatus": "run"}],
                        f"GET /v1/deployment/{ID}": deployment("successful", {"g": {}}),
                        f"GET /v1/deployment/allocations/{ID}": [],
                        key: {"EvalID": ID, "DispatchedJobID": "web/1"}})
                    self.cli(*command, code=code)

    def test_an_agent_that_is_away_for_a_moment(self):
        """A terminal asks again. A script learns it at once."""
        # A connection that was kept and ends is made anew without a word.
        states = [deployment("running", {"g": {}}), 500, broken, broken, deployment("successful", {"g": {}})]
        self.stage(run_of(*states))
        shown = self.run_typed().wait(0)
        self.assertIn("asks again in 1s", shown)
        self.assertIn("asks again in 2s", shown)
        self.stage(run_of(*states))
        self.assertEqual(self.cli("job", "run", self.job_file(), code=1).err, "drover job run: no\n")
        self.stage(run_of(states[0], 404))
        self.run_typed().wait(1)

    def test_nothing_to_wait_for(self):
        """Parents of other jobs have no evaluation."""
        self.stage({"GET /v1/jobs": [{"ID": "web", "Namespace": "default"}], "PUT /v1/jobs": {"EvalID": ""},
                    "DELETE /v1/job/web": {"EvalID": ""}, "PUT /v1/job/web/dispatch": {"DispatchedJobID": "web/1"},
                    "PUT /v1/job/web/periodic/force": {"EvalID": ""}})
        for command in (("run", self.job_file()), ("stop", "web"), ("dispatch", "web"), ("periodic", "force", "web")):
            self.cli("job", *command)
        self.assertFalse([key for key in self.agent.asked if "evaluation" in key])

    def test_a_detached_command_names_its_evaluation(self):
        answers = {"GET /v1/jobs": [{"ID": "web", "Namespace": "default"}], "GET /v1/allocations": [{"ID": ID}],
                   f"GET /v1/allocation/{ID}": {"ID": ID}}
        calls = {("job", "run", self.job_file()): "PUT /v1/jobs", ("job", "stop", "web"): "DELETE /v1/job/web",
                 ("job", "dispatch", "web"): "PUT /v1/job/web/dispatch",
                 ("job", "eval", "web"): "PUT /v1/job/web/evaluate",
                 ("job", "revert", "web", "0"): "PUT /v1/job/web/revert",
                 ("alloc", "stop", ID): f"PUT /v1/allocation/{ID}/stop"}
        for command, key in calls.items():
            self.stage({**answers, key: {"EvalID": ID, "DispatchedJobID": "web/1"}})
            self.assertRegex(self.cli(*command, "-detach").out, f"evaluation {ID} has begun\n$")
            self.stage({**answers, key: 500})
            self.fails(*command, "-detach")


if __name__ == "__main__":
    harness.main()
