# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The tokens of tasks: what they state, where a task finds them, and how it hears of new ones."""
import base64
import json
import stat

import harness
from agent_harness import AgentTest
from harness import group, job, task

# Writes the environment and runs on.
SHOW_ENV = "env > local/new; mv local/new local/env; exec sleep 1000"
# Keeps the first token, and that of the time of each signal.
HEAR = """
token="$NOMAD_SECRETS_DIR/nomad_cloud.jwt"
trap 'cp "$token" local/new; mv local/new local/heard' USR1
cp "$token" local/new; mv local/new local/first
while :; do sleep 0.05; done
"""
UUID = "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"


def parts(token):
    """The header and the claims of a token."""
    return [json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
            for part in token.split(".")[:2]]


class IdentityTest(AgentTest):
    def start(self, *tasks):
        """Runs a job with the tasks. Returns the id of its allocation and its directory."""
        self.agent.submit(job(group(*tasks), id="web", type="service"))
        alloc = self.agent.wait_allocs("web", 1, "running")[0]["ID"]
        return alloc, self.sandbox.alloc_dirs[0] / alloc

    def read(self, path):
        """The content of a file that a task moves to its place."""
        harness.wait_until(path.exists, path)
        return path.read_text()

    def wait_event(self, alloc, name, kind):
        """Waits for an event of a task, and returns all of its events."""
        return self.agent.wait_tasks(
            alloc, lambda tasks: kind in [event["Type"] for event in tasks[name]["Events"]],
            f"{kind} of {name}")[name]["Events"]

    def test_a_token_states_what_its_task_is(self):
        cloud = {"Name": "cloud", "Audience": ["a", "b"], "File": True, "Filepath": "local/cloud",
                 "TTL": "1h"}
        alloc, root = self.start(
            task("t", SHOW_ENV, Identity={"File": True}, Identities=[cloud]), task("bare", SHOW_ENV))
        common = {"nomad_namespace": "default", "nomad_job_id": "web", "nomad_allocation_id": alloc,
                  "nomad_task": "t"}
        head, own = parts((root / "t/secrets/nomad_token").read_text())
        keys = self.agent.get("/.well-known/jwks.json")["keys"]
        self.assertEqual(head, {"alg": "EdDSA", "kid": keys[0]["kid"], "typ": "JWT"})
        self.assertRegex(own["jti"], UUID)
        self.assertEqual(own, {**common, "sub": "global:default:web:g:t:default", "jti": own["jti"],
                               "aud": "nomadproject.io", "iat": own["iat"], "nbf": own["iat"]})
        _, other = parts((root / "t/local/cloud").read_text())
        self.assertNotEqual(other["jti"], own["jti"])
        self.assertEqual(other, {**common, "sub": "global:default:web:g:t:cloud", "jti": other["jti"],
                                 "aud": ["a", "b"], "iat": other["iat"], "nbf": other["iat"],
                                 "exp": other["iat"] + 3600})
        for path in (root / "t/secrets/nomad_token", root / "t/local/cloud"):
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
            self.assertEqual(path.stat().st_uid, (root / "t").stat().st_uid)
        self.assertFalse((root / "bare/secrets/nomad_token").exists(), "it asks for no token")
        for name in ("t", "bare"):
            self.assertNotIn("NOMAD_TOKEN", self.read(root / name / "local/env"))

    def test_a_task_hears_of_a_new_token_as_it_wants(self):
        cloud = {"Name": "cloud", "Audience": ["sts.example"], "File": True, "TTL": "20s"}
        alloc, root = self.start(
            task("signalled", HEAR,
                 Identities=[{**cloud, "ChangeMode": "signal", "ChangeSignal": "SIGUSR1"}]),
            task("restarted", 'echo "$NOMAD_TOKEN_cloud" >> local/tokens; exec sleep 1000',
                 Identities=[{**cloud, "Env": True, "ChangeMode": "restart"}]),
            task("quiet", HEAR, Identities=[cloud]))
        before = parts(self.read(root / "signalled/local/first"))[1]
        after = parts(self.read(root / "signalled/local/heard"))[1]
        self.assertEqual((after["sub"], after["aud"]), (before["sub"], "sts.example"))
        self.assertEqual((before["exp"], after["exp"]), (before["iat"] + 20, after["iat"] + 20))
        self.assertIn(after["iat"] - before["iat"], range(9, 20), "half of its time is over")
        self.wait_event(alloc, "signalled", "Signaling")
        # The task gets one more token with each restart.
        harness.wait_until(lambda: (root / "restarted/local/tokens").read_text().count("\n") >= 2,
                           "the restart")
        first, second = (root / "restarted/local/tokens").read_text().split()[:2]
        self.assertNotEqual(first, second)
        events = self.wait_event(alloc, "restarted", "Restart Signaled")
        self.assertIn('the token of the identity "cloud" was renewed',
                      [e["DisplayMessage"] for e in events if e["Type"] == "Restart Signaled"])
        quiet = self.read(root / "quiet/local/first")
        harness.wait_until(lambda: (root / "quiet/secrets/nomad_cloud.jwt").read_text() != quiet,
                           "the new token of the task that hears of none")
        # Its only signal is that of a client.
        self.agent.must("PUT", f"/v1/client/allocation/{alloc}/signal",
                        {"Task": "quiet", "Signal": "SIGUSR1"})
        self.assertNotEqual(self.read(root / "quiet/local/heard"), quiet)
        self.assertEqual([e["Type"] for e in self.wait_event(alloc, "quiet", "Signaling")],
                         ["Received", "Task Setup", "Started", "Signaling"])


if __name__ == "__main__":
    harness.main()
