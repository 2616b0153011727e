# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Tokens, policies and roles of an agent, and the API on the sockets of tasks."""
import base64
import contextlib
import http.client
import json
import os
import re
import signal
import socket
import stat
import threading
import time

import harness
from agent_harness import Agent, Reply, agent_config
from harness import SLACK, DroverTest, group, job, task
from test_client import Client

LONG = "exec sleep 1000"
READER = {"namespace": {"default": {"policy": "read"}}}
ACL = {"enabled": True}
FILE_TOKEN = "0123456789abcdef-secret"
# The routes that answer every client: they need no token, or tell nothing about the agent's state.
OPEN = {"/v1/agent/health", "/v1/status/leader", "/v1/status/peers", "/v1/regions",
        "/.well-known/jwks.json", "/.well-known/openid-configuration"}
# The routes whose handlers ask for each part of a request, so that a client gets what it may have.
OWN = {"/v1/acl/policies", "/v1/acl/policy/self", "/v1/acl/token/self", "/v1/acl/roles", "/v1/namespaces"}


def forged(token, other):
    """Tokens that somebody makes who has TOKEN and the token OTHER of another task."""
    head, claims, signature = token.split(".")
    none = base64.urlsafe_b64encode(b'{"alg":"none","typ":"JWT"}').decode().rstrip("=")
    changed = ("B" if signature[0] == "A" else "A") + signature[1:]
    return [f"{head}.{claims}.{changed}", f"{head}.{other.split('.')[1]}.{signature}",
            f"{none}.{claims}.", f"{none}.{claims}.{signature}", f"{head}.{claims}", f"{head}.{claims}.",
            f".{claims}.{signature}", token + "=", token + ".x", token.upper(), token[::-1], "a.b.c", ".."]


def service(*tasks, id="web", **fields):
    return job(group(*tasks, **fields), id=id, type="service")


