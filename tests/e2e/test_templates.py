# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Templates of real tasks: files before the start, what follows a change, and agents that die."""
import json
import os
import random
import signal
import stat
import time

import harness
from agent_harness import Agent, AgentTest, agent_config
from harness import DroverTest, group, job, task
from test_agent_load import EXACT, memory

# Notes its starts and signals, with what is in its file then.
WATCHER = """
note() { echo "$1 $(cat local/word)" >> "$OUT"; }
trap 'note hup' HUP
trap 'exit 0' INT TERM
note start
while :; do sleep 0.05 & wait $!; done
"""
WORD = '{{ with nomadVar "nomad/jobs/words" }}{{ .word }}{{ end }}'


def template(data=WORD, destination="local/word", **fields):
    return {"EmbeddedTmpl": data, "DestPath": destination, "Splay": "0s", **fields}


def put(agent, word, path="nomad/jobs/words"):
    agent.must("PUT", f"/v1/var/{path}", {"Items": {"word": word}})


class TemplateCase(DroverTest):
    """The common part: the job "words", whose task notes what it sees."""

    def submit(self, *templates, script=WATCHER, **policy):
        self.out = self.sandbox.root / "out"
        self.out.touch()
        restart = {"Attempts": 3, "Interval": "1m", "Delay": "10ms", "Mode": "fail", **policy}
        self.agent.submit(job(group(task("t", script, Env={"OUT": str(self.out)},
                                         Templates=list(templates)), RestartPolicy=restart),
                              id="words", type="service"))

    def lines(self):
        return self.out.read_text().splitlines()

    def wait_lines(self, *lines):
        harness.wait_until(lambda: self.lines() == list(lines), f"the lines {lines}")

    def alloc(self):
        return harness.wait_until(lambda: self.agent.allocs("words"), "an allocation")[0]["ID"]

    def directory(self):
        return self.sandbox.alloc_dirs[0] / self.alloc() / "t"

    def events(self):
        states = self.agent.get(f"/v1/allocation/{self.alloc()}")["TaskStates"] or {}
        return [(one["Type"], one["DisplayMessage"]) for one in states.get("t", {}).get("Events", [])]

    def wait_event(self, kind, text):
        def found():
            return any(one == kind and text in message for one, message in self.events())
        harness.wait_until(found, f"an event {kind}: {text}")

    def wait_running(self):
        self.agent.wait_tasks(self.alloc(), lambda tasks: "t" in tasks and tasks["t"]["State"] == "running", "the task")


