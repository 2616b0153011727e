# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""These tests drive the installation, whose agent needs nothing else."""
import json
import os
import pathlib
import subprocess

import harness
from agent_harness import Agent, AgentTest
from harness import group, job, task


class InstalledAgentTest(AgentTest):
    def setUp(self):
        super().setUp()
        self.installed = pathlib.Path(os.environ["DROVER_INSTALL_DIR"]).resolve()

    def executable(self):
        return pathlib.Path(os.readlink(f"/proc/{self.agent.run.pid}/exe"))

    def loaded_drivers(self):
        """The files of the drivers that the agent has loaded."""
        return {each["File"] for each in self.agent.get("/v1/agent/plugins") if each["Loaded"]}

    def installed_drivers(self, *names):
        return {str(self.installed / "lib/drover/plugins" / f"{name}.so") for name in names}

    def test_the_agent_of_these_tests_is_the_installed_one(self):
        self.assertEqual(self.executable(), self.installed / "bin/drover")
        self.assertEqual(self.loaded_drivers(), self.installed_drivers("raw_exec", "mock_driver"))

    def test_without_a_configuration_it_has_its_drivers_and_runs_a_job(self):
        self.agent.stop()
        self.agent = Agent(self.sandbox, "--data-dir", self.sandbox.root / "bare", config=False)
        self.assertEqual(self.executable(), self.installed / "bin/drover")
        self.assertEqual(self.loaded_drivers(),
                         self.installed_drivers("docker", "exec", "raw_exec", "mock_driver"))
        shown = self.sandbox.command("plugin", "list", "--address", self.agent.url, "--json")
        self.assertEqual(shown.code, 0, shown)
        # The health of docker is that of an engine of this machine.
        self.assertEqual({plugin["Name"]: plugin["Health"] == "healthy"
                          for plugin in json.loads(shown.out) if plugin["Name"] != "docker"},
                         {"exec": harness.IS_ROOT, "raw_exec": True, "mock_driver": True})
        self.agent.submit(job(group(task("t", "exit 0"), name="g"), id="j"))
        self.agent.wait_allocs("j", 1, "complete")

    def test_the_test_host_of_the_sdk_starts(self):
        shown = subprocess.run([self.installed / "bin/drover-testhost", "--help"],
                                      capture_output=True, text=True, timeout=harness.LIMIT)
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))


if __name__ == "__main__":
    harness.main()
