# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""How the driver docker shows who it is: to an engine by certificates, to a registry by a helper."""
import json
import os
import shutil
import subprocess
import time
import unittest

import engines
import harness
from harness import SLACK, group, job
from test_docker import FOREVER, DockerCase, container


class TlsDockerd(engines.Dockerd):
    """Listens on a port of this machine, too, and takes there only clients whom its authority has signed."""

    def prepare(self):
        super().prepare()
        self.port = engines.free_port()
        self.certificates = self.root / "certificates"
        self.certificates.mkdir()
        self.issue("authority", "DNS:authority.example")
        self.issue("engine", "IP:127.0.0.1", signer="authority")
        self.issue("client", "DNS:client.example", signer="authority")
        self.issue("stranger", "DNS:stranger.example")

    def issue(self, name, host, signer=None):
        """Makes a certificate for HOST. Without a SIGNER it signs itself."""
        path = str(self.certificates / name)
        options = ["-CA", f"{self.certificates / signer}.pem",
                   "-CAkey", f"{self.certificates / signer}.key"] if signer else []
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                        "-nodes", "-days", "2", "-subj", "/CN=" + name, "-addext", "subjectAltName=" + host,
                        *options, "-keyout", path + ".key", "-out", path + ".pem"],
                       check=True, capture_output=True, stdin=subprocess.DEVNULL)

    def command(self):
        return [*super().command(), "--host", f"tcp://127.0.0.1:{self.port}", "--tlsverify",
                "--tlscacert", self.certificates / "authority.pem",
                "--tlscert", self.certificates / "engine.pem", "--tlskey", self.certificates / "engine.key"]


@unittest.skipIf(engines.MISSING_DOCKERD, engines.MISSING_DOCKERD)
@unittest.skipUnless(shutil.which("openssl"), "there is no openssl in PATH")
class DockerTlsTest(DockerCase):
    """The agent reaches dockerd on its port only, by certificates that the configuration names."""

    KIND = TlsDockerd
    host = "127.0.0.1"

    def endpoint(self):
        return f"tcp://{self.host}:{self.engine.port}"

    def start_agent(self, ca="authority", client="client"):
        """Starts an agent that trusts CA, and shows the certificate CLIENT, or none."""
        files = {"ca": f"{self.engine.certificates / ca}.pem"}
        if client:
            files.update(cert=f"{self.engine.certificates / client}.pem",
                         key=f"{self.engine.certificates / client}.key")
        return super().start_agent(tls=files)

    def restart(self, host="127.0.0.1", **files):
        self.agent.stop()
        self.host = host
        self.agent = self.start_agent(**files)

    def test_a_task_runs_by_the_right_certificates(self):
        alloc = self.run_job(container("t", f"echo by tls; {FOREVER}"), status="running", type="service")
        self.assertEqual(len(self.engine.tasks()), 1)
        # Each is a connection of its own kind: one that goes on, and one in both directions.
        harness.wait_until(lambda: self.logs(alloc) == "by tls\n", "the output")
        script = "echo inside; exit 7"
        done = self.cli("alloc", "exec", "-task", "t", alloc["ID"], "/bin/sh", "-c", script, code=7)
        self.assertEqual(done.out, "inside\n")
        self.restart()
        self.wait_health(True)
        self.agent.wait_allocs("e2e", 1, "running")
        self.agent.must("DELETE", "/v1/job/e2e")
        self.agent.wait_allocs("e2e", 1, "complete", desired="stop")

    def test_a_certificate_that_does_not_fit_is_the_reason_of_bad_health(self):
        self.wait_health(True)
        wrong = {
            "the engine is of another authority": ({"ca": "stranger"}, "certificate"),
            "the client has no certificate": ({"client": None}, "alert"),
            "the client is of another authority": ({"client": "stranger"}, "alert"),
            "the engine is for another host": ({"host": "localhost"}, "mismatch"),
            "the file of the authority is missing": ({"ca": "missing"}, "missing.pem")}
        for what, (how, reason) in wrong.items():
            with self.subTest(what):
                self.restart(**how)
                _, why = self.wait_health(False, reason)
                self.assertIn(f"TLS with the container engine at {self.endpoint()}", why)
        self.restart()
        self.wait_health(True)


NAME, SECRET = "puller", "open-sesame-4711"
# A registry knows a password only by its bcrypt.
BY_BCRYPT = "$2b$04$DroverTestRegistrySalevC5T2hrGiY1mldWgkIC.epNKhlGEsNG"
HELPER = "docker-credential-drover"


def answers(password=SECRET):
    """The script of a helper that knows PASSWORD."""
    return f"cat >/dev/null; echo '{json.dumps({'ServerURL': '', 'Username': NAME, 'Secret': password})}'"


@unittest.skipIf(engines.MISSING_DOCKERD or engines.MISSING_REGISTRY,
                 engines.MISSING_DOCKERD or engines.MISSING_REGISTRY)