class TemplateTest(TemplateCase, AgentTest):
    def test_a_template_that_can_never_be_rendered_is_refused(self):
        spec = job(group(task("t", Templates=[template("a\n{{ nope 1 }}"), template('{{ plugin "x" }}', "local/b"),
                                              template('{{ nope "${X}" }}', "local/c")])), id="words")
        at = "/Job/TaskGroups/0/Tasks/0/Templates"
        for method, path in (("PUT", "/v1/jobs"), ("PUT", "/v1/job/words/plan"), ("PUT", "/v1/validate/job")):
            with self.subTest(path=path):
                said = json.loads(self.agent.ask(method, path, spec).body)["Error"] if "validate" in path else \
                    self.agent.ask(method, path, spec).body.decode()
                self.assertIn(f'{at}/0/EmbeddedTmpl: template:2:4: function "nope" not defined', said)
                self.assertIn(f"{at}/1/EmbeddedTmpl: template:1:4: plugin: a template may not run programs", said)
                self.assertNotIn(f"{at}/2", said)
        self.assertEqual(self.agent.ask("GET", "/v1/job/words").status, 404)

    def test_files_and_variables_are_there_before_the_start(self):
        self.submit(template('{{ env "NOMAD_TASK_NAME" }} of {{ env "NOMAD_JOB_NAME" }}\n',
                             "local/conf.d/word", Perms="600"),
                    template("WORD='one two'\n# comment\n", "secrets/word.env", Envvars=True),
                    template("shared\n", "${NOMAD_ALLOC_DIR}/data/word"),
                    template('<% env "NOMAD_TASK_NAME" %> {{ literal }}\n', "local/other",
                             LeftDelim="<%", RightDelim="%>"),
                    script='cat local/conf.d/word ../alloc/data/word local/other > "$OUT"; '
                           'echo "$WORD" >> "$OUT"; exec sleep 1000')
        self.wait_lines("t of words", "shared", "t {{ literal }}", "one two")
        mode = (self.directory() / "local/conf.d/word").stat().st_mode
        self.assertEqual(stat.S_IMODE(mode), 0o600)

    def test_a_start_waits_for_a_value_and_says_so(self):
        self.submit(template())
        self.wait_event("Template", "Missing: nomad.var.block(nomad/jobs/words")
        self.assertEqual(self.lines(), [])
        put(self.agent, "one")
        self.wait_lines("start one")

    def test_a_start_that_waits_can_be_stopped(self):
        self.submit(template())
        self.wait_event("Template", "Missing: ")
        self.agent.must("DELETE", "/v1/job/words")
        self.agent.wait_allocs("words", 1, "complete", "stop")

    def test_a_change_gives_one_restart(self):
        put(self.agent, "one")
        self.submit(template(), template(destination="local/second"),
                    template(destination="local/third", ChangeMode="signal", ChangeSignal="SIGHUP"))
        self.wait_lines("start one")
        put(self.agent, "two")
        self.wait_lines("start one", "start two")
        self.agent.wait_restarts(self.alloc(), t=1)
        self.wait_event("Restart Signaled", "Template with change_mode restart re-rendered")
        put(self.agent, "three")
        self.wait_lines("start one", "start two", "start three")
        self.assertEqual((self.directory() / "local/third").read_text(), "three")

    def test_a_signal_and_a_script(self):
        put(self.agent, "one")
        script = {"Command": "/bin/sh", "Args": ["-c", 'echo "script $(cat local/word)" >> "$OUT"']}
        self.submit(template(ChangeMode="signal", ChangeSignal="SIGHUP"),
                    template(destination="local/second", ChangeMode="script", ChangeScript=script))
        self.wait_lines("start one")
        self.wait_running()
        put(self.agent, "two")
        harness.wait_until(lambda: len(self.lines()) == 3, "the signal and the script")
        self.assertEqual(sorted(self.lines()), ["hup two", "script two", "start one"])
        self.wait_event("Template", "Template ran script /bin/sh")

    def test_a_script_may_fail_the_task(self):
        put(self.agent, "one")
        self.submit(template(ChangeMode="script",
                             ChangeScript={"Command": "/bin/false", "FailOnError": True}))
        self.wait_lines("start one")
        self.wait_running()
        put(self.agent, "two")
        self.agent.wait_allocs("words", 1, "failed")
        self.wait_event("Template", "Template failed to run script /bin/false")

    def test_services_of_others(self):
        listed = '{{ range nomadService "other" }}{{ .Address }}:{{ .Port }} {{ end }}'
        self.submit(template(listed, ChangeMode="noop"))
        harness.wait_until(self.lines, "the start")
        other = group(task("o", "exec sleep 1000"), name="o", Count=2,
                      Networks=[{"DynamicPorts": [{"Label": "p"}]}],
                      Services=[{"Name": "other", "PortLabel": "p", "Provider": "nomad"}])
        self.agent.submit(job(other, id="other", type="service"))
        file = self.directory() / "local/word"
        harness.wait_until(lambda: len(file.read_text().split()) == 2, "two instances")
        self.assertEqual(set(file.read_text().split()),
                         {f"{one['Address']}:{one['Port']}" for one in self.agent.get("/v1/service/other")})
        self.agent.must("DELETE", "/v1/job/other")
        harness.wait_until(lambda: file.read_text().split() == [], "no instance")
        self.assertEqual(len(self.lines()), 1)

    def test_a_task_reads_only_its_own_variables(self):
        put(self.agent, "secret", "nomad/jobs/other")
        self.submit(template('{{ with nomadVar "nomad/jobs/other" }}{{ .word }}{{ end }}'), Attempts=0)
        self.agent.wait_allocs("words", 1, "failed")
        self.wait_event("Task hook failed", "the task may not read the variable")

    def test_what_leads_outside_is_refused(self):
        outside = self.sandbox.write("outside", "secret")
        for fields in ({"DestPath": "${NOMAD_ALLOC_DIR}/../../../outside"},
                       {"EmbeddedTmpl": "", "SourcePath": "${NOMAD_TASK_DIR}/../../../../outside"}):
            with self.subTest(fields):
                self.submit({**template("x"), **fields}, Attempts=0)
                self.agent.wait_allocs("words", 1, "failed")
                self.wait_event("Task hook failed", "is no file below the task's directory")
                self.assertEqual(outside.read_text(), "secret")
                self.agent.must("DELETE", "/v1/job/words", purge="true")

    def test_links_that_the_task_swaps_lead_nowhere(self):
        put(self.agent, "0")
        outside = self.sandbox.root / "outside"
        outside.mkdir()
        os.symlink(outside, str(self.sandbox.root / "out.d"))
        swap = ('while :; do rm -rf local/d; ln -s "$OUT.d" local/d; '
                'rm -f local/d; mkdir -p local/d; done')
        self.submit(template(destination="local/d/word", ChangeMode="noop"), script=swap)
        self.wait_running()
        for number in range(1, 40):
            put(self.agent, str(number))
        self.agent.must("DELETE", "/v1/job/words")
        self.agent.wait_allocs("words", 1, "complete", "stop")
        self.assertEqual(list(outside.iterdir()), [])

    def test_a_restart_renders_again_if_the_policy_says_so(self):
        put(self.agent, "one")
        script = 'echo "start $(cat local/word)" >> "$OUT"; echo changed > local/word; exec sleep 1000'
        for again, second in ((False, "start changed"), (True, "start one")):
            with self.subTest(again):
                (self.sandbox.root / "out").write_text("")
                self.submit(template(), script=script, RenderTemplates=again)
                self.wait_lines("start one")
                self.wait_running()
                self.agent.must("PUT", f"/v1/client/allocation/{self.alloc()}/restart", {"TaskName": "t"})
                self.wait_lines("start one", second)
                self.agent.must("DELETE", "/v1/job/words", purge="true")