class AccessTest(Client, DroverTest):
    """An agent where policies count, with the first token."""

    def setUp(self):
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()
        self.agent = Agent(self.sandbox, config=agent_config(self.sandbox, acl=ACL))
        self.address = self.agent.url
        self.secret = self.json("acl", "bootstrap")["SecretID"]

    def tearDown(self):
        if not self._outcome_failed() and self.agent.run.process.poll() is None:
            self.agent.stop()
        super().tearDown()

    def ask(self, token, method, path, /, body=None, **query):
        headers = {"X-Nomad-Token": token} if token else {}
        return self.agent.ask(method, path, body, headers=headers, **query)

    def status(self, *arguments, **query):
        return self.ask(*arguments, **query).status

    def get(self, token, path, **query):
        reply = self.ask(token, "GET", path, **query)
        self.assertEqual(reply.status, 200, reply.body)
        return json.loads(reply.body)

    def make_policy(self, name, rules):
        path = self.sandbox.write(f"{name}.json", rules)
        self.cli("acl", "policy", "apply", name, path, NOMAD_TOKEN=self.secret)

    def make_token(self, *policies):
        """Returns the secret of a new token."""
        options = [part for name in policies or ["none"] for part in ("-policy", name)]
        return self.json("acl", "token", "create", *options, NOMAD_TOKEN=self.secret)["SecretID"]

    def test_an_agent_is_closed_until_policies_open_it(self):
        refused = self.agent.ask("GET", "/v1/jobs")
        self.assertEqual((refused.status, refused.body), (403, b"Permission denied"))
        wrong = self.ask("wrong", "GET", "/v1/jobs")
        self.assertEqual((wrong.status, wrong.body), (403, b"ACL token not found"))
        self.assertEqual(self.get(self.secret, "/v1/jobs"), [])
        self.make_policy("anonymous", READER)
        self.assertEqual(self.get("", "/v1/jobs"), [])
        self.assertEqual(self.status("", "PUT", "/v1/jobs", service(task("t", LONG))), 403)
        self.cli("acl", "policy", "delete", "anonymous", NOMAD_TOKEN=self.secret)
        self.assertEqual(self.status("", "GET", "/v1/jobs"), 403)

    def test_a_token_does_what_its_policies_say(self):
        self.make_policy("reader", READER)
        self.make_policy("team", {"namespace": {"team": {"policy": "write"}}})
        reader, team = self.make_token("reader"), self.make_token("team")
        spec = service(task("t", LONG))
        self.assertEqual(self.status(reader, "PUT", "/v1/jobs", spec), 403)
        self.assertEqual(self.status(team, "PUT", "/v1/jobs", spec), 403)
        self.assertEqual(self.status(team, "PUT", "/v1/jobs", spec, namespace="team"), 200)
        self.assertEqual(self.status(self.secret, "PUT", "/v1/jobs", service(task("t", LONG), id="own")), 200)
        for token, seen in ((reader, ["own"]), (team, ["web"]), (self.secret, ["own", "web"])):
            listed = self.get(token, "/v1/jobs", namespace="*")
            self.assertEqual(sorted(one["ID"] for one in listed), seen)
        alloc = harness.wait_until(
            lambda: self.get(team, "/v1/job/web/allocations", namespace="team"), "its allocation")[0]["ID"]
        self.assertEqual(self.status(team, "GET", f"/v1/allocation/{alloc}"), 200)
        self.assertEqual(self.status(reader, "GET", f"/v1/allocation/{alloc}"), 403)
        self.assertEqual(self.status(reader, "GET", f"/v1/client/fs/ls/{alloc}", path="/"), 403)
        self.assertEqual(self.status(team, "GET", f"/v1/client/fs/ls/{alloc}", path="/"), 200)
        self.assertEqual(self.status(team, "DELETE", "/v1/job/web", namespace="team"), 200)

    def test_a_session_needs_more_beside_a_task_without_a_root(self):
        self.make_policy("exec", {"namespace": {"default": {
            "capabilities": ["read-job", "list-jobs", "alloc-exec"]}}})
        self.make_policy("node-exec", {"namespace": {"default": {"capabilities": ["alloc-node-exec"]}}})
        self.assertEqual(self.status(self.secret, "PUT", "/v1/jobs", service(task("t", LONG))), 200)
        alloc = harness.wait_until(
            lambda: next((a["ID"] for a in self.get(self.secret, "/v1/job/web/allocations")
                          if a["ClientStatus"] == "running"), None), "it runs")
        self.assertIn("Permission denied", self.fails(
            "alloc", "exec", alloc, "true", NOMAD_TOKEN=self.make_token("exec")))
        self.cli("alloc", "exec", alloc, "true", NOMAD_TOKEN=self.make_token("exec", "node-exec"))
        self.assertIn("Permission denied", self.fails(
            "alloc", "exec", alloc, "true", NOMAD_TOKEN=self.make_token()))

    def test_a_session_ends_with_its_token(self):
        self.make_policy("exec", {"namespace": {"default": {
            "capabilities": ["read-job", "list-jobs", "alloc-exec", "alloc-node-exec"]}}})
        token = self.json("acl", "token", "create", "-policy", "exec", NOMAD_TOKEN=self.secret)
        self.assertEqual(self.status(self.secret, "PUT", "/v1/jobs", service(task("t", LONG))), 200)
        alloc = harness.wait_until(
            lambda: next((a["ID"] for a in self.get(self.secret, "/v1/job/web/allocations")
                          if a["ClientStatus"] == "running"), None), "it runs")
        session = harness.Run(
            self.sandbox, ["alloc", "exec", alloc, "sh", "-c", f"echo here; {LONG}"], json_lines=False,
            env={"DROVER_ADDR": self.address, "NOMAD_TOKEN": token["SecretID"]})
        self.sandbox.runs.append(session)
        session.wait_for(lambda run: "here" in run.lines, "the session")
        path = "/v1/acl/token/" + token["AccessorID"]
        self.assertEqual(self.status(self.secret, "DELETE", path), 200)
        session.wait_for(lambda run: "ACL token not found" in run.err, "its end")
        self.assertEqual(session.wait(), 1, session.story())

    def test_the_commands(self):
        env = {"NOMAD_TOKEN": self.secret}
        rules = self.sandbox.write("reader.json", READER)
        self.assertIn("the policy reader is written", self.cli(
            "acl", "policy", "apply", "-description", "reads", "reader", rules, **env).out)
        self.assertRegex(self.cli("acl", "policy", "list", **env).out, r"(?m)^reader +reads")
        shown = self.cli("acl", "policy", "info", "reader", **env).out
        self.assertRegex(shown, r"(?m)^Description += reads")
        self.assertIn('"policy": "read"', shown)
        role = self.json("acl", "role", "create", "-name", "readers", "-policy", "reader", **env)
        self.assertRegex(self.cli("acl", "role", "list", **env).out, rf"(?m)^{role['ID']} +readers")
        self.assertEqual(self.json("acl", "role", "info", "-by-name", "readers", **env), role)
        changed = self.json("acl", "role", "update", "-description", "read", role["ID"], **env)
        self.assertEqual((changed["Name"], changed["Description"], changed["Policies"]),
                         ("readers", "read", [{"Name": "reader"}]))
        shown = self.cli("acl", "token", "create", "-name", "ci", "-role-name", "readers", "-ttl", "8h", **env).out
        accessor = re.search(r"(?m)^Accessor += (\S+)", shown).group(1)
        own = re.search(r"(?m)^Secret += (\S+)", shown).group(1)
        self.assertRegex(shown, r"(?m)^Roles += readers")
        self.assertRegex(shown, r"(?m)^Expires += 20")
        info = self.cli("acl", "token", "info", accessor, **env).out
        self.assertNotIn(own, info)
        self.assertIn(own, self.cli("acl", "token", "self", NOMAD_TOKEN=own).out)
        self.assertRegex(self.cli("acl", "policy", "self", NOMAD_TOKEN=own).out, r"(?m)^reader ")
        self.cli("job", "status", NOMAD_TOKEN=own)
        updated = self.json("acl", "token", "update", "-name", "cd", accessor, **env)
        self.assertEqual((updated["Name"], updated["Roles"][0]["Name"]), ("cd", "readers"))
        self.assertRegex(self.cli("acl", "token", "list", **env).out, rf"(?m)^{accessor} +cd +client")
        self.assertIn("Permission denied", self.fails("acl", "token", "list", NOMAD_TOKEN=own))
        self.cli("acl", "token", "delete", accessor, **env)
        self.assertIn("ACL token not found", self.fails("job", "status", NOMAD_TOKEN=own))
        self.cli("acl", "role", "delete", role["ID"], **env)
        self.assertIn("ACL bootstrap already done", self.fails("acl", "bootstrap"))
        self.fails("acl", "policy", "apply", "-task", "t", "p", rules, code=2)
        bad = self.sandbox.write("bad.json", {"namespace": {"default": {"policy": "fly"}}})
        self.assertIn("fly", self.fails("acl", "policy", "apply", "bad", bad, **env))

    def test_every_route_is_closed_to_those_who_have_no_policy(self):
        page = (harness.ROOT / "docs/compatibility.md").read_text()
        routes = re.findall(r"^\| `(/[^`]*)` \| ([A-Z ]*) ?\| ([^|]*)", page, re.M)
        self.assertGreater(len(routes), 80)
        nobody = self.make_token()
        for pattern, methods, note in routes:
            path = pattern.replace("**", "x").replace("*", "x")
            if path in OPEN or "action" in path or path.endswith("/exec"):
                continue
            # What this version does not have says so to every client that is not refused.
            missing = note.startswith(("501", "always 404")) or methods.strip() == ""
            for method in methods.split() or ["GET"]:
                wrong = self.ask("wrong" + pattern, method, path)
                self.assertIn(wrong.status, (403, 429), f"{method} {path}")
                for token in ("", nobody):
                    reply = self.ask(token, method, path)
                    # A search asks for each of its contexts, which an empty body does not name. The namespace
                    # of a variable may be in its body, too.
                    allowed = (missing or path in OWN or reply.status in (404, 405, 501) or
                               path.startswith(("/v1/search", "/v1/acl/bootstrap")) or path == "/v1/service/" or
                               (method in ("PUT", "POST") and path.startswith("/v1/var/")))
                    if not allowed:
                        self.assertEqual((reply.status, reply.body), (403, b"Permission denied"),
                                         f"{method} {path}")
        self.assertEqual(self.get(nobody, "/v1/namespaces"), [])

    def test_guesses_are_slowed_down_and_right_tokens_are_not(self):
        statuses = [self.status(f"guess {i}", "GET", "/v1/jobs") for i in range(300)]
        self.assertEqual(set(statuses), {403, 429})
        self.assertEqual(self.status(self.secret, "GET", "/v1/jobs"), 200)

    def test_a_stream_of_events_needs_a_right(self):
        reader = self.make_token("none")
        self.assertEqual(self.status(reader, "GET", "/v1/event/stream"), 403)
        self.assertEqual(self.status(reader, "GET", "/v1/event/stream", topic="Job"), 403)

    def test_no_secret_is_in_the_log_or_the_state(self):
        own = self.make_token("none")
        self.ask(own, "GET", "/v1/jobs")
        self.agent.stop()
        self.assertNotIn(own, self.agent.run.story())
        self.assertNotIn(self.secret, self.agent.run.story())


