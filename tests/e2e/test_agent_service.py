# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The agent as a service: its limits, and its messages to the service manager."""
import contextlib
import json
import pathlib
import re
import resource
import signal
import socket
import ssl
import subprocess

import harness
from agent_harness import Agent, agent_config
from harness import DroverTest, Run, group, job, task


class AgentServiceTest(DroverTest):
    def setUp(self):
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()

    def test_the_agent_raises_its_limit_of_open_files_and_tasks_keep_theirs(self):
        soft, hard = 321, resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        agent = Agent(self.sandbox, "--log-level", "INFO",  # as units of Nomad write it
                      command=["/bin/sh", "-c", f'ulimit -Sn {soft}; exec "$0" "$@"',
                               harness.binary()])
        limits = pathlib.Path(f"/proc/{agent.run.pid}/limits").read_text()
        line = next(l for l in limits.splitlines() if l.startswith("Max open files"))
        self.assertEqual(line.split()[3:5], [str(hard), str(hard)])
        self.assertEqual(agent.run.err.count(f"raised from {soft} to {hard}"), 1, agent.run.story())
        agent.submit(job(group(task("t", "ulimit -Sn; ulimit -Hn")), id="limits"))
        alloc = agent.wait_allocs("limits", 1, "complete")[0]["ID"]
        log = self.sandbox.alloc_dirs[0] / alloc / "alloc/logs/t.stdout.0"
        self.assertEqual(log.read_text(), f"{soft}\n{hard}\n")
        agent.stop()

    def test_the_service_manager_is_notified(self):
        address = f"@{self.sandbox.root.name}"
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.settimeout(harness.LIMIT)
            manager.bind("\0" + address[1:])
            agent = Agent(self.sandbox, env={"NOTIFY_SOCKET": address})
            self.assertEqual(manager.recv(1000), b"READY=1")
            agent.submit(job(group(task("t", 'test -z "$NOTIFY_SOCKET"')), id="secret"))
            agent.wait_allocs("secret", 1, "complete")  # tasks must not notify for the agent
            agent.stop()
            self.assertEqual(manager.recv(1000), b"STOPPING=1")

    def test_a_service_manager_that_is_not_there_is_no_reason_to_stop(self):
        agent = Agent(self.sandbox, env={"NOTIFY_SOCKET": f"{self.sandbox.root}/none"})
        harness.wait_until(lambda: "the service manager was not notified: NOTIFY_SOCKET" in agent.run.err,
                           "the warning")
        agent.stop()


