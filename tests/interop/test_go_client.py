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
FIELDS_PAGE = SOURCE.parents[2] / "docs" / "job-fields.md"
SKIPPED = 77  # the exit code by which ctest knows a skipped test


def build(program):
    """Builds the client, or returns the reason why that is impossible."""
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


class JobFieldsTest(unittest.TestCase):
    """docs/job-fields.md must have every field that a job of this client can have."""

    def test_every_field_is_in_the_table(self):
        rows = {}
        for line in FIELDS_PAGE.read_text().splitlines():
            row = re.match(r"\| `(/[^`]*)` \| ([^|]*) \| (\w+) \|", line)
            if row:
                rows[row[1]] = (row[2], row[3])
        fields = subprocess.run([os.environ["DROVER_GO_CLIENT"], "fields"], check=True,
                                capture_output=True, text=True, timeout=60).stdout.split()
        self.assertGreater(len(fields), 800)
        self.assertEqual([f for f in fields if not is_covered(f, rows)], [])

    def test_a_field_that_is_new_would_be_seen(self):
        rows = {"/A": ("object", "done"), "/A/B": ("any", "refused"), "/C": ("text", "inert")}
        self.assertTrue(is_covered("/A/B/x", rows))
        self.assertFalse(is_covered("/A/New", rows))
        self.assertFalse(is_covered("/New", rows))


def is_covered(field, rows):
    """A row names the field, or the nearest row above it accepts or refuses all fields below."""
    if field in rows or field.endswith("/*"):
        return True
    above = field
    while above not in rows:
        above = above.rpartition("/")[0]
        if not above:
            return False
    kind, state = rows[above]
    return kind == "any" or kind.startswith("map") or state != "done"


if __name__ == "__main__":
    why_not = build(os.environ["DROVER_GO_CLIENT"])
    if why_not:
        print("SKIP:", why_not)
        sys.exit(SKIPPED)
    harness.main()
