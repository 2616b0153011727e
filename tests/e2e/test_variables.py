# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Variables, which are secret, and the keys that sign the tokens of tasks."""
import base64
import http.client
import json
import pathlib
import re
import signal
import stat
import unittest

import harness
from agent_harness import Agent, AgentTest, agent_config
from harness import DroverTest, group, job, task
from test_client import Client
from test_hcl import HAS_HCL

SECRET = "correct-horse-battery-staple"


def put(agent, path, value=SECRET, **query):
    return agent.must("PUT", f"/v1/var/{path}", {"Items": {"password": value}}, **query)


class VariableCommandTest(Client, AgentTest):
    def setUp(self):
        super().setUp()
        self.address = self.agent.url

    def input(self, text):
        path = self.sandbox.write("input", text)
        return open(path, encoding="utf-8")

    def items(self, path="a/b"):
        return self.agent.get(f"/v1/var/{path}")["Items"]

    def test_a_variable_from_its_begin_to_its_end(self):
        shown = self.cli("var", "put", "a/b", "user=me", f"password={SECRET}").out
        index = self.agent.get("/v1/var/a/b")["ModifyIndex"]
        self.assertEqual(shown, f'Wrote variable "a/b" with modify index {index}\n')
        self.assertEqual(self.cli("var", "get", "-item", "password", "a/b").out, SECRET + "\n")
        self.assertEqual(json.loads(self.cli("var", "get", "a/b").out),
                         self.agent.get("/v1/var/a/b"))
        table = self.cli("var", "get", "-out", "table", "a/b").out
        self.assertRegex(table, rf"(?s)^Namespace += default\n.*Check Index += {index}\n.*user = me\n")
        self.assertEqual(self.cli("var", "get", "-out=go-template", "-template={{.Items.user}}",
                                  "a/b").out, "me\n")
        self.assertIn("has no item \"x\"", self.fails("var", "get", "-item=x", "a/b"))
        self.assertIn("there is a variable \"a/b\" already",
                      self.fails("var", "put", "a/b", "user=you"))
        self.assertIn("its modify index is",
                      self.fails("var", "put", "-check-index", "1", "a/b", "user=you"))
        self.assertEqual(self.items()["user"], "me")
        self.cli("var", "put", "-check-index", str(index), "a/b", "user=you")
        self.assertEqual(self.items(), {"user": "you"}, "the items are replaced as a whole")
        shown = self.cli("var", "put", "-force", "-out=json", "-verbose", "a/b", "user=they")
        self.assertEqual(json.loads(shown.out)["Items"], {"user": "they"})
        self.assertIn("Wrote variable", shown.err)
        self.assertIn("has been changed", self.fails("var", "purge", "-check-index=1", "a/b"))
        self.assertEqual(self.cli("var", "purge", "a/b").out, 'Purged variable "a/b"\n')
        self.assertEqual(self.fails("var", "get", "a/b"), "drover var get: variable not found\n")

    @unittest.skipUnless(HAS_HCL, "this build has no drover-hcl")
    def test_specifications(self):
        self.cli("var", "init", "-quiet")
        self.cli("var", "init", "-out=json", "-quiet")
        self.assertIn("exists", self.fails("var", "init"))
        self.cli("var", "put", "@spec.nv.hcl")
        self.cli("var", "put", "-force", "@spec.nv.json")
        self.assertEqual(self.items("nomad/jobs/web"), {"user": "admin", "password": "change me"})
        # What get prints is a specification, which knows its modify index.
        difficult = {"a.b": 'x "y"\n${z} $${', "ä": "\t€ \\ %{if}"}
        self.agent.must("PUT", "/v1/var/difficult", {"Items": difficult})
        for form in ("hcl", "json"):
            with self.subTest(form):
                printed = self.cli("var", "get", "-out", form, "difficult").out
                with self.input(printed) as source:
                    self.cli("var", "put", "-in", form, "-", stdin=source)
                self.assertEqual(self.items("difficult"), difficult)
                with self.input(printed) as source:
                    self.assertIn("has been changed", self.fails("var", "put", "-", stdin=source))
                with self.input(printed) as source:
                    self.cli("var", "put", f"copies/{form}", "-", stdin=source)
                self.assertEqual(self.items(f"copies/{form}"), difficult)
        spec = self.sandbox.write("one.hcl", 'path = "one"\nnamespace = "team"\n'
                                             'items {\n  a = 1\n  b = true\n  c = "x"\n}\n')
        self.cli("var", "put", f"@{spec}", "b=", "d=@one.hcl", "e=\\@home")
        one = self.agent.get("/v1/var/one", namespace="team")["Items"]
        self.assertEqual((one["a"], one["c"], one["e"]), ("1", "x", "@home"))
        self.assertNotIn("b", one)
        self.assertEqual(one["d"], spec.read_text())
        with self.input("from standard input") as source:
            self.cli("var", "put", "two", f"@{spec}", "a=-", stdin=source)
        self.assertEqual(self.agent.get("/v1/var/two", namespace="team")["Items"]["a"],
                         "from standard input", "the path of the command line counts")
        self.cli("var", "put", "-namespace=other", f"@{spec}")
        self.assertEqual(self.agent.get("/v1/var/one", namespace="other")["Items"]["b"], "true")

    def test_what_is_wrong_is_told_without_values(self):
        spec = self.sandbox.write("wrong.hcl", f'items {{\n  a = ["{SECRET}"]\n}}\n')
        for arguments, said in (
                (["a"], "has no items"), (["a", SECRET], "must be KEY=VALUE"),
                (["a", f"@{spec}"], "wrong.hcl"), (["@/no/such"], "no such file"),
                (["-in=xml", "a", "k=v"], "xml"), (["-force", "-check-index=1", "a", "k=v"], "excludes"),
                (["-out=go-template", "a", "k=v"], "needs a --template"), ([], "PATH")):
            with self.subTest(said):
                done = self.sandbox.command("var", "put", *arguments,
                                            env={"DROVER_ADDR": self.address})
                self.assertIn(done.code, (1, 2), done)
                self.assertIn(said, done.err)
                self.assertNotIn(SECRET, done.err)
        self.assertIn("invalid path", self.fails("var", "put", "a b", "k=v"))
        self.assertIn("is reserved", self.fails("var", "put", "nomad/x", "k=v"))
        self.assertEqual(self.agent.get("/v1/vars", namespace="*"), [])

    def test_lists(self):
        for path in ("a/1", "a/2", "b"):
            put(self.agent, path)
        put(self.agent, "a/1", namespace="team")
        shown = self.cli("var", "list").out
        self.assertRegex(shown, r"^Namespace +Path +Last Updated\n")
        self.assertEqual(len(shown.splitlines()), 5)
        self.assertEqual(self.cli("var", "list", "-out=terse", "-namespace=default", "a/").out,
                         "a/1\na/2\n")
        self.assertEqual(self.cli("var", "list", "-filter", 'Path == "b"', "-template",
                                  "{{range .}}{{.Path}}{{end}}").out, "b\n")
        page = self.cli("var", "list", "-out=json", "-per-page=2", "-namespace=default")
        self.assertEqual([one["Path"] for one in json.loads(page.out)], ["a/1", "a/2"])
        self.assertIn("--page-token default.b", page.err)
        self.assertEqual(self.cli("var", "list", "-out=terse", "-namespace=default",
                                  "-page-token=default.b").out, "b\n")
        self.assertEqual(self.cli("var", "list", "none").out, "No variables found\n")

    def test_the_keyring(self):
        before = self.json("operator", "root", "keyring", "list")
        self.assertEqual([key["State"] for key in before], ["active"])
        rotated = self.json("operator", "root", "keyring", "rotate")["Key"]
        now = self.json("operator", "root", "keyring", "list")
        self.assertEqual([(key["KeyID"], key["State"]) for key in now],
                         [(rotated["KeyID"], "active"), (before[0]["KeyID"], "inactive")])
        self.assertIn(rotated["KeyID"],
                      self.cli("operator", "root", "keyring", "list", "-verbose").out)


