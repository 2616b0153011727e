# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The agent, driven by curl: a job from its registration to its end."""
import json
import shutil
import subprocess
import sys

import harness
from agent_harness import AgentTest
from harness import group, job, task, wait_until

SKIPPED = 77  # the exit code by which ctest knows a skipped test
LINES = 300_000  # two megabytes, which are rotated


class CurlTest(AgentTest):
    def curl(self, path, *options):
        """Returns the output of curl. curl fails for an error answer."""
        done = subprocess.run(["curl", "-sS", "--fail-with-body", *options, self.agent.url + path],
                              capture_output=True, timeout=harness.LIMIT)
        self.assertEqual(done.returncode, 0, (path, done.stdout[-300:], done.stderr))
        return done.stdout

    def json(self, path, *options):
        return json.loads(self.curl(path, *options))

    def follow(self, path):
        follower = subprocess.Popen(["curl", "-sSN", self.agent.url + path], stdout=subprocess.PIPE)
        self.addCleanup(follower.communicate)
        self.addCleanup(follower.terminate)
        return follower.stdout

    def allocation(self):
        return self.json(f"/v1/allocation/{self.alloc}")

    def wait_restarts(self, count):
        wait_until(lambda: [(state["Restarts"], state["State"]) for state in
                            self.allocation()["TaskStates"].values()] == [(count, "running")],
                   f"{count} restarts")

    def test_a_job_from_its_registration_to_its_end(self):
        events = self.follow("/v1/event/stream?topic=Job&topic=Allocation")
        self.assertEqual(events.readline(), b"{}\n")
        script = f"seq {LINES}; trap 'echo heard >$NOMAD_TASK_DIR/f' USR1; while :; do sleep 0.02; done"
        sent = self.sandbox.write("job.json", json.dumps(job(group(
            task("t", script, LogConfig={"MaxFiles": 5, "MaxFileSizeMB": 1})), id="web",
            type="service")))
        self.curl("/v1/validate/job", "-d", f"@{sent}")
        reply = self.json("/v1/jobs", "-T", str(sent), "-H", "Expect: 100-continue")
        changes = (json.loads(line) for line in events if line != b"{}\n")  # without heartbeats
        self.assertEqual([{event["Topic"] for event in next(changes)["Events"]} for _ in range(2)],
                         [{"Job"}, {"Job", "Allocation"}])

        # A blocking query and one without a wait, over one connection.
        index = reply["JobModifyIndex"]
        list_path = "/v1/job/web/allocations"
        both = self.curl(f"{list_path}?index={index - 1}&wait=10s", self.agent.url + "/v1/regions",
                         "--compressed", "-w", "%{num_connects}\n")
        self.assertEqual(both.count(b"0\n") + both.count(b"1\n"), 2, both)
        wait_until(lambda: [a["ClientStatus"] for a in self.json(list_path)] == ["running"],
                   "it runs")
        self.alloc = self.json(list_path)[0]["ID"]
        self.assertIn(b"\n    ", self.curl("/v1/job/web?pretty"))
        self.assertEqual([j["ID"] for j in self.json("/v1/jobs?prefix=we")], ["web"])

        # Reads through rotations from the first line on, and by ranges of the file.
        logs = self.follow(f"/v1/client/fs/logs/{self.alloc}?task=t&type=stdout&plain=true&follow=true")
        last = b""
        for number in range(1, LINES + 1):
            last = logs.readline()
            if last != b"%d\n" % number:
                self.fail(f"{last!r} is not line {number}")
        files = self.json(f"/v1/client/fs/ls/{self.alloc}?path=alloc/logs")
        self.assertGreater(len([f for f in files if f["Name"].startswith("t.stdout.")]), 1)
        at = f"/v1/client/fs/readat/{self.alloc}?path=alloc/logs/t.stdout.0&offset=2&limit=3"
        self.assertEqual(self.curl(at), b"2\n3")

        client = f"/v1/client/allocation/{self.alloc}"
        self.curl(client + "/signal", "-d", '{"Task": "t", "Signal": "SIGUSR1"}')
        wait_until(lambda: "f" in [f["Name"] for f in self.json(
            f"/v1/client/fs/ls/{self.alloc}?path=t/local")], "the signal arrives")
        self.assertGreater(self.json(client + "/stats")["ResourceUsage"]["MemoryStats"]["RSS"], 0)
        for count, body in enumerate(('{"TaskName": "t"}', "{}", '{"AllTasks": true}'), 1):
            self.curl(client + "/restart", "-X", "PUT", "-d", body)
            self.wait_restarts(count)

        self.curl("/v1/job/web", "-X", "DELETE")
        wait_until(lambda: self.allocation()["ClientStatus"] == "complete", "it is stopped")
        self.curl("/v1/system/gc", "-X", "PUT")
        refused = subprocess.run(["curl", "-s", "-w", "%{http_code}", self.agent.url + "/v1/job/web"],
                                 capture_output=True, timeout=harness.LIMIT)
        self.assertEqual(refused.stdout, b"job not found404")


if __name__ == "__main__":
    if shutil.which("curl") is None:
        print("SKIP: there is no curl in PATH")
        sys.exit(SKIPPED)
    harness.main()
