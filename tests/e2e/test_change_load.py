# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""What a thousand periodic jobs and a thousand replacements that wait for their time cost an idle agent."""
import pathlib
import re
import time

import harness
from agent_harness import Agent, agent_config
from harness import SLACK, DroverTest, group, job, mock
from test_periodic import NEVER_SOON, periodic

COUNT = 1000  # of each
MIB = 1 << 20
MOST = 2 * MIB  # for all that waits
EXACT = SLACK <= 2  # a sanitizer keeps freed memory for a while
SHARE = 0.005  # of a core
# On a machine with other work, the same work takes more time of the processor. So the quietest of some windows counts,
# and it may take so many times as much.
WINDOWS, SECONDS, BUSY = 3, 20, 2
NEVER_AGAIN = {"Attempts": 0, "Unlimited": False}
MUCH_LATER = {"Delay": "24h", "DelayFunction": "constant", "Unlimited": True, "Attempts": 0}


def failing(name, policy):
    """A service whose only allocation fails at once."""
    return job(group(mock("t", run_for="10ms", exit_code=3, Resources={"CPU": 1, "MemoryMB": 10}),
                     ReschedulePolicy=policy, Update={"MaxParallel": 0}), id=name, type="service")


class IdleChangeTest(DroverTest):
    def start(self, name):
        # With its state on the disk, as in operation.
        config = agent_config(self.sandbox, f"{name}.json", data_dir=str(self.sandbox.root / name))
        return Agent(self.sandbox, dev=False, config=config)

    def waiting(self, agent):
        evals = agent.get("/v1/evaluations", filter='TriggeredBy == "alloc-failure" and Status == "pending"')
        return len(evals)

    def held(self, agent):
        """The memory that only this agent has, in bytes, without what is free."""
        # After a large body, the agent gives back what it does not use.
        large = job(group(mock("t")), id="large", Meta={"text": "x" * (3 * MIB)})
        agent.must("PUT", "/v1/validate/job", large)
        text = pathlib.Path(f"/proc/{agent.run.pid}/smaps_rollup").read_text()
        return int(re.search(r"^Private_Dirty:\s+(\d+) kB", text, re.M).group(1)) << 10

    def share(self, agent):
        """The share of a core that the agent takes."""
        least = 1.0
        for _ in range(WINDOWS):
            used, began = harness.processor_time(agent.run.pid), time.monotonic()
            time.sleep(SECONDS)
            used = harness.processor_time(agent.run.pid) - used
            least = min(least, used / (time.monotonic() - began))
        return least

    def idle_cost(self, name, launches=False, replaced=False, evaluated=False):
        """Returns the memory of an agent with COUNT periodic jobs, which are enabled if LAUNCHES, and COUNT failed
        allocations, which wait for a replacement if REPLACED; and the share of a core that it takes. EVALUATED: their
        jobs have as many evaluations that are over as if they waited."""
        agent = self.start(name)
        for n in range(COUNT):
            agent.submit(periodic(id=f"p{n}", spec=NEVER_SOON, Enabled=launches, TimeZone="Europe/Berlin"))
            agent.submit(failing(f"web{n}", MUCH_LATER if replaced else NEVER_AGAIN))

        def all_failed():
            return len(agent.get("/v1/allocations", filter='ClientStatus == "failed"')) == COUNT
        harness.wait_until(all_failed, "all failures", limit=4 * harness.LIMIT, step=1)
        for n in range(COUNT if evaluated else 0):
            agent.must("PUT", f"/v1/job/web{n}/evaluate", {"JobID": f"web{n}"})
        count = COUNT if replaced else 0
        harness.wait_until(lambda: self.waiting(agent) == count, f"{count} evaluations that wait", step=1)
        evaluations = COUNT * (1 + evaluated + 2 * replaced)
        self.assertEqual(agent.get("/v1/evaluations/count")["Count"], evaluations)
        # The next agent has only what waits, and nothing of what has happened.
        agent.stop()
        agent = self.start(name)
        self.assertEqual(self.waiting(agent), count)
        time.sleep(3)  # what the start has left over
        held, share = self.held(agent), self.share(agent)
        self.assertEqual(self.waiting(agent), count)
        agent.forget_all(self.leftovers)
        agent.stop()
        return held, share

    def test_what_waits_costs_an_idle_agent_nearly_nothing(self):
        """What counts: the evaluations that wait, with their timers and what their allocations know of them, and the
        launches of the periodic jobs, with their timers. What does not: the jobs and the failed allocations, and the
        evaluation of each failure, which has made the one that waits. That one is over, and is collected by its age
        like any other. So the memory of these is only printed."""
        self.sandbox.alloc_dirs[0].mkdir()
        bare, idle = self.idle_cost("bare")
        over, _ = self.idle_cost("over", evaluated=True)
        held, share = self.idle_cost("both", launches=True, replaced=True)
        print(f"{COUNT} periodic jobs and {COUNT} replacements that wait: {(held - over) / MIB:.2f} MiB, and "
              f"{(over - bare) / MIB:.2f} MiB for the {COUNT} evaluations of the failures, which are over; "
              f"{100 * share:.2f} % of a core, {100 * idle:.2f} % without them", flush=True)
        self.assertLessEqual(share - idle, SHARE * SLACK)
        self.assertLessEqual(share, SHARE * BUSY * SLACK)
        if EXACT:
            self.assertLess(held - over, MOST)


if __name__ == "__main__":
    harness.main()
