# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The agent dies before and after each durable step of a job's life, or the step fails
(host/base/durable_step.h); whatever happens, the job has its life, once, and nothing is left of it."""
import collections
import contextlib
import http.client
import json
import signal
import unittest

import harness
from agent_harness import Agent
from harness import DroverTest, group, job, task

# The steps of the life below. How often the store is written is a matter of chance.
STEPS = {"ledger_add": 2, "ledger_remove": 2, "commit": None, "sync": None, "make_alloc_dir": 1,
         "make_task_dir": 2, "remove_alloc_dir": 1, "make_cgroup": 2, "launch_shim": 2,
         "remove_cgroup": 2, "forget_end": 2, "keep_network": 1, "drop_network": 2}
BY_CHANCE = 4  # of the steps by chance so many have their faults
KILLS = ("before", "after")
ERRORS = ("ENOSPC", "EIO")

# Fails the first time, then stays until it is asked to end.
TASK = """
echo start >> "$OUT"
[ "$(grep -c start "$OUT")" -gt 1 ] || exit 1
trap 'echo stop >> "$OUT"; exit 0' INT TERM
echo ready >> "$OUT"
while :; do sleep 0.05 & wait $!; done
"""


@unittest.skipUnless(harness.IS_ROOT, "network namespaces and cgroups need root")
class StepTest(DroverTest):
    def setUp(self):
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()
        self.steps = self.sandbox.root / "steps"
        self.steps.mkdir()
        self.trace, self.fault = self.steps / "trace", self.steps / "fault"
        self.agent = self.start()
        self.died = False

    def tearDown(self):
        if not self._outcome_failed():
            self.agent.stop()
        super().tearDown()

    def start(self):
        return Agent(self.sandbox, dev=False, env={"DROVER_TEST_STEPS": str(self.steps)})

    def revive(self):
        """Starts the next agent if this one has died."""
        if self.agent.run.process.poll() is None:
            return
        self.assertEqual(self.agent.run.process.returncode, -signal.SIGKILL, self.agent.run.story())
        self.died = True
        self.fault.unlink()
        self.agent = self.start()

    def insist(self, method, path, body=None, **query):
        """Asks until the answer is a success, as a client does that sees an agent fail."""
        def answered():
            self.revive()
            try:
                reply = self.agent.ask(method, path, body, **query)
            except (OSError, http.client.HTTPException):
                return None
            self.assertIn(reply.status, (200, 404, 500), reply.body)
            return reply if reply.status != 500 else None
        return harness.wait_until(answered, f"{method} {path}")

    def allocs(self, name):
        reply = self.insist("GET", f"/v1/job/{name}/allocations")
        return json.loads(reply.body) if reply.status == 200 else []

    def live(self, name):
        """A job from its registration to when it is forgotten. Returns its allocations at the end."""
        out = self.sandbox.root / f"{name}.out"
        policy = {"Attempts": 3, "Delay": 50_000_000, "Interval": 60_000_000_000, "Mode": "fail"}
        self.insist("PUT", "/v1/jobs", job(
            group(task("t", TASK, Env={"OUT": str(out)}), RestartPolicy=policy,
                  Networks=[{"Mode": "none"}], ReschedulePolicy={"Attempts": 0, "Unlimited": False}),
            id=name, type="service"))

        def runs_again(alloc):
            state = (alloc["TaskStates"] or {}).get("t", {})
            return state.get("State") == "running" and state["Restarts"] >= 1

        def up():
            allocs = self.allocs(name)
            # Its agent must know it, too: a start that has not returned is given up by a stop.
            if out.exists() and "ready" in out.read_text() and any(map(runs_again, allocs)):
                return True
            ended = [a["ClientStatus"] for a in allocs]
            return ended and set(ended) == {"failed"}
        harness.wait_until(up, f"the start of {name}")
        self.insist("DELETE", f"/v1/job/{name}")

        def over():
            allocs = self.allocs(name)
            return allocs if all(a["ClientStatus"] in ("complete", "failed") for a in allocs) else None
        allocs = harness.wait_until(over, f"the end of {name}")
        self.insist("DELETE", f"/v1/job/{name}", purge="true")

        def gone():
            self.insist("PUT", "/v1/system/gc")
            # What still stands below the run directory is the agent's ledger, and where it keeps
            # networks.
            runs = [f for f in self.leftovers.run_files() if f.endswith((".sock", ".exit", ".tmp"))]
            return not (self.leftovers.allocations() or runs or self.leftovers.own_cgroups())
        harness.wait_until(gone, f"{name} to be forgotten, {self.fault_text()}")
        return allocs, out.read_text().split() if out.exists() else []

    def fault_text(self):
        return self.fault.read_text() if self.fault.exists() else "no fault"

    def traced(self):
        return collections.Counter(self.trace.read_text().split())

    def arm(self, text=None):
        self.died = False
        self.trace.write_text("")
        if text is None:
            self.fault.unlink(missing_ok=True)
        else:
            self.fault.write_text(text)

    def points(self):
        """(step, number) of all, as a life without faults has them."""
        self.arm()
        allocs, lines = self.live("plain")
        self.assertEqual(lines, ["start", "start", "ready", "stop"])
        exact = {name: count for name, count in STEPS.items() if count is not None}

        def seen_exact():
            seen = self.traced()
            return {name: seen[name] for name in exact}
        with contextlib.suppress(AssertionError):  # the last ones come after the directory is gone
            harness.wait_until(lambda: seen_exact() == exact, "the last step", limit=5)
        self.assertEqual(seen_exact(), exact)
        seen = self.traced()
        self.assertEqual(seen.keys(), STEPS.keys())
        return [(name, number) for name, count in STEPS.items()
                for number in range(1, (count or min(seen[name], BY_CHANCE)) + 1)]

    def check_kill(self, point, way):
        name, number = point
        with self.subTest(f"{name} {number} {way}"):
            self.arm(f"{name} {number} {way}")
            allocs, lines = self.live(f"{name}-{number}-{way}")

            def has_died():  # perhaps of its last step
                self.revive()
                return self.died
            if STEPS[name] is not None:
                harness.wait_until(has_died, "the agent to come there")
            self.assertEqual(lines, ["start", "start", "ready", "stop"])
            self.assertEqual([a["ClientStatus"] for a in allocs], ["complete"])
            self.assertEqual([a["TaskStates"]["t"]["Restarts"] for a in allocs], [1])

    def check_error(self, point, way):
        name, number = point
        with self.subTest(f"{name} {number} {way}"):
            self.arm(f"{name} {number} {way}")
            allocs, lines = self.live(f"{name}-{number}-{way}")
            self.assertFalse(self.died, self.agent.run.story())
            self.assertEqual(len(allocs), 1)
            if allocs[0]["ClientStatus"] == "failed":  # and says why
                events = allocs[0]["TaskStates"]["t"]["Events"]
                self.assertIn(f"step {name}", str(events))
            else:
                self.assertEqual(lines[-2:], ["ready", "stop"])
                self.assertLessEqual(lines.count("start"), 2)

    def test_each_step_may_be_the_last(self):
        for index, point in enumerate(self.points()):
            for way in KILLS if harness.LONG else [KILLS[index % 2]]:
                self.check_kill(point, way)

    def test_each_step_may_fail(self):
        for index, point in enumerate(self.points()):
            for way in ERRORS if harness.LONG else [ERRORS[index % 2]]:
                self.check_error(point, way)