class HostileTemplateTest(TemplateCase, AgentTest):
    """Templates that mean ill fail the start of their own task, within their limits. The agent serves meanwhile."""

    def fails(self, *templates, why):
        """Runs a task whose start fails by its templates. Returns the message."""
        self.submit(*templates, Attempts=0)
        self.agent.must("GET", "/v1/agent/health", limit=2 * harness.SLACK)
        self.agent.wait_allocs("words", 1, "failed")
        message = next(text for kind, text in self.events() if kind == "Task hook failed")
        self.agent.must("DELETE", "/v1/job/words", purge="true")
        self.agent.must("PUT", "/v1/system/gc")
        self.assertRegex(message, why)
        self.assertEqual(self.lines(), [], "the task has not run")
        return message

    def test_what_costs_too_much_ends_in_time_and_memory(self):
        for text in ("{{ range loop 1000000000 }}{{ end }}", "{{ range loop 1000000000 }}0123456789{{ end }}",
                     '{{ $x := "x" }}{{ range 64 }}{{ $x = print $x $x }}{{ end }}', '{{ sprig_repeat 10000000000 "x" }}',
                     '{{ define "a" }}{{ template "a" }}{{ end }}{{ template "a" }}'):
            with self.subTest(text):
                message = self.fails(template(text), why="too much|too many|too long|too large|too deep|more than")
                self.assertIn("local/word", message)
        if EXACT:
            # A rendering may have 256 MiB of values, and its text.
            self.assertLess(memory(self.agent, "VmHWM"), 1 << 30)

    def test_no_link_of_a_task_leads_a_function_out(self):
        secret = self.sandbox.write("secret", "hunter2")
        plant = (f'cd "$NOMAD_ALLOC_DIR/data"; ln -s {secret} link; ln -s {self.sandbox.root} up; '
                 f'ln {secret} hard; mkfifo pipe; ln -s /dev/zero zero')
        for place, why in (("../alloc/data/link", "a link leads out"), ("../alloc/data/up/secret", "a link leads out"),
                           ("../alloc/data/pipe", "no regular file"), ("../alloc/data/zero", "a link leads out"),
                           ("../alloc/data/hard", "has a second name"), ("../../../secret", "no file below")):
            with self.subTest(place):
                reads = template(f'{{{{ file "{place}" }}}}')
                self.agent.submit(job(group(
                    task("p", plant, Lifecycle={"Hook": "prestart"}), task("t", "exit 0", Templates=[reads]),
                    RestartPolicy={"Attempts": 0, "Interval": "1m", "Delay": "1s", "Mode": "fail"}),
                    id="words", type="batch"))
                alloc = self.agent.wait_allocs("words", 1, "failed")[0]
                told = [one["DisplayMessage"] for one in alloc["TaskStates"]["t"]["Events"]
                        if one["Type"] == "Task hook failed"]
                self.assertEqual(len(told), 1, alloc["TaskStates"])
                self.assertIn(why, told[0])
                self.assertNotIn("hunter2", str(alloc["TaskStates"]))
                self.agent.must("DELETE", "/v1/job/words", purge="true")
                self.agent.must("PUT", "/v1/system/gc")


class KeptCase(TemplateCase):
    """The common part of agents that die while the task goes on."""

    def setUp(self):
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()
        self.start()

    def tearDown(self):
        if not self._outcome_failed():
            self.agent.forget_all(self.leftovers)
            self.agent.stop()
        super().tearDown()

    def start(self):
        self.agent = Agent(self.sandbox, dev=False, config=agent_config(self.sandbox))

    def kill(self):
        self.agent.run.process.send_signal(signal.SIGKILL)
        self.agent.run.process.wait()