class VariableSecretTest(DroverTest):
    """The state of an agent that keeps one."""

    def setUp(self):
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()
        self.data = self.sandbox.root / "data"

    def start(self, *options, **fields):
        self.agent = Agent(self.sandbox, *options, dev=False,
                           config=agent_config(self.sandbox, **fields))

    def kill(self):
        self.agent.run.process.send_signal(signal.SIGKILL)
        self.agent.run.process.wait()

    def files_with(self, text):
        wanted = text.encode()
        return [path for path in self.data.rglob("*") if path.is_file() and wanted in path.read_bytes()]

    def test_nothing_has_the_items_in_the_clear(self):
        self.start("--log-level", "debug")
        events = http.client.HTTPConnection(self.agent.address, timeout=harness.LIMIT)
        events.request("GET", "/v1/event/stream?topic=Variable")
        answer = events.getresponse()
        put(self.agent, "nomad/jobs/web")
        put(self.agent, "nomad/jobs/web", SECRET + "2")
        self.agent.ask("PUT", "/v1/var/nomad/jobs/web", {"Items": {"k": [SECRET]}})
        self.agent.ask("PUT", "/v1/var/bad.path", {"Items": {"k": SECRET}})
        self.agent.ask("DELETE", "/v1/var/nomad/jobs/web")
        put(self.agent, "kept")
        seen = []
        while len(seen) < 4:
            seen += json.loads(answer.readline()).get("Events") or []
        events.close()
        self.assertEqual([(e["Type"], e["Key"]) for e in seen],
                         [("VariableUpserted", "nomad/jobs/web")] * 2 +
                         [("VariableDeleted", "nomad/jobs/web"), ("VariableUpserted", "kept")])
        self.assertNotIn("Items", json.dumps(seen))
        for path in ("/v1/metrics", "/v1/agent/self", "/v1/vars"):
            self.assertNotIn(SECRET, json.dumps(self.agent.get(path)))
        self.assertIn("path=/v1/var/kept", self.agent.run.err, "the log tells paths")
        self.assertNotIn(SECRET, self.agent.run.story())
        self.assertEqual(self.files_with(SECRET), [])
        self.agent.stop()
        self.assertEqual(self.files_with(SECRET), [])
        self.assertEqual(self.files_with(base64.b64encode(SECRET.encode()).decode()[:24]), [])

    def test_a_crash_leaves_no_core_file_and_tasks_keep_their_limit(self):
        def core_limits(text):
            return re.search(r"(?m)^Max core file size +(\S+) +(\S+)", text).groups()
        self.start()
        own_soft, hard = core_limits(pathlib.Path("/proc/self/limits").read_text())
        agent = pathlib.Path(f"/proc/{self.agent.run.process.pid}/limits").read_text()
        self.assertEqual(core_limits(agent), ("0" if hard == "0" else "1", hard))
        out = self.sandbox.root / "limits"
        script = f"cat /proc/self/limits > {out}.new; mv {out}.new {out}; exec sleep 1000"
        self.agent.submit(job(group(task("t", script)), id="web", type="service"))
        harness.wait_until(out.exists, "the limits of the task")
        self.assertEqual(core_limits(out.read_text()), (own_soft, hard))
        self.agent.forget_all(self.leftovers)
        self.agent.stop()

    def test_the_next_agent_has_them(self):
        self.start()
        made = put(self.agent, "a/b")
        put(self.agent, "gone")
        self.agent.ask("DELETE", "/v1/var/gone")
        key = self.agent.get("/v1/operator/keyring/keys")[0]["KeyID"]
        self.kill()
        self.start()
        self.assertEqual(self.agent.get("/v1/var/a/b"), made)
        self.assertEqual([one["Path"] for one in self.agent.get("/v1/vars")], ["a/b"])
        self.assertEqual(self.agent.get("/v1/operator/keyring/keys")[0]["KeyID"], key)
        self.assertGreater(put(self.agent, "a/b", cas=made["ModifyIndex"])["ModifyIndex"],
                           made["ModifyIndex"])
        self.agent.stop()

    def test_a_copy_of_the_state_without_the_key_opens_nothing(self):
        self.start()
        put(self.agent, "a")
        self.agent.stop()
        file = self.data / "keys" / "seal.key"
        self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o400)
        right = file.read_bytes()
        file.unlink()
        self.start()
        reply = self.agent.ask("GET", "/v1/var/a")
        self.assertEqual(reply.status, 500)
        self.assertIn(b"cannot be opened", reply.body)
        self.assertIn("another key will sign tokens", self.agent.run.err)
        self.assertIn('the seal key cannot open the variable "a" of the namespace "default"',
                      self.agent.run.err)
        self.agent.stop()
        file.unlink()
        file.write_bytes(right)
        file.chmod(0o400)
        self.start()
        self.assertEqual(self.agent.get("/v1/var/a")["Items"], {"password": SECRET})
        self.agent.stop()

    def test_a_key_that_others_can_read_is_refused(self):
        self.start()
        self.agent.stop()
        (self.data / "keys" / "seal.key").chmod(0o440)
        done = self.sandbox.command("agent", "--config", agent_config(self.sandbox), "--port", "0")
        self.assertEqual(done.code, 1, done)
        self.assertIn("a seal key has 0400: run chmod 0400", done.err)

    @unittest.skipUnless(harness.LONG, "it takes a minute: set DROVER_E2E_LONG=1")
    def test_a_key_that_has_signed_for_too_long_is_replaced(self):
        self.start(server={"root_key_rotation_threshold": "1m"})

        def active():
            return next(key["KeyID"] for key in self.agent.get("/v1/operator/keyring/keys")
                        if key["State"] == "active")
        first = active()
        harness.wait_until(lambda: active() != first, "another key", limit=60 + harness.LIMIT, step=0.5)
        self.agent.stop()

    def test_a_task_gets_a_token_that_the_documents_check(self):
        self.start(server={"oidc_issuer": "https://drover.example"})
        out = self.sandbox.root / "token"
        script = f'echo "$NOMAD_TOKEN" > {out}.new; mv {out}.new {out}; exec sleep 1000'
        self.agent.submit(job(group(task("t", script, Identity={"Env": True, "File": True})),
                              id="web", type="service"))
        alloc = self.agent.wait_allocs("web", 1, "running")[0]["ID"]
        harness.wait_until(out.exists, "the token")
        head, claims, _ = out.read_text().strip().split(".")

        def decoded(part):
            return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
        self.assertEqual(decoded(head)["alg"], "EdDSA")
        self.assertEqual(decoded(claims)["nomad_allocation_id"], alloc)
        self.assertEqual(decoded(claims)["iss"], "https://drover.example")
        keys = self.agent.get("/.well-known/jwks.json")["keys"]
        self.assertIn(decoded(head)["kid"], [key["kid"] for key in keys])
        document = self.agent.get("/.well-known/openid-configuration")
        self.assertEqual(document["jwks_uri"], "https://drover.example/.well-known/jwks.json")
        self.agent.must("PUT", "/v1/operator/keyring/rotate")
        keys = self.agent.get("/.well-known/jwks.json")["keys"]
        self.assertEqual(len(keys), 2, "the key of a living task goes on to check its token")
        self.agent.forget_all(self.leftovers)
        self.agent.stop()


if __name__ == "__main__":
    unittest.main()
