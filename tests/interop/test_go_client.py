# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The agent, driven by the Go client of Nomad: see go/main.go."""
import concurrent.futures
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import unittest

import harness
import job_texts
from agent_harness import Agent, AgentTest, agent_config

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


class GoAccessTest(harness.DroverTest):
    def test_tokens_policies_and_roles(self):
        self.sandbox.alloc_dirs[0].mkdir()
        agent = Agent(self.sandbox, config=agent_config(self.sandbox, acl={"enabled": True}))
        done = subprocess.run([os.environ["DROVER_GO_CLIENT"], "access", agent.url], timeout=120,
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, "all calls have been made\n"),
                         done.stderr + agent.run.story())
        agent.stop()


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


class JobTextsTest(AgentTest):
    """What an agent makes of a text in HCL, this client reads as it was written."""

    def setUp(self):
        super().setUp()
        if self.agent.ask("PUT", "/v1/jobs/parse", {"JobHCL": "job \"a\" {}"}).status == 501:
            self.skipTest("this build has no drover-hcl")

    def test_texts_by_chance(self):
        seed = int(os.environ.get("DROVER_SEED", "0")) or random.randrange(1, 10**9)
        maker = job_texts.Maker(FIELDS_PAGE.read_text(), seed)
        made = [maker.job() for _ in range(2000)]

        def parse(text):
            reply = self.agent.ask("PUT", "/v1/jobs/parse", {"JobHCL": text})
            self.assertEqual(reply.status, 200, f"{reply.body}, seed {seed}:\n{text}")
            return reply.body.decode()
        with concurrent.futures.ThreadPoolExecutor(4) as threads:
            parsed = list(threads.map(parse, [text for text, _ in made]))
        read = subprocess.run([os.environ["DROVER_GO_CLIENT"], "jobs"], input="\n".join(parsed),
                              capture_output=True, text=True, timeout=100)
        self.assertEqual(read.returncode, 0, f"seed {seed}: {read.stderr}")
        jobs = [json.loads(line) for line in read.stdout.splitlines()]
        self.assertEqual(len(jobs), len(made))
        for (text, wanted), job in zip(made, jobs):
            other = job_texts.missing(job_texts.normal(wanted), job)
            self.assertEqual(other, [], f"seed {seed}:\n{text}")


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
