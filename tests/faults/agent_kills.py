# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Kills the agent again and again, at any moment, while some 200 tasks live in every state and the test
replaces its drivers. No task may be lost, doubled or restarted beyond its own policy, and no counter
of restarts may go back.

The tasks themselves are the witnesses (witness.c). The seed alone decides the actions, so --seed N repeats
them. The machine decides the moments of the kills. A journal has each action, and stays when the test
fails. Arguments: --seed, --kills.
"""
import argparse
import collections
import fcntl
import http.client
import itertools
import json
import os
import pathlib
import random
import re
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
import harness  # noqa: E402
from agent_harness import Agent, agent_config  # noqa: E402
from harness import DroverTest, Run, group, job, task  # noqa: E402

TASKS = 200  # live at a time
STEADY = {"raw_exec": 150, "exec": 40}  # of them all the time
SLOTS = 26  # jobs that come and go
TURNS = 5  # of them at each kill
LOOK_EVERY = 10  # kills after which a new task must start at once, and hearts must have beaten
SECOND, MS = 1_000_000_000, 1_000_000
OPTIONS = argparse.Namespace(seed=1, kills=50)


def options(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--seed", type=int, default=OPTIONS.seed)
    parser.add_argument("--kills", type=int, default=OPTIONS.kills)
    return parser.parse_known_args(arguments, OPTIONS)[1]


class Plan:
    """All random decisions, which depend only on the seed."""

    def __init__(self, seed, kinds):
        self.chance = random.Random(seed)
        self.kinds = kinds
        self.slots = [None] * SLOTS
        self.names = itertools.count()

    def turn(self):
        """(actions, seconds from the exec of the agent to its kill). An action is ("run", job,
        kind), ("restart", job, None), ("stop", job, None) or ("reload", driver, None)."""
        actions = []
        for slot in self.chance.sample(range(SLOTS), TURNS):
            if self.slots[slot] is None:
                kind = self.chance.choice(self.kinds)
                self.slots[slot] = f"{kind}-{next(self.names)}"
                actions.append(("run", self.slots[slot], kind))
            elif "lingers" in self.slots[slot] and self.chance.random() < 0.7:
                actions.append(("restart", self.slots[slot], None))
            else:
                actions.append(("stop", self.slots[slot], None))
                self.slots[slot] = None
        if self.chance.random() < 0.3:
            actions.append(("reload", self.chance.choice(("raw_exec", "exec")), None))
        # Some agents die before they serve, most while they take over or work, a few when all is calm.
        ranges = [(0.0, 0.2), (0.1, 0.5), (0.3, 1.0)]
        return actions, self.chance.uniform(*self.chance.choices(ranges, (3, 4, 3))[0])


class Witness:
    """The output of a task, and whether it lives."""

    def __init__(self, path):
        self.path = path
        self.beats = self.since = 0

    def words(self):
        try:
            return [line.split() for line in self.path.read_text().splitlines()]
        except FileNotFoundError:
            return []

    def starts(self):
        return [line for line in self.words() if line[0] == "start"]

    def pid(self):
        """The process that holds the file, by its number in this namespace; 0: none."""
        try:
            with open(self.path, "rb+") as file:
                lock = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
                kind, _, _, _, pid = struct.unpack(
                    "hhqqi4x", fcntl.fcntl(file, fcntl.F_GETLK, lock))
                return pid if kind != fcntl.F_UNLCK else 0
        except FileNotFoundError:
            return 0

    def run_id(self):
        """The name of the cgroup of the process that holds the file; None: there is none."""
        pid = self.pid()
        found = re.search(rb"/drover/([0-9a-f]{32})$", harness.process_text(pid, "cgroup"), re.MULTILINE)
        return found[1].decode() if pid and found else None

    def is_the_last_one(self):
        """Whether the holder of the file is the process that began last, by its start time."""
        stat = harness.process_text(self.pid(), "stat").rpartition(b")")[2].split()
        return bool(stat) and stat[19].decode() == self.starts()[-1][3]

    def has_stood_still(self):
        """Whether its heart has not beaten for more than 10 s."""
        beats, now = (0, ), time.monotonic()
        try:
            beats = struct.unpack("q", pathlib.Path(f"{self.path}.beat").read_bytes())
        except (FileNotFoundError, struct.error):
            pass
        if beats[0] != self.beats:
            self.beats, self.since = beats[0], now
        return now - self.since > 10 * harness.SLACK


@unittest.skipUnless(harness.IS_ROOT, "isolated tasks need root")
class AgentKillsTest(DroverTest):
    def setUp(self):
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()
        self.stories = self.sandbox.root / "stories"
        self.stories.mkdir()
        program = harness.build_dir() / "tests/faults/faults_witness"
        self.programs = {"raw_exec": str(program), "exec": "/witness/faults_witness"}
        self.files = {name: self.sandbox.root / f"{name}.so" for name in self.programs}
        for name, path in self.files.items():
            shutil.copy(harness.plugin_file(name), path)
        self.config = agent_config(self.sandbox, plugins={
            "raw_exec": {"file": str(self.files["raw_exec"]), "config": {"enabled": True}},
            "exec": {"file": str(self.files["exec"]),
                     "config": {"chroot_env": {str(program.parent): "/witness"}}}})
        self.kinds = {name[5:]: getattr(self, name) for name in sorted(dir(self))
                      if name.startswith("kind_")}
        self.plan = Plan(OPTIONS.seed, list(self.kinds))
        self.pending = []  # actions for which no agent has lived long enough
        self.groups = {}  # job -> its group, as submitted
        self.jobs = {}  # job -> {allocation -> {task -> Witness}}
        self.stopped, self.forgotten = set(), set()
        self.asked_restarts = {}  # allocation -> the number of restarts that may have been carried out
        self.restarts = {}  # (allocation, task) -> the highest count seen
        self.reloads = collections.Counter()  # by their ends
        self.run_ids = {}  # run id -> the start that has it
        self.living = []  # tasks, at each kill
        self.judged = 0
        self.delays = []  # of new tasks
        self.journal = pathlib.Path(f"/tmp/drover-agent-kills-{OPTIONS.seed}-{os.getpid()}.journal")
        self.note("seed", OPTIONS.seed, "kills", OPTIONS.kills)

    def tearDown(self):
        failed = True
        try:
            super().tearDown()
            failed = self._outcome_failed()
        finally:
            if failed:
                print(f"--seed {OPTIONS.seed} --kills {OPTIONS.kills}; all actions: {self.journal}",
                      flush=True)
            else:
                self.journal.unlink()

    def note(self, *words):
        with open(self.journal, "a") as file:
            print(f"{time.monotonic():.3f}", *words, file=file)

    # Jobs ------------------------------------------------------------------------------------

    def witness(self, name, *how, driver="raw_exec", **fields):
        where = "alloc" if driver == "exec" else str(self.stories)
        config = {"command": self.programs[driver], "args": [where, *how]}
        return task(name, config=config, driver=driver, KillTimeout=5 * SECOND,
                    Resources={"CPU": 1, "MemoryMB": 10}, **fields)

    def kind_stages(self):
        """Has every stage of an allocation, one after the other."""
        def hook(name, sidecar=False):
            return {"Hook": name, "Sidecar": sidecar}
        return "service", group(
            self.witness("first", "lives=400", Lifecycle=hook("prestart")),
            self.witness("side", Lifecycle=hook("prestart", True)),
            self.witness("main", "stop=100"),
            self.witness("then", "lives=200", Lifecycle=hook("poststart")),
            self.witness("last", "lives=200", Lifecycle=hook("poststop")), Count=2)

    def kind_restarts(self):
        """Fails three times, with a pause between, then stays."""
        return "service", group(self.witness("main", "fails=3"), Count=4, RestartPolicy={
            "Attempts": 3, "Delay": 300 * MS, "Interval": 3600 * SECOND, "Mode": "fail"})

    def kind_fails(self):
        """Fails as often as its policy allows."""
        return "batch", group(self.witness("main", "fails=99"), Count=3, RestartPolicy={
            "Attempts": 1, "Delay": 100 * MS, "Interval": 3600 * SECOND, "Mode": "fail"})

    def kind_ends(self):
        """Ends by itself."""
        return "batch", group(self.witness("short", "lives=150"), self.witness("long", "lives=1500"),
                              Count=3)

    def kind_lingers(self):
        """Stops slowly, after a shutdown delay."""
        return "service", group(self.witness("main", "stop=600", ShutdownDelay=300 * MS), Count=4)

    def kind_deaf(self):
        deaf = self.witness("main", "deaf")
        deaf["KillTimeout"] = 500 * MS
        return "service", group(deaf, Count=3)

    def kind_confined(self):
        return "batch", group(self.witness("main", "lives=700", driver="exec"),
                              self.witness("side", driver="exec", Lifecycle={
                                  "Hook": "prestart", "Sidecar": True}), Count=2)

    def steady(self, driver):
        return "service", group(self.witness("main", driver=driver), Count=STEADY[driver],
                                RestartPolicy={"Attempts": 9, "Delay": 50 * MS,
                                               "Interval": 3600 * SECOND, "Mode": "delay"})

    # The agent -------------------------------------------------------------------------------

    def start(self):
        run = Run(self.sandbox, ["agent", "--config", self.config, "--port", "0"], json_lines=False)
        self.sandbox.runs[:] = [run]
        self.agent = Agent.__new__(Agent)
        self.agent.run = run
        self.note("start", run.pid)

    def serves(self):
        """Whether the agent lives until it serves."""
        def ready(run):
            return next((line for line in run.lines if "serving http" in line), None)
        try:
            line = self.agent.run.wait_for(ready, "the API")
        except AssertionError:
            self.check_killed()
            return False
        self.agent.address = line.split("//")[1].strip()
        return True

    def check_killed(self):
        """Checks that only the kill has ended the agent."""
        self.assertEqual(self.agent.run.wait(), -signal.SIGKILL, self.agent.run.story())
        if self.agent.run.err:
            self.note("it said", self.agent.run.err)

    def ask(self, method, path, body=None, **query):
        """Returns the answer, or None when the agent was killed."""
        try:
            return self.agent.must(method, path, body, **query)
        except (OSError, http.client.HTTPException):
            self.check_killed()
            return None

    def asked(self, *request, **query):
        return self.ask(*request, **query) is not None

    def run_kind(self, name, kind, of_group):
        self.groups[name] = of_group
        return self.asked("PUT", "/v1/jobs", job(of_group, id=name, type=kind))

    def do(self, action):
        """False when the agent was killed meanwhile: the next one is asked again."""
        verb, name, kind = action
        self.note(verb, name)
        if verb == "run":
            return self.run_kind(name, *self.kinds[kind]())
        if verb == "restart":
            return self.restart(name)
        if verb == "reload":
            return self.reload(name)
        if name in self.forgotten:
            return True
        return self.stop(name)

    def stop(self, name):
        """False when the agent was killed meanwhile."""
        self.stopped.add(name)  # perhaps without an answer to us
        try:
            reply = self.agent.ask("DELETE", f"/v1/job/{name}")
        except (OSError, http.client.HTTPException):
            self.check_killed()
            return False
        # A job that ends by itself may be collected already.
        allowed = (200, 404) if name.startswith(("fails", "ends", "confined")) else (200,)
        self.assertIn(reply.status, allowed, f"{name}: {reply.body}")
        return True

    def restart(self, name):
        """Restarts all tasks of a job that run. False when the agent was killed meanwhile."""
        for alloc in self.jobs.get(name, {}):
            self.asked_restarts[alloc] = self.asked_restarts.get(alloc, 0) + 1
            try:
                self.agent.ask("PUT", f"/v1/client/allocation/{alloc}/restart", {})
            except (OSError, http.client.HTTPException):
                self.check_killed()
                return False
        return True

    def reload(self, driver):
        """Replaces the file of a driver, and has the agent load it. False when the agent was killed
        meanwhile: the next one is asked again."""
        new = self.files[driver].with_suffix(".new")
        shutil.copy(self.files[driver], new)
        with open(new, "ab") as file:  # the loader ignores bytes behind the tables
            file.write(b"x")
        os.rename(new, self.files[driver])
        try:
            reply = self.agent.ask("PUT", f"/v1/agent/plugins/{driver}/reload")
        except (OSError, http.client.HTTPException):
            self.check_killed()
            self.reloads["cut off"] += 1
            return False
        if reply.status != 200:  # a start was on its way
            self.assertIn(b"stays in charge", reply.body)
        self.reloads["done" if reply.status == 200 else "refused"] += 1
        return True

    def work(self, actions):
        """The agent's work until it is killed."""
        self.pending += actions
        if not self.serves():
            return
        while self.pending and self.do(self.pending[0]):
            self.pending.pop(0)
        if not self.pending:
            self.look()

    # Checks ----------------------------------------------------------------------------------

    def look(self):
        """The agent's answers: the allocations, and the sum of their restarts."""
        allocs = self.ask("GET", "/v1/allocations")
        for alloc in allocs or []:
            if alloc["JobID"] in self.forgotten:
                continue
            tasks = self.jobs.setdefault(alloc["JobID"], {}).setdefault(alloc["ID"], {})
            for each in self.groups[alloc["JobID"]]["Tasks"]:
                name = each["Name"]
                if name not in tasks:
                    confined = each["Driver"] == "exec"
                    where = (self.sandbox.alloc_dirs[0] / alloc["ID"] / "alloc" if confined
                             else self.stories)
                    tasks[name] = Witness(where / f"{alloc['ID']}.{name}")
            for name, state in (alloc["TaskStates"] or {}).items():
                key = (alloc["ID"], name)
                self.assertGreaterEqual(state["Restarts"], self.restarts.get(key, 0), key)
                self.restarts[key] = state["Restarts"]
        return allocs

    def may_start(self, name, which):
        of_group = self.groups[name]
        fails = next(int(arg[6:]) for arg in [*next(
            t for t in of_group["Tasks"] if t["Name"] == which)["Config"]["args"], "fails=0"]
            if arg.startswith("fails="))
        return 1 + min(fails, of_group["RestartPolicy"]["Attempts"])

    def check_run(self, witness, key):
        """Checks that each start has a run id of its own, and each run one start. Returns whether it lives."""
        run, starts = witness.run_id(), witness.starts()
        if run is None or not starts or not witness.is_the_last_one():
            return False  # it has just ended, or just begins
        if witness.run_id() == run and witness.starts() == starts:
            self.assertEqual(self.run_ids.setdefault(run, (key, starts[-1])), (key, starts[-1]))
        return True

    def judge(self):
        """Checks the records of the tasks, whether an agent lives or not."""
        living = 0
        for name, allocs in self.jobs.items():
            for alloc, tasks in allocs.items():
                for which, witness in tasks.items():
                    story = f"{name}, allocation {alloc}, task {which}: {witness.words()}"
                    starts = len(witness.starts())
                    self.assertNotIn(["double"], witness.words(), story)
                    self.assertLessEqual(starts, self.may_start(name, which) +
                                         self.asked_restarts.get(alloc, 0), story)
                    self.judged += 1
                    lives = self.check_run(witness, (alloc, which))
                    living += lives
                    # A sidecar must end when the batch is done.
                    if not (name in self.stopped or alloc in self.asked_restarts or which == "side"):
                        self.assertNotIn(["asked"], witness.words(), story)
                    if name.startswith("steady"):
                        self.assertEqual(starts, 1, story)
                        self.assertTrue(lives, f"lost: {story}")
                        self.assertFalse(witness.has_stood_still(), story)
        self.living.append(living)

    def start_new(self):
        """Checks that a new task starts at once, whatever else the agent does."""
        name = f"new-{len(self.delays)}"
        kind = "exec" if len(self.delays) % 2 else "raw_exec"
        begin = time.monotonic()
        self.run_kind(name, "service", group(self.witness("main", driver=kind)))

        def started():
            self.look()
            tasks = [w for alloc in self.jobs.get(name, {}).values() for w in alloc.values()]
            return tasks and all(witness.pid() for witness in tasks)
        harness.wait_until(started, "the start of a new task")
        self.delays.append(time.monotonic() - begin)
        self.note("new task after", self.delays[-1])
        self.do(("stop", name, None))

    def forget_ended(self):
        """Judges the ended jobs, and purges them, so that the agent's state does not grow."""
        allocs = {}
        for alloc in self.look():
            allocs.setdefault(alloc["JobID"], []).append(alloc)
        for name in sorted(self.jobs):
            mine = allocs.get(name, [])
            if all(a["ClientStatus"] in ("complete", "failed") for a in mine):
                self.judge_end(name, mine)
                # It may have been collected when it ended.
                purged = self.agent.ask("DELETE", f"/v1/job/{name}", purge="true")
                self.assertIn(purged.status, (200, 404), purged.body)
                del self.jobs[name]
                self.forgotten.add(name)
        self.agent.must("PUT", "/v1/system/gc")

    def judge_end(self, name, allocs):
        """Checks that the agent reports the same about ended allocations as their tasks."""
        for alloc in allocs:
            if name not in self.stopped:
                self.assertTrue(self.is_settled(alloc), self.brief(alloc))
            if alloc["ClientStatus"] == "failed":
                self.assertTrue(self.has_failed(name, alloc), self.brief(alloc))
            for which, witness in self.jobs[name][alloc["ID"]].items():
                story = f"task {which}: {witness.words()}, {self.brief(alloc)}"
                self.assertEqual(witness.pid(), 0, f"left: {story}")
                starts = len(witness.starts())
                states = alloc["TaskStates"] or {}
                if not states:  # it was stopped before its turn to start
                    self.assertEqual(starts, 0, story)
                    self.assertIn(name, self.stopped, story)
                    continue
                restarts = states[which]["Restarts"]
                # The last restart may have been stopped before its start.
                self.assertIn(starts, (restarts, restarts + 1), story)
                if name.startswith("stages") and which == "last":
                    self.assertEqual(starts, 1, story)

    @staticmethod
    def brief(alloc):
        """The agent's report about an allocation, in short."""
        tasks = {name: (state["State"], state["Restarts"],
                        [(e["Type"], e["Time"] // MS, e["DisplayMessage"]) for e in state["Events"]])
                 for name, state in (alloc["TaskStates"] or {}).items()}
        return (alloc["ID"], alloc["Name"], alloc["ClientStatus"], alloc["DesiredStatus"], tasks)

    def has_failed(self, name, alloc):
        """Whether a task has failed as often as its policy allows."""
        return any(len([word for word in witness.words() if word == ["end", "1"]]) >
                   self.groups[name]["RestartPolicy"]["Attempts"]
                   for witness in self.jobs[name][alloc["ID"]].values())

    def unsettled(self):
        """The allocations that have not reached the state to which their policy leads."""
        return [self.brief(alloc) for alloc in self.look()
                if alloc["JobID"] not in self.forgotten and not self.is_settled(alloc)]

    def is_settled(self, alloc):
        name = alloc["JobID"]
        if name in self.stopped:
            return alloc["ClientStatus"] not in ("pending", "running")
        kind = name.split("-")[0]
        status = {"fails": "failed", "ends": "complete", "confined": "complete"}
        if alloc["ClientStatus"] != status.get(kind, "running"):
            return False
        for which, witness in self.jobs[name][alloc["ID"]].items():
            want = ((1, False) if kind in ("ends", "confined") or which in ("first", "then") else
                    (0, False) if which == "last" else
                    (self.may_start(name, which), kind != "fails"))
            starts = min(len(witness.starts()), want[0])  # more only after a restart on request
            if (starts, witness.pid() != 0) != want:
                return False
        return True

    def settle(self):
        try:
            harness.wait_until(lambda: not self.unsettled(), "all are in the state to which their policy leads")
        except AssertionError as error:
            raise AssertionError(f"{error}: {self.unsettled()}") from None

    # The test --------------------------------------------------------------------------------

    def begin(self):
        self.start()
        self.serves()
        for driver in ("raw_exec", "exec"):
            self.run_kind(f"steady-{driver}", *self.steady(driver))
        for _ in range(3):
            for action in self.plan.turn()[0]:
                self.do(action)

        def up():
            self.look()
            steady = [w for name, allocs in self.jobs.items() if name.startswith("steady")
                      for tasks in allocs.values() for w in tasks.values()]
            return len(steady) == sum(STEADY.values()) and all(witness.pid() for witness in steady)
        harness.wait_until(up, "the start of the steady tasks")

    def kill(self):
        self.note("kill", self.agent.run.pid)
        self.agent.run.process.kill()
        self.check_killed()

    def test_nothing_is_lost_doubled_or_restarted(self):
        began = time.monotonic()
        self.begin()
        self.kill()
        for number in range(OPTIONS.kills - 1):
            actions, delay = self.plan.turn()
            self.start()
            if number % LOOK_EVERY == LOOK_EVERY - 1:
                self.work(actions)
                self.start_new()
                self.forget_ended()
                self.kill()
            else:
                killer = threading.Timer(delay, self.agent.run.process.kill)
                killer.start()
                self.work(actions)
                self.check_killed()
                killer.join()
                self.note("killed after", delay)
            self.assertNotIn("re-attached", self.agent.run.err)
            self.judge()
        self.start()
        self.work([])
        self.settle()
        self.judge()
        print(f"seed {OPTIONS.seed}: {OPTIONS.kills} kills in {time.monotonic() - began:.0f} s, "
              f"{next(self.plan.names)} jobs came and went, {self.judged} looks at a task, of which "
              f"{statistics.median(self.living):.0f} lived at a time; new "
              f"tasks after {1000 * statistics.median(self.delays):.0f} ms, longest "
              f"{1000 * max(self.delays):.0f} ms; reloads: {dict(self.reloads)}", flush=True)
        self.assertGreater(self.reloads["done"], 0)
        self.assertGreaterEqual(statistics.median(self.living), TASKS)
        self.finish()

    def finish(self):
        for name in sorted(self.jobs.keys() - self.stopped):
            self.do(("stop", name, None))

        def over():
            self.forget_ended()
            return not self.jobs
        harness.wait_until(over, "the end of all jobs")
        # An agent that is stopped while it clears away leaves the rest, with its ledger, to the next one.
        def named():
            return [line for file in self.sandbox.run_dir.glob("*.ledger")
                    for line in file.read_text().splitlines() if line.startswith(("run ", "alloc "))]
        try:
            harness.wait_until(lambda: not named(), "all is cleared away")
        except AssertionError as error:
            raise AssertionError(f"{error}: {named()}, {self.agent.run.story()}") from None
        self.agent.stop()


if __name__ == "__main__":
    sys.argv[1:] = options(sys.argv[1:])
    unittest.main(verbosity=2)
