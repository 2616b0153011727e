# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The leftovers of a run that was killed together with its sweeper: the next run clears them away. Also the
leftovers of an agent that was killed while it cleared up."""
import contextlib
import os
import pathlib
import signal
import sqlite3
import unittest

import harness
from agent_harness import Agent
from hanging_disk import HangingDisk
from harness import SLACK, DroverTest, group, job, mock, one, task, wait_until

QUICK = one(mock("m", run_for="10ms"))


class LeftoverTest(DroverTest):
    def killed_run(self, *options, config=None, with_shims=True, task_config=None):
        """Kills a run of two tasks with SIGKILL, and on request also their shims. Then nobody is left to
        stop the processes of the tasks."""
        others = set(self.leftovers.shims())
        sweepers = set(self.leftovers.sweepers())
        of_task = task("t", "setsid sleep 600 & echo up; wait", KillTimeout="500ms")
        of_task["Config"].update(task_config or {})
        run = self.sandbox.run(one(of_task, Count=2), *options, config=config)
        run.wait_for(lambda r: r.logs("t").count("up") == 2, "2 tasks up")
        if with_shims:
            run.signal(signal.SIGSTOP)  # it would see them die and clear up
            shims = set(self.leftovers.shims()) - others
            self.assertEqual(len(shims), 2)
            for pid in shims:
                os.kill(pid, signal.SIGKILL)
        for pid in set(self.leftovers.sweepers()) - sweepers:
            os.kill(pid, signal.SIGKILL)
        run.signal(signal.SIGKILL)
        self.assertEqual(run.wait(), -signal.SIGKILL)
        return run

    def left(self, kind):
        return [text for text in self.leftovers.found() if text.startswith(kind)]

    def test_the_next_run_clears_everything(self):
        self.killed_run()
        self.assertGreaterEqual(len(self.left("process")), 2, "the test tests nothing")
        self.assertEqual(len(self.left("allocation")), 2)
        if harness.v2_root() is not None and harness.IS_ROOT:
            self.assertEqual(len(self.left("cgroup")), 2)
        run = self.run_job(QUICK)
        self.assertEqual(run.err, "")
        self.assertEqual(self.leftovers.found(), [])

    def test_what_is_below_a_cgroup_of_the_operator_is_found_there(self):
        root = harness.v2_root()
        if root is None or not harness.IS_ROOT:
            self.skipTest("it needs root and a version 2 cgroup hierarchy")
        given = root.parent / f"drover-e2e-given-{os.getpid()}"
        given.mkdir()
        self.addCleanup(given.rmdir)
        self.killed_run(task_config={"cgroup_v2_override": given.name})
        self.assertEqual(len([path for path in given.iterdir() if path.is_dir()]), 2)
        self.assertGreaterEqual(len(self.left("process")), 2, "the test tests nothing")
        self.run_job(QUICK)
        self.assertEqual(self.leftovers.found(), [])
        self.assertEqual([path for path in given.iterdir() if path.is_dir()], [])

    def test_directories_below_tmpdir_are_cleared_too(self):
        config = self.sandbox.write_config("tmp.json", client={"alloc_dir": None})
        self.killed_run(config=config, with_shims=False)
        self.leftovers.clear(self, 1 + 2 * SLACK, kept=True)
        self.assertEqual(len(list(self.sandbox.tmp.iterdir())), 1)
        self.run_job(QUICK, config=config)
        self.assertEqual(list(self.sandbox.tmp.iterdir()), [])

    def test_a_living_run_is_not_touched(self):
        living = self.sandbox.run(one(task("t", "echo up; exec sleep 60")))
        living.wait_log("t", "up")
        mine = set(self.left("allocation") + self.left("cgroup") + self.left("run file"))
        processes = set(self.leftovers.processes())
        self.killed_run()
        self.run_job(QUICK)
        self.assertEqual({text for text in self.leftovers.found()
                          if not text.startswith("process")}, mine)
        self.assertEqual(set(self.leftovers.processes()), processes)
        self.assertIsNone(living.event("t", "Terminated"), living.story())
        living.interrupt()
        self.assertEqual(living.wait(), 130, living.story())

    def test_many_runs_at_once_clear_it_once(self):
        self.killed_run()
        runs = [self.sandbox.run(self.sandbox.write(f"job{i}.json", QUICK)) for i in range(4)]
        for run in runs:
            self.assertEqual(run.wait(), 0, run.story())
            self.assertEqual(run.err, "")
        self.assertEqual(self.leftovers.found(), [])

    def test_what_was_to_be_kept_is_kept(self):
        self.killed_run("--keep")
        self.run_job(QUICK)
        self.leftovers.clear(self, 1 + SLACK, kept=True)
        allocations = self.leftovers.allocations()
        self.assertEqual(len(allocations), 2)
        for allocation in allocations:
            self.assertEqual((pathlib.Path(allocation) / "alloc/logs/t.stdout.0").read_text(), "up\n")
        self.leaves_allocations = True

    def test_commands_that_only_look_clear_nothing(self):
        self.killed_run()
        before = self.leftovers.found()
        done = self.sandbox.command("plugin", "list", "--config", self.sandbox.config_file)
        self.assertEqual(done.code, 0, done)
        job = self.sandbox.write("quick.json", QUICK)
        done = self.sandbox.command("validate", "--config", self.sandbox.config_file, job)
        self.assertEqual(done.code, 0, done)
        self.assertEqual(self.leftovers.found(), before)
        self.run_job(QUICK)

    def test_a_directory_that_cannot_be_removed_is_reported_and_tried_again(self):
        if not harness.IS_ROOT:
            self.skipTest("a directory that root itself cannot remove needs root to be made")
        self.killed_run(with_shims=False)
        self.leftovers.clear(self, 1 + 2 * SLACK, kept=True)
        allocation = pathlib.Path(self.leftovers.allocations()[0])
        os.system(f"chattr +i {allocation}/alloc/logs 2>/dev/null")
        try:
            os.rename(allocation / "alloc/logs/t.stdout.0", allocation / "alloc/logs/x")
        except PermissionError:
            pass
        else:
            self.run_job(QUICK)
            self.skipTest("this file system has no immutable directories")
        run = self.run_job(QUICK)
        self.assertIn("the leftovers of a killed run cannot be removed", run.err)
        self.assertEqual(self.leftovers.allocations(), [str(allocation)])
        os.system(f"chattr -i {allocation}/alloc/logs")
        self.run_job(QUICK)
        self.assertEqual(wait_until(lambda: not self.leftovers.found(), "everything gone"), True)

    @unittest.skipUnless(harness.IS_ROOT, "a disk that hangs needs root to be made")
    def test_no_start_waits_for_a_directory_that_cannot_be_removed_yet(self):
        self.killed_run(with_shims=False)
        self.leftovers.clear(self, 1 + 2 * SLACK, kept=True)
        disk = HangingDisk(self, self.leftovers.allocations()[0])
        run = self.sandbox.run(QUICK)
        run.wait_for(lambda r: r.event("m", "Terminated"), "the end of the task")
        self.assertIsNone(run.process.poll(), "the test tests nothing")
        disk.free()
        self.assertEqual(run.wait(), 0, run.story())
        self.run_job(QUICK)


@unittest.skipUnless(harness.IS_ROOT, "a disk that hangs needs root to be made")
class LeftoverOfAgentTest(DroverTest):
    def submit(self, agent, name):
        agent.submit(job(group(task("t", "true")), id=name, type="batch"))
        return agent.wait_allocs(name, 1, "complete")[0]["ID"]

    def test_no_start_waits_for_a_directory_that_an_agent_before_has_not_removed(self):
        self.sandbox.alloc_dirs[0].mkdir()
        agent = Agent(self.sandbox, dev=False)
        alloc_id = self.submit(agent, "first")
        agent.run.process.send_signal(signal.SIGKILL)
        agent.run.process.wait()
        # The state of an agent that died between the removals of the record and the directory.
        state = self.sandbox.root / "data/state/state.db"
        with contextlib.closing(sqlite3.connect(state)) as file, file:
            erased = file.execute("DELETE FROM record WHERE kind = 'placed' AND id = ?", (alloc_id,))
            self.assertEqual(erased.rowcount, 1)
        directory = self.sandbox.alloc_dirs[0] / alloc_id
        disk = HangingDisk(self, directory)
        agent = Agent(self.sandbox, dev=False)
        self.submit(agent, "second")
        disk.free()
        wait_until(lambda: not directory.exists() or "cannot be cleared away" in agent.run.err,
                   "the end of the removal")
        agent.stop()
        agent = Agent(self.sandbox, dev=False)
        wait_until(lambda: not directory.exists(), "the directory to be removed")
        for name in ("first", "second"):
            agent.must("DELETE", f"/v1/job/{name}", purge="true")
        wait_until(lambda: not agent.get("/v1/allocations") or agent.must("PUT", "/v1/system/gc"),
                   "all jobs to be forgotten")
        wait_until(lambda: not self.leftovers.allocations(), "all directories to be removed")
        agent.stop()


if __name__ == "__main__":
    harness.main()
