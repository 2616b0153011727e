# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The clock of the machine is set, far ahead and far back, and no wait notices. All programs share that
clock, so this runs only in a virtual machine, alone (tests/vm)."""
import os
import time
import unittest

import harness
from agent_harness import AgentTest
from harness import SLACK, group, job, mock, task, wait_until

HOUR = 3600
# The settings of the clock, in order: relative to the true time, or absolute.
JUMPS = [("an hour ahead", HOUR), ("two days back", -48 * HOUR), ("to 1970", None, 30 * HOUR),
         ("to 2038", None, 2**31 + HOUR), ("back to the true time", 0)]
DELAY = 4.0


@unittest.skipUnless(os.environ.get("DROVER_MAY_SET_CLOCK") == "1",
                     "other programs use the clock of this machine too: see tests/vm")
class ClockTest(AgentTest):
    def setUp(self):
        self.truth = time.time() - time.monotonic()
        self.addCleanup(self.put, 0)
        super().setUp()

    def put(self, offset, absolute=None):
        time.clock_settime(time.CLOCK_REALTIME,
                           self.truth + time.monotonic() + offset if absolute is None else absolute)

    def task(self, alloc):
        states = self.agent.get(f"/v1/allocation/{alloc}")["TaskStates"] or {}
        return states.get("t", {"State": "pending", "Restarts": 0, "Events": []})

    def started(self, name, script=None, policy=None, **fields):
        one = task("t", script, **fields) if script else mock("t", run_for="1h")
        self.agent.submit(job(group(one, RestartPolicy=policy or harness.NO_RESTART), id=name,
                              type="service"))
        return wait_until(lambda: self.agent.allocs(name), name)[0]["ID"]

    def types(self, alloc):
        return [event["Type"] for event in self.task(alloc)["Events"]]

    def test_nothing_that_waits_notices(self):
        steady = self.started("steady", "while :; do sleep 0.2; done")
        pretends = self.started("pretends")
        for alloc in (steady, pretends):
            wait_until(lambda: self.task(alloc)["State"] == "running", "it runs")
        for number, (where, *to) in enumerate(JUMPS):
            with self.subTest(where):
                self.jump(number, to)
        for alloc in (steady, pretends):
            state = self.task(alloc)
            self.assertEqual((state["State"], state["Restarts"]), ("running", 0))
            self.assertEqual(self.types(alloc), ["Received", "Task Setup", "Started"])

    def jump(self, number, to):
        deaf, again = f"deaf{number}", f"again{number}"
        dies = self.started(deaf, "trap '' INT TERM; echo up; while :; do sleep 0.2; done",
                            KillTimeout=f"{DELAY}s")
        log = self.sandbox.alloc_dirs[0] / dies / "alloc/logs/t.stdout.0"
        wait_until(lambda: log.exists() and log.read_text(), "it is deaf")
        fails = self.started(again, "exit 1", {"Attempts": 1, "Interval": "1h", "Mode": "fail",
                                               "Delay": f"{DELAY}s"})
        wait_until(lambda: "Restarting" in self.types(fails), "it waits for its restart")
        self.agent.must("DELETE", f"/v1/job/{deaf}")
        wait_until(lambda: "Killing" in self.types(dies), "the begin of its kill")
        begin = time.monotonic()
        self.put(*to)
        ends = {}

        def over():
            if "Terminated" in self.types(dies):
                ends.setdefault("kill", time.monotonic() - begin)
            if self.types(fails).count("Started") == 2:
                ends.setdefault("restart", time.monotonic() - begin)
            return len(ends) == 2
        wait_until(over, "the kill and the restart")
        wait_until(lambda: self.task(fails)["State"] == "dead", "it has failed twice")
        print(f"{to}: " + ", ".join(f"{what} after {took:.2f} s" for what, took in ends.items()),
              flush=True)
        # An event that was seen late began before it was seen.
        seen = 0.3 * SLACK
        for what, most in (("kill", DELAY), ("restart", 1.25 * DELAY)):
            self.assertGreater(ends[what], DELAY - seen, what)
            self.assertLess(ends[what], most + seen + 0.5 * SLACK, what)
        # Records have the new time.
        end = self.task(fails)["Events"][-1]["Time"] / 1e9
        self.assertLess(abs(time.time() - end), 5 * SLACK)
        self.assertEqual(self.task(dies)["Failed"], False)
        # A query waits for the time that it names.
        index = self.agent.ask("GET", "/v1/nodes").headers["X-Nomad-Index"]
        begin = time.monotonic()
        self.agent.get("/v1/nodes", index=index, wait="1s")
        self.assertGreaterEqual(time.monotonic() - begin, 1)
        self.assertLess(time.monotonic() - begin, 1.2 + 1 * SLACK)


if __name__ == "__main__":
    harness.main()
