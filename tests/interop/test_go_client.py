# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The agent, driven by the Go client of Nomad: see go/main.go."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import harness
from agent_harness import AgentTest

SOURCE = pathlib.Path(__file__).resolve().parent / "go"
SKIPPED = 77  # the exit code by which ctest knows a skipped test


def build(program):
    """Builds the client, or returns why that cannot be."""
    go = shutil.which("go")
    if go is None:
        return "there is no go in PATH"
    wanted = re.search(r"^go (\d+)\.(\d+)", (SOURCE / "go.mod").read_text(), re.M)
    have = re.search(r"go(\d+)\.(\d+)", subprocess.run([go, "version"], capture_output=True,
                                                       text=True, check=True).stdout)
    if tuple(map(int, have.groups())) < tuple(map(int, wanted.groups())):
        return f"{have.group(0)} is older than go.mod wants: {wanted.group(0)}"
    modules = subprocess.run([go, "mod", "download"], cwd=SOURCE, capture_output=True, text=True,
                             timeout=200)
    if modules.returncode != 0:
        return "its modules cannot be had: " + modules.stderr[-500:]
    subprocess.run([go, "build", "-mod=readonly", "-o", program, "."], cwd=SOURCE, check=True,
                   timeout=250)
    return None


class GoClientTest(AgentTest):
    def test_every_call(self):
        done = subprocess.run([os.environ["DROVER_GO_CLIENT"], self.agent.url], timeout=120,
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, "all calls have been made\n"),
                         done.stderr + self.agent.run.story())


if __name__ == "__main__":
    why_not = build(os.environ["DROVER_GO_CLIENT"])
    if why_not:
        print("SKIP:", why_not)
        sys.exit(SKIPPED)
    harness.main()
