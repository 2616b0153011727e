# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The machine loses its power and boots again. All tasks are gone, with their mounts, cgroups, sockets and
supervisors, and other processes have their pids. Each task that is still wanted starts again, once."""
import os
import pathlib
import random
import signal
import time
import unittest

import harness
from agent_harness import Agent, agent_config
from harness import DroverTest, group, job, task, wait_until
from small_machine import SmallMachine

CYCLES = 100 if harness.LONG else 2
STRANGERS = 150
# Each line begins with its boot.
NOTE = 'echo "$(cat /proc/sys/kernel/random/boot_id) {} $(readlink /proc/self/ns/net) ' \
       '$(stat -f -c %T $NOMAD_SECRETS_DIR)" >> "$OUT.$NOMAD_TASK_NAME"; '
STAYS = NOTE.format("start") + "exec sleep 1000"
SECRET = 'test ! -e $NOMAD_SECRETS_DIR/key || echo "$(cat /proc/sys/kernel/random/boot_id) kept" ' \
         '>> "$OUT.$NOMAD_TASK_NAME"; touch $NOMAD_SECRETS_DIR/key; '
ONCE = NOTE.format("start") + "echo made > $NOMAD_ALLOC_DIR/data/made"


@unittest.skipUnless(harness.IS_ROOT, "pid and mount namespaces need root")
class RebootTest(DroverTest):
    def setUp(self):
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()
        self.out = self.sandbox.root / "out"
        self.out.mkdir(mode=0o777)
        self.out.chmod(0o777)
        self.sandbox.config_file = agent_config(self.sandbox, plugins={
            "raw_exec": {"file": str(harness.plugin_file("raw_exec")), "config": {"enabled": True}},
            "exec": {"file": str(harness.plugin_file("exec"))}})
        self.boots = []
        self.boot()
        self.agent = self.start()

    def tearDown(self):
        try:
            if not self._outcome_failed():
                for each in self.agent.get("/v1/jobs"):
                    self.agent.must("DELETE", f"/v1/job/{each['ID']}", purge="true",
                                    no_shutdown_delay="true")
                wait_until(lambda: all(a["ClientStatus"] not in ("pending", "running")
                                       for a in self.agent.get("/v1/allocations")), "all ends")
                self.agent.must("PUT", "/v1/system/gc")
                self.machine.signal_agent(self.agent.run, signal.SIGINT)
                self.agent.run.wait()
                self.machine.cut()
        finally:
            self.machine.off()
            super().tearDown()

    def boot(self):
        self.machine = SmallMachine(self.sandbox)
        self.addCleanup(self.machine.off)
        self.boots.append(self.machine.boot_id)
        self.machine.churn(STRANGERS, STRANGERS)

    def start(self):
        return Agent(self.sandbox, config=self.sandbox.config_file, dev=False,
                     command=self.machine.command)

    def reboot(self):
        self.assertEqual(self.machine.foreign_signals(), "")
        self.machine.cut()
        self.boot()

    def submit(self, name, *tasks, type="service", status="running", **fields):
        env = {"OUT": f"{self.out}/{name}"}
        self.agent.submit(job(group(*({**t, "Env": env} for t in tasks), **fields), id=name,
                              type=type))
        return self.agent.wait_allocs(name, 1, status)[0]["ID"]

    def notes(self, name, word="start"):
        """The notes of a task, by boot: (network namespace, file system of its secrets)."""
        path = self.out / name
        lines = [line.split() for line in path.read_text().splitlines()] if path.exists() else []
        found = {}
        for boot, *rest in lines:
            if rest[0] == word:
                found.setdefault(boot, []).append(tuple(rest[1:]))
        return found

    def wait_notes(self, name, boot=-1):
        return wait_until(lambda: self.notes(name).get(self.boots[boot]), f"{name} has started")

    def state(self, job_id, name):
        return self.agent.allocs(job_id)[0]["TaskStates"].get(name, {"Restarts": 0, "Events": []})

    def test_what_is_wanted_is_made_again_once(self):
        hook = {"Lifecycle": {"Hook": "prestart"}}
        alloc = self.submit("web", task("init", ONCE, **hook),
                            task("side", STAYS, Lifecycle={"Hook": "prestart", "Sidecar": True}),
                            task("main", "test -e $NOMAD_ALLOC_DIR/data/made || exit 3; " + SECRET + STAYS),
                            task("after", NOTE.format("start"), Lifecycle={"Hook": "poststop"}))
        self.submit("inside", task("main", driver="exec", config={
            "command": "/bin/sh", "args": ["-c", "test ! -e /secrets/key || exit 3; touch /secrets/key; "
                                           "echo start >> /alloc/data/inside; exec sleep 1000"]}))
        self.submit("alone", task("a", STAYS), task("b", STAYS), Networks=[{"Mode": "none"}])
        self.submit("batch", task("main", STAYS), type="batch")
        for name, code, status in (("over", 0, "complete"), ("broken", 5, "failed")):
            self.submit(name, task("main", NOTE.format("start") + f"exit {code}"), type="batch",
                        status=status)
        over = {name: self.state(name, "main") for name in ("over", "broken")}
        self.submit("later", task("main", NOTE.format("start") + "exit 1"), RestartPolicy={
            "Attempts": 3, "Delay": "1h", "Interval": "24h", "Mode": "delay"}, status="pending")
        wait_until(lambda: self.state("later", "main")["Restarts"] == 1, "it waits to be restarted")
        self.submit("ends", task("main", "trap '' INT TERM; " + STAYS, ShutdownDelay="1h"),
                    task("after", NOTE.format("start"), Lifecycle={"Hook": "poststop"}),
                    Networks=[{"Mode": "none"}])
        self.wait_notes("ends.main")
        self.agent.must("DELETE", "/v1/job/ends")
        wait_until(lambda: "Waiting for shutdown delay" in str(self.state("ends", "main")["Events"]),
                   "its stop has begun")
        tasks = ("web.side", "web.main", "alone.a", "alone.b", "batch.main")
        for name in tasks:
            self.wait_notes(name)

        for turn in range(2):
            self.reboot()
            self.agent = self.start()
            with self.subTest(turn):
                for name in tasks:
                    self.wait_notes(name)
                self.look_after_boot(alloc, turn, over)

    def look_after_boot(self, alloc, turn, over):
        boots = self.boots
        # Tasks that ended in an earlier life do not begin again.
        for name in ("web.init", "over.main", "broken.main", "later.main"):
            self.assertEqual(list(self.notes(name)), boots[:1], name)
        self.assertEqual(self.notes("web.after"), {})
        for name, state in over.items():
            self.assertEqual(self.state(name, "main"), state, name)
        self.assertEqual(self.state("later", "main")["State"], "pending")
        # Its stop had begun, and no process is left to stop.
        self.agent.wait_allocs("ends", 1, "complete", desired="stop")
        self.assertEqual(list(self.notes("ends.main")), boots[:1])
        # Its poststop task runs once, in a network like the old one.
        after = self.notes("ends.after")
        self.assertEqual(list(after), boots[1:2])
        self.assertNotIn(after[boots[1]][0][0], (None, os.readlink("/proc/self/ns/net")))
        # The agent reports the tasks that ran.
        self.assertEqual(self.agent.wait_allocs("web", 1, "running")[0]["ID"], alloc)
        self.agent.wait_restarts(alloc, main=0)
        state = self.state("web", "main")
        self.assertEqual([e["Type"] for e in state["Events"]],
                         ["Received", "Task Setup", "Started"] +
                         ["Failed Restoring Task", "Started"] * (turn + 1))
        # Directories in memory are made again, and are empty.
        self.assertEqual(self.notes("web.main")[boots[-1]][0][1], "tmpfs")
        self.assertEqual(self.notes("web.main", "kept"), {})
        inside = next(self.sandbox.alloc_dirs[0].glob("*/alloc/data/inside"))
        wait_until(lambda: inside.read_text().count("start") == turn + 2, "the task of exec runs")
        a, b = (self.notes(f"alone.{name}")[boots[-1]][0][0] for name in "ab")
        self.assertEqual(a, b)
        self.assertNotIn(os.readlink("/proc/self/ns/net"), (a, b))
        self.assert_once()

    def assert_once(self):
        """Checks that no task has begun twice in one boot, and that no stranger got a signal."""
        for path in self.out.iterdir():
            for boot, starts in self.notes(path.name).items():
                self.assertEqual(len(starts), 1, f"{path.name}: {path.read_text()}")
        self.assertEqual(self.machine.foreign_signals(), "")
        self.assertEqual(len(self.machine.strangers()), STRANGERS)

    def test_the_power_is_cut_at_random_moments(self):
        """Cuts also happen while an agent starts and takes over the tasks of an earlier boot."""
        seed = int(os.environ.get("DROVER_SEED", "1"))
        chance = random.Random(seed)
        wanted = []
        for turn in range(CYCLES):
            name = f"job-{turn}"
            self.submit(name, task("main", STAYS), status="running")
            wanted.append(name)
            if len(wanted) > 10:
                self.agent.must("DELETE", f"/v1/job/{wanted.pop(0)}")
            time.sleep(chance.random() * 0.2)
            self.reboot()
            if chance.random() < 0.5:
                self.sandbox.runs.append(harness.Run(
                    self.sandbox, ["agent", "--config", self.sandbox.config_file, "--port", "0"],
                    json_lines=False, command=self.machine.command))
                time.sleep(chance.random() * 0.5)
                self.reboot()
            self.agent = self.start()
            for name in wanted:
                self.agent.wait_allocs(name, 1, "running")
                self.wait_notes(f"{name}.main")
            self.assert_once()
        for name in (f"job-{turn}" for turn in range(CYCLES)):
            if name not in wanted:
                self.assertNotIn(self.boots[-1], self.notes(f"{name}.main"), f"seed {seed}, {name}")


if __name__ == "__main__":
    harness.main()
