# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Tasks that attack the agent through files that both can write to. The agent must not read, write or
remove anything outside the allocation, or leave anything behind."""
import os
import unittest

import harness
from harness import IS_ROOT, SLACK, DroverTest, one, task

CANARY = "the canary lives\n"


class HostileTest(DroverTest):
    def setUp(self):
        super().setUp()
        self.outside = self.sandbox.root / "outside"
        self.outside.mkdir()
        self.outside.chmod(0o755)
        for name in ("canary", "t.stdout.0", "t.stderr.0", "t.stdout.1"):
            (self.outside / name).write_text(CANARY)
        (self.outside / "inner").mkdir()
        (self.outside / "inner" / "canary").write_text(CANARY)

    def census(self):
        return {str(path.relative_to(self.outside)):
                (path.lstat().st_mode, path.lstat().st_uid,
                 path.read_text() if path.is_file() else None)
                for path in sorted(self.outside.rglob("*"))}

    def attack(self, script, *more, codes=(0, 1), options=(), **fields):
        """Runs SCRIPT as the task t, with $OUT as the directory that must not change."""
        before = self.census()
        mode = self.outside.stat().st_mode
        run = self.sandbox.run(one(task("t", script, Env={"OUT": str(self.outside)}, **fields),
                                   *more), *options)
        self.assertIn(run.wait(), codes, run.story())
        self.assertEqual(self.census(), before)
        self.assertEqual(self.outside.stat().st_mode, mode)
        self.leftovers.clear(self, 3 * SLACK)
        return run

    def test_local_as_a_link(self):
        self.attack("rmdir $NOMAD_TASK_DIR && ln -s $OUT $NOMAD_TASK_DIR")

    def test_log_directory_as_a_link(self):
        # 2.5 MB with files of 1 MB: the log is rotated after the swap.
        run = self.attack(
            "mv $NOMAD_ALLOC_DIR/logs $NOMAD_ALLOC_DIR/old; ln -s $OUT $NOMAD_ALLOC_DIR/logs; "
            "i=0; while [ $i -lt 2500 ]; do printf '%01023d\\n' $i; i=$((i+1)); done",
            LogConfig={"MaxFiles": 2, "MaxFileSizeMB": 1})
        self.assertFalse(any(CANARY.strip() in line for line in run.logs()))

    def test_log_files_as_links(self):
        run = self.attack(
            "echo first; sleep 0.2; cd $NOMAD_ALLOC_DIR/logs; rm -f t.*; "
            "for n in 0 1 2 3; do ln -s $OUT/canary t.stdout.$n; ln -s $OUT/canary t.stderr.$n; "
            "done; i=0; while [ $i -lt 2500 ]; do printf '%01023d\\n' $i; i=$((i+1)); done",
            LogConfig={"MaxFiles": 2, "MaxFileSizeMB": 1})
        self.assertFalse(any(CANARY.strip() in line for line in run.logs()))

    def test_log_file_as_a_fifo_or_a_device(self):
        self.attack("cd $NOMAD_ALLOC_DIR/logs; echo a; sleep 0.2; rm -f t.*; "
                    "mkfifo t.stdout.0 t.stdout.1 t.stdout.2 t.stderr.0; echo b; echo c >&2")

    def test_restart_meets_links_for_logs(self):
        run = self.attack(
            "echo again; cd $NOMAD_ALLOC_DIR; rm -rf logs; ln -s $OUT logs; exit 1", codes=(1,),
            RestartPolicy={"Attempts": 2, "Interval": "10m", "Delay": "10ms", "Mode": "fail"})
        self.assertFalse(any(CANARY.strip() in line for line in run.logs()))

    def test_restart_meets_a_link_for_the_task_directory(self):
        self.attack(
            "cd /; D=$NOMAD_ALLOC_DIR/../t; mv $D $D.old; ln -s $OUT $D; exit 1", codes=(1,),
            RestartPolicy={"Attempts": 1, "Interval": "10m", "Delay": "10ms", "Mode": "fail"})

    def test_directory_of_a_later_task_is_a_link_already(self):
        self.attack("ln -s $OUT $NOMAD_ALLOC_DIR/../later; true",
                    task("later", "echo got: $(ls $NOMAD_TASK_DIR)"),
                    Lifecycle={"Hook": "prestart"})

    def test_allocation_moved_away(self):
        self.attack("cd /; A=$(dirname $NOMAD_ALLOC_DIR); mv $A $A.moved 2>/dev/null; "
                    "ln -s $OUT $A 2>/dev/null; exit 0") if not IS_ROOT else self.skipTest(
            "a task of root can rename its allocation beyond the agent's knowledge")

    def test_deep_and_locked_trees_are_removed(self):
        self.attack("cd $NOMAD_TASK_DIR; i=0; while [ $i -lt 300 ]; do mkdir d && cd d || exit 1; "
                    "i=$((i+1)); done; touch $NOMAD_TASK_DIR/f; "
                    "mkdir $NOMAD_ALLOC_DIR/data/locked; touch $NOMAD_ALLOC_DIR/data/locked/f; "
                    "chmod 0 $NOMAD_ALLOC_DIR/data/locked")

    def test_names_that_look_like_options_or_lines(self):
        self.attack("cd $NOMAD_ALLOC_DIR/data; touch -- '-rf' '*' \"$(printf 'a\\nb')\" "
                    "\"$(printf '\\377')\"")

    @unittest.skipUnless(IS_ROOT, "mounting needs root")
    def test_mounts_of_a_task_are_taken_off_not_entered(self):
        self.attack("mkdir $NOMAD_ALLOC_DIR/data/m && "
                    "mount --bind $OUT $NOMAD_ALLOC_DIR/data/m && "
                    "mount --bind $OUT $NOMAD_SECRETS_DIR", codes=(0, 1))

    def test_flood_of_lines_on_both_streams_until_it_is_stopped(self):
        run = self.sandbox.run(one(task("t", "yes out & yes err >&2 & wait", KillTimeout="1s"),
                                   type="service"), "--no-logs")
        run.wait_event("t", "Started")
        run.wait_for(lambda r: r.of_type("Usage"), "a first sample")
        run.interrupt()
        self.assertEqual(run.wait(20), 130, run.story())

    @unittest.skipUnless(IS_ROOT, "other users need root")
    def test_logs_are_not_for_tasks_of_other_users(self):
        # The task prints each action that works. Beside the logs, all of them do.
        attack = (
            "cd $NOMAD_ALLOC_DIR; try() { \"$@\" 2>/dev/null && echo $1; }; "
            "while [ ! -s logs/victim.stdout.0 ]; do sleep 0.02; done; "
            "mkdir -p own; touch own/victim.stdout.0; cd $DIRECTORY; try touch mine; "
            "try rm -f victim.stdout.0; try ln -s $OUT link; try chmod 777 .; cd ..; "
            "try mv $DIRECTORY old")
        victim = task("victim", "echo here; exec sleep 1000")
        for user in ("nobody", "daemon"):
            for directory, done in (("own", ["touch", "rm", "ln", "chmod", "mv"]), ("logs", [])):
                with self.subTest(user=user, directory=directory):
                    run = self.sandbox.run(
                        one(task("t", attack, User=user, Leader=True,
                                 Env={"OUT": str(self.outside), "DIRECTORY": directory}), victim))
                    self.assertIn(run.wait(), (0, 1), run.story())
                    self.assertEqual(run.logs("t"), done)
                    self.assertEqual(run.logs("victim"), ["here"])

    def test_environment_and_memory_of_the_agent_are_not_for_tasks_of_others(self):
        if not IS_ROOT:
            self.skipTest("another user needs root")
        run = self.attack("cat /proc/$PPID/environ; ls /proc/$PPID/fd; ls " +
                          str(self.sandbox.run_dir), User="nobody", codes=(0, 1))
        self.assertEqual(run.logs("t", "stdout"), [])

    def test_task_cannot_reach_the_sockets_of_shims(self):
        if not IS_ROOT:
            self.skipTest("another user needs root")
        script = self.sandbox.write("connect.py", (
            "import os, socket, sys\n"
            "for name in sys.argv[1:]:\n"
            "  s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)\n"
            "  try: s.connect(name); print('connected')\n"
            "  except OSError as e: print(type(e).__name__)\n"))
        victim = task("victim", "exec sleep 1.5")
        attacker = task("attacker", f"sleep 0.3; python3 {script} {self.sandbox.run_dir}/*",
                        User="nobody")
        run = self.run_job(one(victim, attacker))
        self.assertNotIn("connected", run.logs("attacker"))
        self.assertIn("PermissionError", run.logs("attacker"))


if __name__ == "__main__":
    harness.main()
