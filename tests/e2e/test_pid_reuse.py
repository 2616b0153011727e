# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Pids are few and used again at once, and for half of the time there is no agent. A process that has the
pid of an ended task or supervisor must never get a signal from Drover."""
import os
import random
import signal
import unittest

import harness
from agent_harness import Agent, agent_config
from harness import DroverTest, group, job, task, wait_until
from small_machine import PIDS, SmallMachine

# Pids that strangers have, one after the other.
RECYCLED = 20_000 if harness.LONG else 2_000
KEPT = 200  # strangers at a time
TASKS = 6
# Prints its pid and that of its supervisor. It has no children: no other process gets a pid that is still
# the number of a process group.
TASK = 'echo "$$ $PPID" >> "$OUT.$NOMAD_ALLOC_INDEX"; exec sleep 1000'


@unittest.skipUnless(harness.IS_ROOT, "a pid namespace needs root")
class PidReuseTest(DroverTest):
    def setUp(self):
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()
        self.sandbox.config_file = agent_config(self.sandbox)
        self.machine = SmallMachine(self.sandbox)
        self.addCleanup(self.machine.off)
        self.out = self.sandbox.root / "out"
        self.agent = self.start()
        self.recycled = 0
        self.taken = 0

    def start(self):
        return Agent(self.sandbox, dev=False, command=self.machine.command)

    def kill_agent(self):
        self.machine.signal_agent(self.agent.run, signal.SIGKILL)
        self.agent.run.process.wait()

    def reported(self):
        """All pids that tasks have reported: [(task, supervisor)], by allocation."""
        return {path.name: [tuple(map(int, line.split())) for line in path.read_text().splitlines()]
                for path in self.sandbox.root.glob("out.*")}

    def wait_running(self):
        self.agent.wait_allocs("many", TASKS, "running")
        wait_until(lambda: len(self.reported()) == TASKS and
                   {pids[-1][0] for pids in self.reported().values()} <= self.machine.others(),
                   "all tasks have begun")

    def recycle(self, pids):
        """Has strangers come and go until each of these pids was one of theirs. The last strangers stay.
        Pids beyond those of strangers, of processes that start with the agent, do not count."""
        wanted = {pid for pid in pids if pid <= PIDS} - set(self.machine.strangers())
        rounds = 0
        while wanted:
            had = self.machine.churn(50, KEPT)
            self.recycled += len(had)
            self.taken += len(wanted & set(had))
            wanted -= set(had)
            rounds += 1
            self.assertLess(rounds, 10 * PIDS / 50, f"nobody gets the pids {wanted}")

    def test_strangers_tell_each_signal(self):
        """The test below needs this to prove anything."""
        self.machine.churn(10, 10)
        for number, pid in zip((signal.SIGTERM, signal.SIGKILL, signal.SIGSTOP, signal.SIGCONT,
                                signal.SIGRTMIN), self.machine.strangers()):
            self.machine.hit_stranger(pid, number)
            wait_until(lambda: f"stranger {pid} " in self.machine.foreign_signals(), number)
        self.machine.signal_agent(self.agent.run, signal.SIGINT)
        self.agent.run.wait()
        self.machine.cut()

    def test_who_has_the_pid_of_another_is_left_alone(self):
        seed = int(os.environ.get("DROVER_SEED", "1"))
        chance = random.Random(seed)
        policy = {"Attempts": 10_000, "Delay": 0, "Interval": 3600 * 10**9, "Mode": "delay"}
        self.agent.submit(job(group(task("t", TASK, Env={"OUT": str(self.out)}, KillTimeout="100ms"),
                                    Count=TASKS, RestartPolicy=policy), id="many"))
        self.wait_running()
        turns = 0
        while self.recycled < RECYCLED:
            turns += 1
            down = turns % 2 == 1
            if down:
                self.kill_agent()
            ended = []
            for pids in chance.sample(sorted(self.reported().values()), chance.randint(1, TASKS - 1)):
                process, shim = pids[-1]
                # The supervisor ends with the task, or the task with its supervisor.
                self.machine.kill(shim if chance.random() < 0.5 else process)
                ended += [process, shim]
            if down:
                wait_until(lambda: not self.machine.others() & set(ended), "they are gone")
                self.recycle(ended)
                self.agent = self.start()
            else:
                self.recycled += len(self.machine.churn(100, KEPT))
            if chance.random() < 0.3:
                # Stops, kills and the cleanup reach only their targets.
                self.agent.must("PUT", f"/v1/client/allocation/"
                                f"{chance.choice(self.agent.allocs('many'))['ID']}/restart", {})
            self.wait_running()
            self.assertEqual(self.machine.foreign_signals(), "", f"seed {seed}, turn {turns}")
        self.agent.must("DELETE", "/v1/job/many", purge="true")
        wait_until(lambda: all(a["ClientStatus"] == "complete"
                               for a in self.agent.get("/v1/allocations")), "all ends")
        self.assertEqual(self.machine.foreign_signals(), "", f"seed {seed}")
        self.assertEqual(len(self.machine.strangers()), KEPT)
        self.assertGreater(self.taken, turns)
        print(f"seed {seed}: {self.recycled} strangers in {turns} turns, {self.taken} of them with "
              "the pid of a task or supervisor that had ended without its agent", flush=True)
        self.agent.must("PUT", "/v1/system/gc")
        self.machine.signal_agent(self.agent.run, signal.SIGINT)
        self.agent.run.wait()
        self.machine.cut()


if __name__ == "__main__":
    harness.main()
