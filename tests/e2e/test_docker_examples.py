# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The jobs of examples/jobs/docker: each runs with each engine, and keeps what it promises."""
import json
import re
import unittest

import engines
import harness
from harness import ROOT, DroverTest
from test_docker import DockerCase
from test_hcl import HAS_HCL

JOBS = ROOT / "examples/jobs/docker"
FORM = ".nomad.hcl"

# What the tasks of the jobs that end by themselves write: the task, and a pattern of its whole output.
OUTPUTS = {
    "hello": {"hello": "hello from a container\n"},
    "arguments": {"print": "print of arguments\n"},
    "environment": {"print": "good morning team-a 0\n"},
    "volumes": {"main": "workers = 4\n"},
    "mounts": {"main": "written\n"},
    "named-volume": {"main": "kept\n"},
    "shared": {"read": "from the first task\n"},
    "sidecar": {"main": "the helper is there\n"},
    "leader": {"main": "the leader is done\n"},
    "lifecycle": {"sweep": "result\n"},
    "restart": {"main": "done\n"},
    "user": {"main": "1000\n"},
    "least": {"main": "few rights\n"},
    "limits": {"main": "128\n"},
    "sysctl": {"main": "4321\n"},
    "isolated": {"main": "lo\n"},
    "host-network": {"main": r"\S+\n"},
    "names": {"main": r"box\n(.*\n)*192\.0\.2\.7\s+db\.example\n(.*\n)*"},
    "work-dir": {"main": "/srv\n"},
    "init": {"main": "a terminal\r?\n"},
    "groups": {"main": "(one|two)\n"},
    "logging": {"main": "a line\n"},
}
# Those that go on: how many allocations they have.
RUNNING = {"web": 1, "service": 1, "tcp-check": 1, "labels": 1, "reload": 1, "graceful": 1, "count": 3, "joined": 1}
# Those that start others.
PARENTS = {"parameterized", "periodic"}


class DockerExampleFilesTest(DroverTest):
    def test_every_job_is_run_and_has_a_line_in_the_readme(self):
        names = {path.name.removesuffix(FORM) for path in JOBS.glob("*" + FORM)}
        self.assertEqual(names, {*OUTPUTS, *RUNNING, *PARENTS})
        self.assertGreaterEqual(len(names), 30)
        readme = (JOBS / "README.md").read_text()
        for name in names:
            self.assertIn(f"\n| [{name}]({name}{FORM}) | ", readme)

    @unittest.skipUnless(HAS_HCL, "this build has no drover-hcl")
    def test_all_are_laid_out(self):
        done = self.sandbox.command("fmt", "-check", *sorted(JOBS.glob("*" + FORM)))
        self.assertEqual((done.code, done.out), (0, ""), done)


class ExampleTests:
    """Runs the jobs; for each engine."""

    def start(self, name):
        self.wait_health(True)
        text = (JOBS / (name + FORM)).read_text()
        job_id = re.search(r'(?m)^job "([^"]+)"', text).group(1)
        self.cli("job", "run", "-detach", JOBS / (name + FORM))
        return job_id

    def forget(self, job_id):
        self.agent.must("DELETE", f"/v1/job/{job_id}", purge="true")
        harness.wait_until(lambda: not self.engine.containers(), f"the containers of {job_id} to go")

    def test_jobs_that_end(self):
        for name, outputs in OUTPUTS.items():
            with self.subTest(name):
                job_id = self.start(name)
                count = 2 if name == "groups" else 1
                allocs = self.agent.wait_allocs(job_id, count, "complete")
                for task, pattern in outputs.items():
                    for alloc in allocs:
                        self.assertRegex(self.logs(alloc, task), rf"\A{pattern}\Z")
                self.forget(job_id)

    def test_jobs_that_go_on(self):
        for name, count in RUNNING.items():
            with self.subTest(name):
                job_id = self.start(name)
                allocs = self.agent.wait_allocs(job_id, count, "running")
                whole = self.agent.get(f"/v1/allocation/{allocs[0]['ID']}")
                if name in ("web", "service", "tcp-check", "labels", "reload"):
                    self.assertEqual(self.page(whole), f"the page of {name}\n")
                if name == "labels":
                    one, = self.engine.tasks()
                    self.assertEqual(one["Config"]["Labels"]["traefik.enable"], "true")
                if name in ("service", "tcp-check"):
                    path = f"/v1/client/allocation/{allocs[0]['ID']}/checks"
                    self.agent.get_until(path, lambda reply: any(
                        check["Status"] == "success" for check in json.loads(reply.body).values()))
                if name == "joined":  # its allocation runs with the first of its tasks
                    self.agent.wait_tasks(
                        allocs[0]["ID"], lambda tasks: tasks.get("client", {}).get("State") == "running",
                        "the client to run")
                    harness.wait_until(lambda: self.logs(allocs[0], "client") == "from the neighbour\n",
                                       "the page of the neighbour")
                if name == "graceful":
                    self.agent.must("DELETE", f"/v1/job/{job_id}")
                    self.agent.wait_allocs(job_id, 1, "complete", desired="stop")
                    self.assertEqual(self.logs(allocs[0], "server"), "good bye\n")
                self.forget(job_id)

    def test_jobs_that_start_others(self):
        parent = self.start("parameterized")
        self.cli("job", "dispatch", "-meta", "user=ada", parent)
        child = self.agent.get("/v1/jobs", prefix=parent + "/")[0]["ID"]
        alloc, = self.agent.wait_allocs(child, 1, "complete")
        self.assertEqual(self.logs(alloc, "greet"), "hello, ada\n")
        timed = self.start("periodic")
        self.cli("job", "periodic", "force", timed)
        child = self.agent.get("/v1/jobs", prefix=timed + "/")[0]["ID"]
        alloc, = self.agent.wait_allocs(child, 1, "complete")
        self.assertEqual(self.logs(alloc, "report"), "a report\n")


@unittest.skipUnless(HAS_HCL, "this build has no drover-hcl")
@unittest.skipIf(engines.MISSING_DOCKERD, engines.MISSING_DOCKERD)
class DockerdExampleTest(ExampleTests, DockerCase):
    KIND = engines.Dockerd


@unittest.skipUnless(HAS_HCL, "this build has no drover-hcl")
@unittest.skipIf(engines.MISSING_PODMAN, engines.MISSING_PODMAN)
class PodmanExampleTest(ExampleTests, DockerCase):
    KIND = engines.Podman


if __name__ == "__main__":
    harness.main()