class KeptAccessTest(DroverTest):
    def setUp(self):
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()

    def test_the_next_agent_knows_all_tokens_and_no_secret_is_stored(self):
        config = agent_config(self.sandbox, acl=ACL)
        agent = Agent(self.sandbox, config=config, dev=False)
        first = agent.must("PUT", "/v1/acl/bootstrap")
        secret = {"X-Nomad-Token": first["SecretID"]}
        rules = {"Name": "reader", "Rules": json.dumps(READER)}
        self.assertEqual(agent.ask("PUT", "/v1/acl/policy/reader", rules, headers=secret).status, 200)
        made = json.loads(agent.ask("PUT", "/v1/acl/token", {"Type": "client", "Policies": ["reader"]},
                                    headers=secret).body)
        agent.run.process.send_signal(signal.SIGKILL)  # every answer was on the disk before it was sent
        agent.run.process.wait()
        agent = Agent(self.sandbox, config=config, dev=False)
        own = {"X-Nomad-Token": made["SecretID"]}
        self.assertEqual(agent.ask("GET", "/v1/jobs", headers=own).status, 200)
        self.assertEqual(agent.ask("GET", "/v1/nodes", headers=own).status, 403)
        self.assertEqual(agent.ask("PUT", "/v1/acl/bootstrap").status, 400)
        for path in (self.sandbox.root / "data").rglob("*"):
            if path.is_file():
                content = path.read_bytes()
                for one in (first, made):
                    self.assertNotIn(one["SecretID"].encode(), content, path)
        # An operator of the machine may allow one more.
        number = re.search(rb"reset index: (\d+)", agent.ask("PUT", "/v1/acl/bootstrap").body).group(1)
        self.sandbox.write("data/acl-bootstrap-reset", number + b"\n")
        again = agent.must("PUT", "/v1/acl/bootstrap")
        self.assertEqual(agent.ask("PUT", "/v1/acl/bootstrap").status, 400)
        self.assertEqual(agent.ask("GET", "/v1/nodes",
                                   headers={"X-Nomad-Token": again["SecretID"]}).status, 200)
        agent.stop()

    def test_the_token_of_the_file_goes_on(self):
        token = self.sandbox.write("token", FILE_TOKEN)
        token.chmod(0o600)
        agent = Agent(self.sandbox, config=agent_config(self.sandbox, acl=ACL, token_file=str(token)))
        right = {"X-Nomad-Token": FILE_TOKEN}
        self.assertEqual(agent.ask("GET", "/v1/nodes", headers=right).status, 200)
        self.assertEqual(json.loads(agent.ask("GET", "/v1/acl/token/self", headers=right).body)["AccessorID"],
                         "agent-token")
        self.assertTrue(json.loads(agent.ask("GET", "/v1/agent/self", headers=right).body)
                        ["config"]["ACL"]["Enabled"])
        self.assertEqual(agent.ask("GET", "/v1/nodes").status, 403)
        # There is a management token already, so nobody else makes the first one.
        self.assertEqual(agent.ask("PUT", "/v1/acl/bootstrap").status, 403)
        self.assertEqual(agent.ask("PUT", "/v1/acl/bootstrap", headers=right).status, 200)
        agent.stop()

    def test_access_is_turned_on_by_a_reload_and_off_by_a_restart(self):
        agent = Agent(self.sandbox, config=agent_config(self.sandbox, log_level="info"))
        self.assertEqual(agent.ask("GET", "/v1/jobs").status, 200)

        def reload(text, **fields):
            agent_config(self.sandbox, log_level="info", **fields)
            before = len(agent.run.err)
            agent.run.signal(signal.SIGHUP)
            agent.run.wait_for(lambda r: text in r.err[before:] or None, text)
        reload("applied: acl", acl=ACL)
        self.assertEqual(agent.ask("GET", "/v1/jobs").status, 403)
        reload("only a restart applies: acl/enabled")
        self.assertEqual(agent.ask("GET", "/v1/jobs").status, 403)
        agent.stop()


