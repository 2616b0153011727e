# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Without root: most things work, the others fail with the reason."""
import os
import pwd
import shutil
import subprocess
import unittest

import harness
from harness import DroverTest, binary, one, plugin_file, task


class UnprivilegedTest(DroverTest):
    @classmethod
    def setUpClass(cls):
        if not harness.IS_ROOT:
            raise unittest.SkipTest("the other tests of this user are these already")

    def setUp(self):
        super().setUp()
        root = self.sandbox.root
        # Copies, because the build may be in a directory that only root can enter.
        self.drover = shutil.copy(binary(), root / "drover")
        files = {name: shutil.copy(plugin_file(name), root) for name in ("raw_exec", "mock_driver")}
        self.config = self.sandbox.write_config(plugins={
            "raw_exec": {"file": files["raw_exec"], "config": {"enabled": True}},
            "mock_driver": {"file": files["mock_driver"]}})
        self.user = pwd.getpwnam("nobody")
        for path in (root, self.sandbox.tmp):
            os.chown(path, self.user.pw_uid, self.user.pw_gid)
        self.as_user = ["setpriv", f"--reuid={self.user.pw_uid}", f"--regid={self.user.pw_gid}",
                        "--clear-groups", "--no-new-privs", self.drover]

    def run_job(self, spec, *options, **how):
        return super().run_job(spec, *options, config=self.config, command=self.as_user, **how)

    def test_the_jobs_of_the_examples_run(self):
        job = shutil.copy(harness.ROOT / "examples/jobs/lifecycle.json", self.sandbox.root)
        run = self.run_job(job)
        self.assertEqual(run.statuses()[-1], ("complete", "All tasks have completed"))
        self.assertEqual(run.logs("sweep"), ["sweeping up"])

    def test_a_task_has_the_users_rights_and_its_directories(self):
        run = self.run_job(one(task(
            "t", "id -u; umask; echo x > $NOMAD_ALLOC_DIR/data/f; echo y > $NOMAD_TASK_DIR/f; "
                 "echo z > $NOMAD_SECRETS_DIR/f; stat -c %a $NOMAD_SECRETS_DIR; cat /etc/shadow")),
            code=1)
        out = run.logs("t", "stdout")
        self.assertEqual(out[0], str(self.user.pw_uid))
        self.assertEqual(out[-1], "700")
        self.assertIn("Permission denied", "".join(run.logs("t", "stderr")))

    def test_a_stop_reaches_every_descendant(self):
        run = self.sandbox.run(
            one(task("t", "setsid sleep 600 & (setsid sleep 600 &) ; echo up; exec sleep 600",
                     KillTimeout=200_000_000), type="service"),
            config=self.config, command=self.as_user)
        run.wait_log("t", "up")
        run.interrupt()
        self.assertEqual(run.wait(), 130, run.story())
        self.leftovers.clear(self, 2 * harness.SLACK)

    def test_another_user_is_refused_with_the_remedy(self):
        run = self.run_job(one(task("t", "true", User="root")), code=1)
        self.assertIn("root", run.event("t", "Driver Failure")["DisplayMessage"])

    def test_the_fingerprint_says_what_is_missing(self):
        done = subprocess.run([*map(str, self.as_user), "plugin", "list", "--config", self.config],
                              capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              env=self.sandbox.environment(), timeout=harness.LIMIT)
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("the agent is not root", done.stdout)


if __name__ == "__main__":
    harness.main()
