# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The agent dies before and after each durable step of tasks with several processes, and of tasks that an engine
starts in a place of the host. In each case the task has its life, once, and no process, cgroup, container or note
is left."""
import contextlib
import os
import signal
import unittest

import engines
import harness
from engines import EngineCase
from harness import plugin_file, task
from test_docker import container
from test_slow_drivers import testdata
from test_steps import KILLS, STAY, StepCase, Steps

# Notes its process, and ends only by force.
BESIDE = """
trap '' INT TERM HUP
echo $$ >> "$PIDS"
while :; do sleep 1000; done
"""


class OwnSteps(Steps):
    """The tests of a life, which dies both before and after the steps that no other life has."""

    OWN = ()

    def check_all(self, check, ways):
        for index, point in enumerate(self.points()):
            both = harness.LONG or (point[0] in self.OWN and ways is KILLS)
            for way in ways if both else [ways[index % 2]]:
                check(point, way)


@unittest.skipUnless(harness.IS_ROOT, "cgroups need root")
class CompanionStepTest(OwnSteps, StepCase):
    """A task with a second process, which the example driver starts first and the host ends with the task."""

    STEPS = {"ledger_add": 1, "ledger_remove": 1, "commit": (6, 60), "sync": (2, 16), "make_alloc_dir": 1,
             "make_task_dir": 1, "mount_secrets": 1, "drop_secrets": 1, "remove_alloc_dir": 1, "make_cgroup": 2,
             "launch_shim": 2, "remove_cgroup": 2, "forget_end": 2, "name_process": 1, "forget_names": 1}
    OWN = ("name_process", "launch_shim", "make_cgroup", "forget_names")
    LINES = ["ready", "stop"]

    def config(self):
        return {"plugins": {"companion": {"file": str(harness.build_dir() / "examples/companion.so")}}}

    def living(self):
        return [pid for pid in self.companions if not harness.is_gone(pid)]

    @property
    def companions(self):
        """The second processes that have been started in this life."""
        return [int(pid) for pid in self.pids.read_text().split()]

    def live(self, name, fault=None):
        out, self.pids = (self.sandbox.root / f"{name}.{kind}" for kind in ("out", "pids"))
        out.touch()
        self.pids.touch()
        self.arm(fault)
        self.register(name, task("t", driver="companion", Env={"OUT": str(out), "PIDS": str(self.pids)},
                                 config={"command": ["/bin/sh", "-c", STAY], "companion": ["/bin/sh", "-c", BESIDE]}))
        if self.wait_up(name, out.read_text):
            harness.wait_until(lambda: len(self.living()) == 1, f"one companion, {self.fault_text()}")
        allocs = self.end(name)
        self.forget(name)
        self.assertEqual(self.living(), [], self.fault_text())
        return allocs, out.read_text().split()

    def assert_lived(self, allocs, lines):
        self.assertEqual(lines, self.LINES)
        self.assertEqual([a["ClientStatus"] for a in allocs], self.STATUS)
        # If the agent dies between the starts of the two processes, the start is done anew and is no restart.
        self.assertEqual([a["TaskStates"]["t"]["Restarts"] for a in allocs], [0], self.fault_text())
        self.assertLessEqual(len(self.companions), 2)


class PlacedCase(StepCase):
    """A task in a place of the host. It writes its lines to the file OUT, which lines() reads."""

    LINES = ["ready", "stop"]
    OWN = ("make_place",)

    def placed(self):
        """The processes in the places of this test."""
        found = []
        for path in self.leftovers.own_cgroups():
            for directory, _, _ in os.walk(path):
                found += harness.cgroup_processes(directory) or []
        return found

    def make_task(self, name):
        raise NotImplementedError

    def lines(self, name):
        raise NotImplementedError

    def live(self, name, fault=None):
        self.arm(fault)
        self.register(name, self.make_task(name))
        if self.wait_up(name, lambda: self.lines(name)):
            harness.wait_until(self.placed, f"the task in its place, {self.fault_text()}")
        allocs = self.end(name)
        said = self.lines(name).split()
        self.forget(name)
        return allocs, said


@unittest.skipUnless(harness.IS_ROOT, "cgroups need root")
class PlaceStepTest(OwnSteps, PlacedCase):
    """A driver that is its own engine, and removes the place before the host does: tests/fault_drivers/placing.cc."""

    STEPS = {"ledger_add": 1, "ledger_remove": 1, "commit": (6, 60), "sync": (2, 16), "make_alloc_dir": 1,
             "make_task_dir": 1, "mount_secrets": 1, "drop_secrets": 1, "remove_alloc_dir": 1, "make_place": 1,
             "remove_place": 1, "remove_cgroup": 1, "forget_end": 1}
    OWN = ("make_place", "remove_place", "remove_cgroup")

    def config(self):
        return {"plugins": {"placing": {"file": str(testdata("placing"))}}}

    def make_task(self, name):
        out = self.sandbox.root / f"{name}.out"
        out.touch()
        return task("t", driver="placing", Env={"OUT": str(out)}, config={"script": STAY})

    def lines(self, name):
        return (self.sandbox.root / f"{name}.out").read_text()


@unittest.skipIf(engines.MISSING_DOCKERD, engines.MISSING_DOCKERD)
class DockerStepTest(OwnSteps, PlacedCase, EngineCase):
    """A container below a place. In the short form, only the steps of its place and its output get a fault."""

    KIND = engines.Dockerd
    STEPS = {"ledger_add": 1, "ledger_remove": 1, "commit": (6, 80), "sync": (2, 24), "make_alloc_dir": 1,
             "make_task_dir": 1, "mount_secrets": 1, "drop_secrets": 1, "remove_alloc_dir": 1, "make_place": 1,
             "launch_shim": 1, "remove_cgroup": 1, "forget_end": 1}
    OWN = ("make_place", "launch_shim", "remove_cgroup")
    SHORT = ("make_place", "launch_shim", "remove_cgroup", "forget_end")

    def setUp(self):
        super().setUp()
        self.addCleanup(self.remove_containers)

    def remove_containers(self):
        with contextlib.suppress(OSError):
            self.engine.remove_containers()

    def config(self):
        config = {"endpoint": self.engine.endpoint, "gc": {"image": False}}
        return {"plugins": {"docker": {"file": str(plugin_file("docker")), "config": config,
                                       "isolation": "process"}}}

    def points(self):
        return [point for point in super().points() if harness.LONG or point[0] in self.SHORT]

    def make_task(self, name):
        return container("t", STAY, Env={"OUT": "/alloc/data/out"})

    def lines(self, name):
        found = sorted(self.sandbox.alloc_dirs[0].glob("*/alloc/data/out"))
        return found[0].read_text() if found else ""

    def live(self, name, fault=None):
        allocs, lines = super().live(name, fault)

        def clean():
            self.revive()
            return not self.engine.containers()
        harness.wait_until(clean, f"no container, {self.fault_text()}")
        return allocs, lines

    def test_the_agent_dies_with_a_container_that_runs(self):
        """The next agent finds the container in its place, and ends it with the job."""
        self.arm(None)
        self.register("lives", self.make_task("lives"))
        self.assertTrue(self.wait_up("lives", lambda: self.lines("lives")))
        before = harness.wait_until(self.placed, "the task in its place")
        self.agent.run.process.send_signal(signal.SIGKILL)
        self.agent.run.process.wait()
        self.revive()
        self.assertTrue(self.wait_up("lives", lambda: self.lines("lives")))
        self.assertTrue(set(self.placed()) & set(before), "another container")
        allocs = self.end("lives")
        self.assert_lived(allocs, self.lines("lives").split())
        self.forget("lives")


if __name__ == "__main__":
    harness.main()
