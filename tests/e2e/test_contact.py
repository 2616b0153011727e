# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""What an agent can do to the contact between its scheduler and its node, which are one process: nothing. So there is
no life of a node that disconnects among the steps (test_steps.py). Nodes that are really cut off are simulated:
host/node_link has their tests, with the kills of servers, and tests/model has them among all other changes."""
import os
import signal
import time

import harness
from harness import group, job, task
from test_takeover import TakeoverCase

STAYS = "trap 'exit 0' INT TERM; while :; do sleep 0.1 & wait $!; done"
SHORT = "1s"  # shorter than the time between two heartbeats, which is 10 s
BLOCKS = {"unknown": {"LostAfter": SHORT}, "alone": {"LostAfter": SHORT, "Replace": False},
          "stops": {"StopOnClientAfter": SHORT}, "stops-at-once": {"StopOnClientAfter": 0}, "lost": None}
# A node counts as down when its heartbeat is overdue by 10 s.
ABSENCE = 25 if harness.LONG else 3


class ContactTest(TakeoverCase):
    """Whatever the agent does, its allocations go on, and nothing says that its node was away."""

    def run_all(self):
        self.agent.submit(job(*(
            group(task("t", STAYS), name=name, **({"Disconnect": block} if block else {}))
            for name, block in BLOCKS.items()), id="web", type="service"))
        self.agent.wait_allocs("web", len(BLOCKS), "running")
        return {a["ID"] for a in self.agent.allocs("web")}

    def check(self, ids):
        allocs = self.agent.allocs("web")
        self.assertEqual({a["ID"] for a in allocs}, ids)
        for stub in allocs:
            one = self.agent.get(f"/v1/allocation/{stub['ID']}")
            state = one["TaskStates"]["t"]
            self.assertEqual((one["ClientStatus"], one["DesiredStatus"], state["State"], state["Restarts"]),
                             ("running", "run", "running", 0), one["TaskGroup"])
            self.assertFalse(one["AllocStates"], one["TaskGroup"])
        node, = self.agent.get("/v1/nodes")
        self.assertEqual(node["Status"], "ready")
        events = [event["Message"] for event in self.agent.get(f"/v1/node/{node['ID']}")["Events"]]
        self.assertNotIn("Node heartbeat missed", events)
        causes = {e["TriggeredBy"] for e in self.agent.get("/v1/job/web/evaluations")}
        self.assertFalse(causes & {"node-update", "max-disconnect-timeout", "reconnect"}, causes)

    def test_between_heartbeats(self):
        ids = self.run_all()
        time.sleep(12)
        self.check(ids)

    def test_while_it_stands_still(self):
        ids = self.run_all()
        for _ in range(2):
            time.sleep(0.5)
            os.kill(self.agent.run.pid, signal.SIGSTOP)
            time.sleep(ABSENCE)
            os.kill(self.agent.run.pid, signal.SIGCONT)
            time.sleep(3)
            self.check(ids)

    def test_between_agents(self):
        ids = self.run_all()
        for killed in (True, False):
            self.kill() if killed else self.agent.stop()
            time.sleep(ABSENCE)
            self.agent = self.start()
            self.agent.wait_allocs("web", len(BLOCKS), "running")
            time.sleep(3)
            self.check(ids)


if __name__ == "__main__":
    harness.main()