class AgentReloadTest(DroverTest):
    TOKENS = ["correct-horse-battery", "wrong-horse-no-battery"]

    def setUp(self):
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()

    def write_token(self, token):
        path = self.sandbox.write("token", token + "\n")
        path.chmod(0o600)
        return str(path)

    def reload(self, run, text):
        """Sends SIGHUP and waits until the agent logs a line with TEXT."""
        before = len(run.err)
        run.signal(signal.SIGHUP)
        return run.wait_for(lambda r: next((l for l in r.err[before:].splitlines() if text in l),
                                           None), text)

    def may(self, agent, token, path="/v1/jobs"):
        return agent.ask("GET", path, headers={"X-Nomad-Token": token}).status == 200

    def test_what_can_be_is_taken_over_and_the_rest_is_named(self):
        old, new = self.TOKENS
        fields = {"token_file": self.write_token(old), "log_level": "info"}
        agent = Agent(self.sandbox, config=agent_config(self.sandbox, **fields))
        self.assertIn("applied: nothing", self.reload(agent.run, "configuration reloaded"))
        prometheus = "/v1/metrics?format=prometheus"
        self.assertEqual((self.may(agent, old), self.may(agent, new)), (True, False))
        self.assertFalse(self.may(agent, old, prometheus))

        self.write_token(new)
        agent_config(self.sandbox, **{**fields, "name": "other", "log_level": "warn",
                                      "client": {"gc_max_allocs": 7},
                                      "server": {"job_gc_threshold": "1h"},
                                      "telemetry": {"prometheus_metrics": True}})
        line = self.reload(agent.run, "configuration reloaded")
        self.assertIn("applied: the token, telemetry, the gc of client, server, log_level; "
                      "only a restart applies: name", line)
        self.assertEqual((self.may(agent, old), self.may(agent, new)), (False, True))
        self.assertTrue(self.may(agent, new, prometheus))
        self.assertNotIn(new, agent.run.err)
        agent.stop()

    def test_a_token_goes_with_a_restart_only(self):
        old, new = self.TOKENS
        agent = Agent(self.sandbox, config=agent_config(self.sandbox, log_level="info"))
        self.assertTrue(self.may(agent, new))
        fields = {"token_file": self.write_token(old), "log_level": "info"}
        agent_config(self.sandbox, **fields)
        self.assertIn("applied: the token", self.reload(agent.run, "configuration reloaded"))
        # As a file that somebody is still writing.
        agent_config(self.sandbox, log_level="info")
        self.assertIn("applied: nothing; only a restart applies: token_file",
                      self.reload(agent.run, "configuration reloaded"))
        self.assertEqual((self.may(agent, old), self.may(agent, new)), (True, False))
        agent.stop()

    def test_a_log_of_objects_and_few_connections(self):
        agent = Agent(self.sandbox, config=agent_config(
            self.sandbox, log_level="info", log_format="json",
            limits={"http_max_conns_per_client": 2}))
        host, port = agent.address.rsplit(":", 1)

        def held_connection():
            """None if the agent has not noticed yet that an earlier connection is closed."""
            one = socket.create_connection((host, int(port)))
            one.sendall(b"GET /v1/jobs HTTP/1.1\r\nHost: localhost\r\n\r\n")
            if b" 200 " in one.recv(1 << 16):
                return one
            one.close()
            return None

        with contextlib.ExitStack() as held:
            for _ in range(2):
                held.enter_context(harness.wait_until(held_connection, "a connection"))
            agent.get_until("/v1/jobs", lambda reply: reply.status == 429)
        agent.get_until("/v1/jobs", lambda reply: reply.status == 200)
        agent.stop()
        lines = [json.loads(line) for line in agent.run.err.splitlines()]
        self.assertIn("info", {line["@level"] for line in lines})
        self.assertEqual({key for line in lines for key in line},
                         {"@timestamp", "@level", "@message"})

    def test_a_file_that_is_wrong_changes_nothing(self):
        old, new = self.TOKENS
        fields = {"token_file": self.write_token(old), "log_level": "info"}
        agent = Agent(self.sandbox, config=agent_config(self.sandbox, **fields))
        self.write_token(new)
        agent_config(self.sandbox, **{**fields, "log_level": "loud"})
        line = self.reload(agent.run, "stays as it was")
        self.assertIn("/log_level: must be trace", line)
        agent_config(self.sandbox, **fields)
        for wrong, error in (("short", "must have at least"), (f"{new}\n{old}", "is one line"),
                             (f" {new}", "is one line")):
            self.write_token(wrong)
            self.assertIn("a token " + error, self.reload(agent.run, "stays as it was"))
        self.assertTrue(self.may(agent, old))
        agent.stop()

    def test_the_service_manager_is_notified(self):
        address = f"@{self.sandbox.root.name}"
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.settimeout(harness.LIMIT)
            manager.bind("\0" + address[1:])
            agent = Agent(self.sandbox, env={"NOTIFY_SOCKET": address})
            self.assertEqual(manager.recv(1000), b"READY=1")
            agent.run.signal(signal.SIGHUP)
            self.assertRegex(manager.recv(1000), rb"^RELOADING=1\nMONOTONIC_USEC=\d+$")
            self.assertEqual(manager.recv(1000), b"READY=1")
            agent.stop()

    def test_a_new_certificate(self):
        root = self.sandbox.root

        def issue(name):
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                            "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                            "/CN=" + name, "-keyout", str(root / "key.pem"), "-out",
                            str(root / "cert.pem")],
                           check=True, capture_output=True, stdin=subprocess.DEVNULL)
            return (root / "cert.pem").read_text()

        first = issue("first")
        run = Run(self.sandbox, [
            "agent", "--port", "0", "--log-level", "info", "--config",
            agent_config(self.sandbox, http={"tls": {"cert_file": str(root / "cert.pem"),
                                                     "key_file": str(root / "key.pem")}})],
                  json_lines=False)
        self.sandbox.runs.append(run)
        line = run.wait_for(lambda r: next((l for l in r.lines if "serving" in l), None), "the API")
        port = int(re.search(r":(\d+)$", line).group(1))

        def served():
            return ssl.get_server_certificate(("127.0.0.1", port))
        self.assertEqual(served(), first)
        (root / "key.pem").write_text("nonsense")
        self.assertIn("cannot use the private key", self.reload(run, "stays as it was"))
        self.assertEqual(served(), first)
        second = issue("second")
        self.assertIn("the certificates of TLS", self.reload(run, "configuration reloaded"))
        self.assertEqual(served(), second)
        run.interrupt()
        self.assertEqual(run.wait(), 0, run.story())

    def test_without_a_file_a_hangup_ends_the_agent_in_order(self):
        run = Run(self.sandbox, ["agent", "--dev", "--port", "0"], json_lines=False)
        self.sandbox.runs.append(run)
        run.wait_for(lambda r: any("serving" in l for l in r.lines), "the API")
        run.signal(signal.SIGHUP)
        self.assertEqual(run.wait(), 0, run.story())