class DockerCredentialTest(DockerCase):
    """The password of a registry comes from a program, and shows nowhere."""

    KIND = engines.Dockerd
    CONFIG = {"auth": {"helper": "drover"}}

    def setUp(self):
        super().setUp()
        registry = engines.Registry(self, login=(NAME, SECRET, BY_BCRYPT))
        self.server, self.image = registry.address, registry.push("team/private")

    def start_agent(self, **more):
        self.programs = self.sandbox.root / "programs"
        self.programs.mkdir(exist_ok=True)
        self.ENV = {"PATH": f"{self.programs}{os.pathsep}{os.environ['PATH']}"}
        return super().start_agent(**more)

    def helper(self, script):
        self.sandbox.write(f"programs/{HELPER}", f"#!/bin/sh\n{script}\n").chmod(0o755)

    def said(self, alloc):
        """The events of the task. Neither they nor anything else that the agent shows may have the secret."""
        whole = self.agent.get(f"/v1/allocation/{alloc['ID']}")
        shown = (json.dumps(whole), self.agent.run.err, "\n".join(map(str, self.agent.run.lines)))
        for text in shown:
            self.assertNotIn(SECRET, text)
        return " | ".join(self.events(alloc))

    def assert_fails(self, *texts):
        alloc = self.run_job(container("t", "true", image=self.image), status="failed")
        said = self.said(alloc)
        for text in texts:
            self.assertIn(text, said)
        self.assertEqual(self.engine.tasks(), [])
        self.agent.must("DELETE", "/v1/job/e2e", purge="true")

    def assert_pulls(self, image):
        alloc = self.run_job(container("t", "echo pulled", image=image))
        self.assertEqual(self.logs(alloc), "pulled\n")
        self.said(alloc)
        self.agent.must("DELETE", "/v1/job/e2e", purge="true")

    def test_the_right_helper_gets_the_image(self):
        calls = self.sandbox.root / "calls"
        self.helper(f'echo "$1 $(cat)" >>{calls}; {answers()}')
        self.assert_pulls(self.image)
        self.assertEqual(set(calls.read_text().splitlines()), {f"get {self.server}"})

    def test_the_configuration_of_docker_may_name_the_helper(self):
        file = self.sandbox.write("config.json", {"credHelpers": {self.server: "drover"}})
        self.helper(answers())
        self.agent.stop()
        self.agent = self.start_agent(auth={"config": str(file)})
        self.assert_pulls(self.image)

    def test_a_helper_that_does_not_help_is_named(self):
        wrong = {
            "it fails": (f"echo {SECRET}; echo {SECRET} >&2; exit 3", "exit code 3"),
            "it is killed": (f"echo {SECRET} >&2; kill -KILL $$", "signal 9"),
            "it answers rubbish": (f"echo rubbish {SECRET}; echo {SECRET} >&2", "has not answered with JSON"),
            "it answers without a secret": (f"echo '{json.dumps({'Username': NAME, 'Password': SECRET})}'",
                                            "has not answered with JSON"),
            "it answers without end": (f"yes {SECRET} | head -c 300000", "has not answered with JSON"),
            "it answers nothing": ("true", "has not answered with JSON")}
        for what, (script, reason) in wrong.items():
            with self.subTest(what):
                self.helper(script)
                self.assert_fails(HELPER, reason)
        with self.subTest("it is missing"):
            (self.programs / HELPER).unlink()
            self.assert_fails(HELPER, self.server)
        with self.subTest("it has the wrong password"):
            self.helper(answers(password="wrong"))
            self.assert_fails("Failed to pull", self.image)

    def test_a_refused_pull_is_tried_again(self):
        self.helper(answers(password="wrong"))
        self.wait_health(True)
        restart = {"Attempts": 1000, "Interval": 10 ** 12, "Delay": 10 ** 8, "Mode": "fail"}
        self.agent.submit(job(group(container("t", "echo pulled", image=self.image), RestartPolicy=restart),
                              id="e2e"))

        def refused():
            found = self.agent.allocs("e2e")
            return found and (found[0]["TaskStates"] or {}).get("t") and "Failed to pull" in self.said(found[0])
        harness.wait_until(refused, "the registry to refuse the password")
        self.helper(answers())
        alloc, = self.agent.wait_allocs("e2e", 1, "complete")
        self.assertEqual(self.logs(alloc), "pulled\n")

    def test_a_helper_that_hangs_is_killed(self):
        self.agent.stop()
        self.LIMITS = {"command": "2s"}
        self.agent = self.start_agent()
        self.helper(f"echo {SECRET}; echo {SECRET} >&2; sleep 1000")
        self.assert_fails(HELPER, "has not ended in time")
        harness.wait_until(lambda: not self.helpers(), "the end of the helper")

    def test_a_stop_does_not_wait_for_a_helper(self):
        self.helper("sleep 1000")
        self.wait_health(True)
        self.agent.submit(job(group(container("t", "true", image=self.image)), id="e2e"))
        harness.wait_until(self.helpers, "the helper to run")
        begin = time.monotonic()
        self.agent.must("DELETE", "/v1/job/e2e")
        self.agent.wait_allocs("e2e", 1, "complete", desired="stop")
        harness.wait_until(lambda: not self.helpers(), "the end of the helper")
        self.assertLess(time.monotonic() - begin, 4 * SLACK)
        self.wait_health(True)

    def helpers(self):
        """The processes of the helper, and what they have started."""
        return [line for line in harness.marked_processes(self.programs).values()
                if HELPER in line or line == "sleep 1000"]

    def test_a_registry_that_the_helper_does_not_know_is_asked_without_a_password(self):
        self.helper("echo credentials not found in native keychain; exit 1")
        self.assert_pulls(engines.Registry(self).push("team/open"))
        self.assert_fails("Failed to pull", self.image)


if __name__ == "__main__":
    harness.main()