class KeptTemplateTest(KeptCase):
    """Agents that die at certain moments."""

    def test_a_task_whose_files_are_the_same_goes_on(self):
        put(self.agent, "one")
        self.submit(template(), template("WORD=x", "secrets/word.env", Envvars=True))
        self.wait_lines("start one")
        self.wait_running()
        self.kill()
        self.start()
        self.wait_running()
        put(self.agent, "two")  # this change shows that the agent has rendered the templates
        self.wait_lines("start one", "start two")
        self.agent.wait_restarts(self.alloc(), t=1)

    def test_a_change_that_an_agent_could_not_act_on_is_not_lost(self):
        put(self.agent, "one")
        self.submit(template(ChangeMode="signal", ChangeSignal="SIGHUP", Splay="1h"))
        self.wait_lines("start one")
        self.wait_running()
        put(self.agent, "two")
        file = self.directory() / "local/word"
        harness.wait_until(lambda: file.read_text() == "two", "the new file")
        self.kill()
        self.start()
        self.wait_running()
        self.assertEqual(self.lines(), ["start one"])
        self.agent.must("PUT", f"/v1/client/allocation/{self.alloc()}/restart", {"TaskName": "t"})
        self.wait_lines("start one", "start two")

    def test_signals_survive_agents(self):
        put(self.agent, "one")
        self.submit(template(ChangeMode="signal", ChangeSignal="SIGHUP"))
        self.wait_lines("start one")
        self.wait_running()
        for word in ("two", "three"):
            self.kill()
            self.start()
            self.wait_running()
            put(self.agent, word)
            harness.wait_until(lambda: self.lines()[-1] == f"hup {word}", f"the signal of {word}")
        self.assertEqual(self.lines(), ["start one", "hup two", "hup three"])


class TemplateInterleavingTest(KeptCase):
    """Values change and agents die at random moments. In the end the task knows the newest values, and it was
    restarted at most once for each."""

    STEPS = 16
    # The signal has no effect before the trap is there, but then the task notes the newest files as it starts.
    SCRIPT = """
note() { echo "$1 $(cat local/word) $(cat local/hup)" >> "$OUT"; }
trap 'note signal' WINCH
trap 'exit 0' INT TERM
note start
while :; do sleep 0.05 & wait $!; done
"""
    PATHS = {"word": "nomad/jobs/words", "hup": "nomad/jobs"}

    def change(self, name):
        self.newest[name] += 1
        put(self.agent, str(self.newest[name]), self.PATHS[name])

    def starts(self):
        """The words with which the task has started."""
        return [int(line.split()[1]) for line in self.lines() if line.startswith("start ")]

    def knows_newest(self):
        starts = self.starts()
        return starts[-1:] == [self.newest["word"]] and \
            self.lines()[-1].split()[2] == str(self.newest["hup"])

    def live(self, number):
        seed = int(os.environ.get("DROVER_SEED", "1")) + number
        chance = random.Random(seed)
        self.newest = {"word": 0, "hup": 0}
        for name in self.newest:
            self.change(name)
        data = '{{ with nomadVar "%s" }}{{ .word }}{{ end }}'
        self.submit(template(data % self.PATHS["word"], Splay=f"{chance.randrange(200)}ms"),
                    template(data % self.PATHS["hup"], "local/hup", ChangeMode="signal", ChangeSignal="SIGWINCH",
                             Splay=f"{chance.randrange(200)}ms"), script=self.SCRIPT)
        if chance.random() < 0.5:
            self.wait_running()
        for _ in range(self.STEPS):
            step = chance.random()
            if step < 0.5:
                self.change(chance.choice(["word", "hup"]))
            elif step < 0.75:
                self.kill()
                self.start()
            time.sleep(chance.random() * 0.2)
        story = f"repeat with DROVER_SEED={seed}"
        harness.wait_until(self.knows_newest, f"the newest values, {story}")
        # The next agent has nothing to do but what follows this change.
        before = self.starts()
        self.kill()
        self.start()
        self.change("hup")
        harness.wait_until(self.knows_newest, f"the newest values after the last agent, {story}")
        self.assertEqual(self.starts(), before, story)
        self.assertEqual(before, sorted(set(before)), f"a word has given two restarts, {story}")
        self.assertEqual(set(os.listdir(self.directory() / "local")), {"word", "hup"}, story)

    def test_a_seed(self):
        self.live(0)

    def test_another_seed(self):
        self.live(1)

    def test_a_third_seed(self):
        self.live(2)