class UnixConnection(http.client.HTTPConnection):
    """A connection to the socket of a task, whose path may be too long for an address."""

    def __init__(self, path):
        super().__init__("localhost", timeout=harness.LIMIT)
        self.path = path

    def connect(self):
        directory = os.open(self.path.parent, os.O_PATH | os.O_DIRECTORY)
        try:
            self.sock = socket.socket(socket.AF_UNIX)
            self.sock.settimeout(self.timeout)
            self.sock.connect(f"/proc/self/fd/{directory}/{self.path.name}")
        finally:
            os.close(directory)


class TaskApiTest(DroverTest):
    def setUp(self):
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()

    def start(self, *tasks, id="web", agent=None, token=None, **fields):
        """Runs a job, and returns the id of its allocation."""
        headers = {"X-Nomad-Token": token} if token else {}
        spec = service(*(tasks or [task("t", LONG)]), id=id, **fields)
        self.assertEqual(agent.ask("PUT", "/v1/jobs", spec, headers=headers).status, 200)

        def running():
            reply = agent.ask("GET", f"/v1/job/{id}/allocations", headers=headers)
            return next((a["ID"] for a in json.loads(reply.body) if a["ClientStatus"] == "running"), None)
        return harness.wait_until(running, "it runs")

    def socket_of(self, alloc, name="t"):
        return self.sandbox.alloc_dirs[0] / alloc / name / "secrets" / "api.sock"

    def ask(self, path, target="/v1/agent/health", token=None, method="GET", body=None):
        """Sends one request to the socket PATH. Returns None if nobody is there."""
        connection = UnixConnection(path)
        try:
            connection.request(method, target, body=body,
                               headers={"Authorization": f"Bearer {token}"} if token else {})
            answer = connection.getresponse()
            return Reply(answer.status, answer.headers, answer.read())
        except (FileNotFoundError, ConnectionError, http.client.BadStatusLine):
            return None
        finally:
            connection.close()

    def test_a_token_is_asked_for_whatever_the_agent_does(self):
        agent = Agent(self.sandbox)
        alloc = self.start(agent=agent)
        path = self.socket_of(alloc)
        info = path.lstat()
        self.assertTrue(stat.S_ISSOCK(info.st_mode))
        self.assertEqual(stat.S_IMODE(info.st_mode), 0o600)
        self.assertEqual(info.st_uid, path.parent.parent.stat().st_uid)
        for target in ("/", "/v1/agent/health", "/v1/jobs", "/v1/nothing", f"/v1/allocation/{alloc}"):
            reply = self.ask(path, target)
            self.assertEqual((reply.status, reply.body), (401, b"Unauthorized"), target)
            for wrong in ("wrong", "a.b.c"):
                reply = self.ask(path, target, wrong)
                self.assertEqual((reply.status, reply.body), (403, b"Forbidden"), target)
        reply = self.ask(path, "/v1/jobs", method="PUT", body=json.dumps(service(task("t", LONG), id="new")))
        self.assertEqual(reply.status, 401)
        self.assertEqual([one["ID"] for one in agent.get("/v1/jobs")], ["web"])
        agent.stop()

    def test_a_task_reads_its_own_with_its_identity_and_nothing_else(self):
        for acl in (None, ACL):
            with self.subTest(acl=acl):
                self.check_identity(Agent(self.sandbox, config=agent_config(
                    self.sandbox, **({"acl": acl} if acl else {}))), acl)

    def check_identity(self, agent, acl):
        secret = json.loads(agent.ask("PUT", "/v1/acl/bootstrap").body)["SecretID"] if acl else None
        headers = {"X-Nomad-Token": secret} if acl else {}
        given = task("t", LONG, Identity={"Env": True, "File": True})
        alloc = self.start(given, agent=agent, token=secret)
        other = self.start(given, id="other", agent=agent, token=secret)
        own_paths = ["nomad/jobs", "nomad/jobs/web", "nomad/jobs/web/g", "nomad/jobs/web/g/t"]
        for variable in [*own_paths, "nomad/jobs/other", "nomad/jobs/web/g/u", "app/db",
                         "nomad/jobs/web?namespace=team"]:
            self.assertEqual(agent.ask("PUT", "/v1/var/" + variable, {"Items": {"k": variable}},
                                       headers=headers).status, 200)
        path = self.socket_of(alloc)
        token, of_other = [(self.socket_of(one).parent / "nomad_token").read_text() for one in (alloc, other)]

        def status(target, method="GET", body=None, token=token):
            return self.ask(path, target, token, method, body).status
        for target in (f"/v1/allocation/{alloc}", f"/v1/allocation/{alloc}/services",
                       f"/v1/client/allocation/{alloc}/checks", "/v1/services", "/v1/service/api",
                       "/v1/agent/health", *("/v1/var/" + own for own in own_paths)):
            self.assertEqual(status(target), 200, target)
        listed = json.loads(self.ask(path, "/v1/vars", token).body)
        self.assertEqual([one["Path"] for one in listed], own_paths)
        for target in (f"/v1/allocation/{other}", f"/v1/allocation/{other}/services",
                       f"/v1/client/allocation/{other}/checks", f"/v1/client/fs/ls/{alloc}?path=/",
                       "/v1/allocations", "/v1/jobs", "/v1/job/web", "/v1/nodes", "/v1/agent/self",
                       "/v1/services?namespace=team", "/v1/vars?namespace=team", "/v1/var/nomad/jobs/other",
                       "/v1/var/nomad/jobs/web/g/u", "/v1/var/app/db", "/v1/var/nomad/jobs/web?namespace=team",
                       "/v1/event/stream", "/v1/operator/keyring/keys"):
            self.assertEqual(status(target), 403, target)
        self.assertEqual(status("/v1/var/nomad/jobs/web", "PUT", json.dumps({"Items": {"k": "x"}})), 403)
        self.assertEqual(status("/v1/var/nomad/jobs/web", "DELETE"), 403)
        self.assertEqual(status("/v1/job/web", "DELETE"), 403)
        self.assertEqual(status("/v1/jobs", "PUT", json.dumps(service(task("t", LONG), id="new"))), 403)
        self.assertEqual(status(f"/v1/allocation/{alloc}/stop", "PUT"), 403)
        self.assertIn(status("/v1/acl/bootstrap", "PUT"), (400, 403))
        # The token says who asks, and not the socket, nor that the agent asks nobody for a token.
        self.assertEqual(status(f"/v1/allocation/{alloc}", token=of_other), 403)
        self.assertEqual(status(f"/v1/allocation/{other}", token=of_other), 200)
        bearer = {"Authorization": f"Bearer {token}"}
        self.assertEqual(agent.ask("GET", f"/v1/allocation/{other}", headers=bearer).status, 403)
        self.assertEqual(agent.ask("GET", f"/v1/allocation/{alloc}", headers=bearer).status, 200)
        for wrong in forged(token, of_other):
            reply = self.ask(path, f"/v1/allocation/{alloc}", wrong)
            self.assertEqual((reply.status, reply.body), (403, b"Forbidden"), wrong)
            self.assertEqual(agent.ask("GET", f"/v1/allocation/{other}", headers={
                "Authorization": f"Bearer {wrong}"}).status, 200 if wrong.count(".") != 2 and not acl else 403)
        # The identity of an allocation that has ended is nobody's.
        self.assertEqual(agent.ask("DELETE", "/v1/job/other", headers=headers).status, 200)
        harness.wait_until(lambda: json.loads(agent.ask("GET", f"/v1/allocation/{other}", headers=headers).body)
                           ["ClientStatus"] == "complete", "its end")
        for target in (f"/v1/allocation/{other}", "/v1/services", "/v1/var/nomad/jobs/other"):
            self.assertEqual(status(target, token=of_other), 403, target)
        self.assertEqual(status(f"/v1/allocation/{alloc}"), 200)
        agent.stop()

    def test_other_tokens_do_what_they_may(self):
        token = self.sandbox.write("token", FILE_TOKEN)
        token.chmod(0o600)
        agent = Agent(self.sandbox, config=agent_config(self.sandbox, token_file=str(token)))
        path = self.socket_of(self.start(agent=agent, token=FILE_TOKEN))
        self.assertEqual(self.ask(path, "/v1/jobs").status, 401)
        self.assertEqual(self.ask(path, "/v1/jobs", FILE_TOKEN).status, 200)
        agent.stop()

    def test_a_task_may_name_it_as_the_agent(self):
        """Jobs for Nomad give commands in their tasks the socket in this way."""
        agent = Agent(self.sandbox)
        script = (f'{harness.binary()} operator api "/v1/allocation/$NOMAD_ALLOC_ID" > local/new 2>&1; '
                  "mv local/new local/answer; exec sleep 1000")
        alloc = self.start(task("t", script, Identity={"Env": True},
                                Env={"NOMAD_ADDR": "${NOMAD_UNIX_ADDR}"}), agent=agent)
        answer = self.sandbox.alloc_dirs[0] / alloc / "t/local/answer"
        harness.wait_until(answer.exists, "the answer")
        self.assertEqual(json.loads(answer.read_text())["ID"], alloc)
        agent.stop()

    def test_it_is_there_from_before_the_task_until_its_end(self):
        agent = Agent(self.sandbox)
        alloc = self.start(task("t", "test -S $NOMAD_SECRETS_DIR/api.sock && exec sleep 1000"), agent=agent)
        path = self.socket_of(alloc)
        self.assertEqual(self.ask(path).status, 401)
        agent.must("PUT", f"/v1/client/allocation/{alloc}/restart", {"TaskName": "t"})
        agent.wait_restarts(alloc, t=1)
        self.assertEqual(self.ask(path).status, 401)
        agent.must("DELETE", "/v1/job/web")
        agent.wait_allocs("web", 1, "complete", "stop")
        self.assertIsNone(self.ask(path))
        self.assertFalse(path.exists())
        agent.stop()

    def test_the_next_agent_makes_it_again(self):
        agent = Agent(self.sandbox, dev=False)
        path = self.socket_of(self.start(agent=agent))
        self.assertEqual(self.ask(path).status, 401)
        for end in (agent.stop, None):
            if end:
                end()
            else:
                agent.run.process.send_signal(signal.SIGKILL)
                agent.run.process.wait()
            self.assertIsNone(self.ask(path), "nobody is there")
            agent = Agent(self.sandbox, dev=False)
            harness.wait_until(lambda: self.ask(path), "the socket of the next agent")
            self.assertEqual(self.ask(path).status, 401)
        agent.must("DELETE", "/v1/job/web", purge="true")
        harness.wait_until(lambda: not agent.get("/v1/allocations") or agent.must("PUT", "/v1/system/gc"),
                           "all jobs to be forgotten")
        harness.wait_until(lambda: not self.leftovers.allocations(), "all directories to be removed")
        agent.stop()

    def test_a_task_that_swaps_its_directory_gains_nothing(self):
        outside = self.sandbox.root / "outside"
        outside.mkdir(mode=0o777)
        agent = Agent(self.sandbox)
        script = ('cd "$NOMAD_SECRETS_DIR/.." && rm -rf secrets/* && mv secrets kept 2>/dev/null; '
                  f'ln -s {outside} secrets; exec sleep 1000')
        alloc = self.start(task("t", script), agent=agent)
        agent.ask("PUT", f"/v1/client/allocation/{alloc}/restart", {"TaskName": "t"})
        agent.must("DELETE", "/v1/job/web")
        harness.wait_until(lambda: all(a["ClientStatus"] in ("complete", "failed")
                                       for a in agent.allocs("web")), "its end")
        self.assertEqual(list(outside.iterdir()), [])
        agent.stop()

    def test_ten_thousand_bad_requests_a_second_harm_nobody_else(self):
        agent = Agent(self.sandbox)
        noisy = self.socket_of(self.start(agent=agent))
        quiet = self.socket_of(self.start(id="quiet", agent=agent))
        wrong = b"GET /v1/jobs HTTP/1.1\r\nHost: a\r\nX-Nomad-Token: wrong%d\r\n\r\n"
        identity = b"GET /v1/jobs HTTP/1.1\r\nHost: a\r\nX-Nomad-Token: a.b.%d\r\n\r\n"
        nobody = b"GET /v1/jobs?%d HTTP/1.1\r\nHost: a\r\n\r\n"
        garbage = b"\0%d garbage\r\n"
        began = time.monotonic()
        end = began + 3
        sent = []

        def flood(request):
            count = 0
            while time.monotonic() < end:
                connection = UnixConnection(noisy)
                with contextlib.suppress(OSError):
                    connection.connect()
                    connection.sock.sendall(b"".join(request % i for i in range(count, count + 100)))
                    count += 100
                    connection.sock.recv(1 << 16)
                connection.close()
            sent.append(count)
        threads = [threading.Thread(target=flood, args=(request,))
                   for request in (wrong, identity, nobody, garbage) for _ in range(4)]
        for thread in threads:
            thread.start()
        slowest = 0
        while time.monotonic() < end:
            asked = time.monotonic()
            self.assertEqual(self.ask(quiet).status, 401)
            self.assertEqual(agent.ask("GET", "/v1/jobs").status, 200)
            slowest = max(slowest, time.monotonic() - asked)
        for thread in threads:
            thread.join()
        # A slow machine cannot send as many.
        self.assertGreater(sum(sent) / (time.monotonic() - began), 10_000 / SLACK)
        self.assertLess(slowest, 1 * SLACK)
        agent.stop()


if __name__ == "__main__":
    harness.main()
