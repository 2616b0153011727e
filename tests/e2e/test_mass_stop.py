# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Very many tasks that ignore their signal are stopped together."""
import os
import pathlib
import statistics
import threading
import time

import harness
from agent_harness import Agent, agent_config
from harness import SLACK, DroverTest, group, job, task, wait_until

TASKS = 1000 if harness.LONG else 200
# The agent keeps the newest 8192 events, so memory grows until there were so many. The short form has
# fewer.
WARM, GROWTH_KIB = (3, 5 * 1024) if harness.LONG else (1, 16 * 1024)
KILL_TIMEOUT = 3.0
BOUND = 2.0  # the time after the kill timeout within which all tasks are dead


class MassStopTest(DroverTest):
    def setUp(self):
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()
        self.agent = Agent(self.sandbox)

    def facts(self):
        """(threads, descriptors, resident KiB) of the agent."""
        status = dict(line.split(":", 1) for line in
                      pathlib.Path(f"/proc/{self.agent.run.pid}/status").read_text().splitlines())
        return (int(status["Threads"]), len(os.listdir(f"/proc/{self.agent.run.pid}/fd")),
                int(status["VmRSS"].split()[0]))

    def deaf(self):
        """The processes of the tasks that live, by their working directories."""
        mark, found = str(self.sandbox.alloc_dirs[0]), 0
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                found += (os.readlink(f"/proc/{pid}/cwd").startswith(mark) and
                          harness.process_text(pid, "comm") == b"sleep\n")
            except OSError:
                pass
        return found

    def stop_all(self, name, count):
        """Runs COUNT deaf tasks and stops them. Returns (time until all were dead, times of answers of the
        API), in s."""
        self.agent.submit(job(group(task("t", "trap '' TERM INT; exec sleep 1000",
                                         KillSignal="SIGTERM", KillTimeout=f"{KILL_TIMEOUT}s",
                                         Resources={"CPU": 1, "MemoryMB": 10}), Count=count),
                              id=name, type="service"))
        # The task must have set its trap, not only started.
        wait_until(lambda: self.deaf() == count, f"{count} deaf tasks", limit=200, step=0.2)
        answers, over = [], threading.Event()

        def ask():
            while not over.is_set():
                begin = time.monotonic()
                self.agent.get("/v1/agent/self")
                answers.append(time.monotonic() - begin)
                over.wait(0.05)
        asker = threading.Thread(target=ask)
        asker.start()
        begin = time.monotonic()
        self.agent.must("DELETE", f"/v1/job/{name}")
        wait_until(lambda: self.deaf() < count, "the first is dead", step=0.1)
        self.assertGreaterEqual(time.monotonic() - begin, KILL_TIMEOUT - 0.1, "none dies early")
        wait_until(lambda: self.deaf() == 0, "all are dead", limit=60, step=0.1)
        took = time.monotonic() - begin
        self.agent.get_until(f"/v1/job/{name}/summary", lambda reply: harness.json.loads(
            reply.body)["Summary"]["g"]["Complete"] == count)
        over.set()
        asker.join()
        for alloc in self.agent.allocs(name)[:5]:
            tasks = self.agent.get(f"/v1/allocation/{alloc['ID']}")["TaskStates"]["t"]
            ended = [e["Details"]["signal"] for e in tasks["Events"] if e["Type"] == "Terminated"]
            self.assertEqual((ended, tasks["Failed"]), (["9"], False))
        self.agent.must("PUT", "/v1/system/gc")
        wait_until(lambda: not self.agent.get("/v1/allocations"), "all are collected")
        return took, answers

    def test_deaf_tasks_die_together_and_the_api_answers(self):
        fresh = self.facts()
        for _ in range(WARM):
            self.stop_all("warm", TASKS)
        warm = self.facts()
        took, answers = self.stop_all("many", TASKS)
        print(f"{TASKS} deaf tasks: dead after {took:.2f} s with a kill timeout of {KILL_TIMEOUT} s;"
              f" {len(answers)} answers of the API, median {1000 * statistics.median(answers):.0f} ms,"
              f" longest {1000 * max(answers):.0f} ms", flush=True)
        self.assertLess(took, KILL_TIMEOUT + BOUND * SLACK)
        self.assertLess(max(answers), 1 * SLACK)
        # Threads of pools are made when they are needed, and stay.
        wait_until(lambda: self.facts()[0] <= warm[0] and self.facts()[1] <= fresh[1],
                   f"threads and descriptors go back: {fresh}, {warm}, {self.facts()}")
        print(f"threads, descriptors, KiB: at first {fresh}, then {warm}, at last {self.facts()}",
              flush=True)
        self.assertLess(self.facts()[2] - warm[2], GROWTH_KIB)
        self.agent.stop()


if __name__ == "__main__":
    harness.main()
