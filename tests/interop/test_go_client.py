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

    @classmethod
    def setUpClass(cls):
        cls.rows = read_rows(FIELDS_PAGE.read_text())
        cls.fields = [line.split(" ") for line in
                      subprocess.run([os.environ["DROVER_GO_CLIENT"], "fields"], check=True,
                                     capture_output=True, text=True, timeout=60).stdout.splitlines()]

    def test_every_field_is_in_the_table(self):
        self.assertGreater(len(self.fields), 800)
        self.assertEqual([f for f, _ in self.fields if not is_covered(f, self.rows)], [])

    def test_every_field_has_its_name_of_job_files(self):
        other = {pointer: (name, self.rows[pointer][0]) for pointer, name in self.fields
                 if name != "-" and pointer in self.rows and self.rows[pointer][0] != name}
        # A policy of a task is named by the label of its block, which is no field.
        self.assertEqual(other, {"/TaskGroups/*/Tasks/*/ScalingPolicies/*/Type": ("type", "label")})

    def test_a_field_that_is_new_would_be_seen(self):
        rows = read_rows("| `a {}` | `A` | object | done | |\nPlaces: `/A` (refused), `/D/*` (done)\n"
                         "| `b` | `B` | any | refused | x |\n|  | `C` | text | inert | |\n")
        self.assertEqual(rows["/D/*/B"], ("b", "any"))
        self.assertTrue(is_covered("/A/B/x", rows))
        self.assertTrue(is_covered("/A/C/*", rows))
        self.assertFalse(is_covered("/A/New", rows))
        self.assertFalse(is_covered("/New", rows))


def read_rows(page):
    """The name in HCL and the type of each field of the page, by its JSON pointer."""
    rows, places = {}, [""]
    for line in page.splitlines():
        if line.startswith("Places: "):
            places = re.findall(r"`(/[^`]*)`", line)
        row = re.match(r"\| (?:`([\w]+)[^`]*`|(label))? ?\| `(\w+)` \| ([^|]*) \|", line)
        if row:
            for place in places:
                rows[f"{place}/{row[3]}"] = (row[1] or row[2] or "", row[4])
    return rows


def is_covered(field, rows):
    """A row names the field, or it lies below one with members of any name."""
    while field.endswith("/*"):
        field = field.removesuffix("/*")
    if field in rows:
        return True
    above = field.rpartition("/")[0]
    while above and above not in rows:
        above = above.rpartition("/")[0]
    return above != "" and rows[above][1] in ("any", "any object", "map of texts")


if __name__ == "__main__":
    why_not = build(os.environ["DROVER_GO_CLIENT"])
    if why_not:
        print("SKIP:", why_not)
        sys.exit(SKIPPED)
    harness.main()
