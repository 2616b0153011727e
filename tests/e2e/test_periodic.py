# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Jobs that start others: by time, by request, and over the end of an agent."""
import base64
import json
import os
import pathlib
import re
import subprocess
import sys
import time

import harness
from agent_harness import Agent, AgentTest, agent_config
from harness import DroverTest, group, job, mock, task, wait_until
from test_agent_load import EXACT, MB, memory
from test_client import Client
from test_takeover import TakeoverCase

EACH_SECOND = "* * * * * * *"
NEVER_SOON = "0 0 29 2 *"


def periodic(*tasks, id="p", spec=EACH_SECOND, **block):
    return job(group(*tasks or (mock("t", run_for="10ms"),)), id=id,
               Periodic={"Specs": [spec], **block})


def parameterized(*tasks, id="p", block=None, **fields):
    return job(group(*tasks or (mock("t", run_for="10ms"),)), id=id,
               ParameterizedJob=block or {}, **fields)


class Children(Client):
    """A part of a test class."""

    def children(self, parent="p"):
        return sorted(one["ID"] for one in self.agent.get("/v1/jobs", prefix=parent + "/"))

    def wait_children(self, count, parent="p"):
        return wait_until(
            lambda: (lambda found: found if len(found) >= count else None)(self.children(parent)),
            f"{count} children of {parent}")

    def counts(self, parent="p"):
        return self.agent.get(f"/v1/job/{parent}/summary")["Children"]

    def log(self, job_id, name="t"):
        alloc, = self.agent.wait_allocs(job_id, 1, "complete")
        return self.agent.ask("GET", f"/v1/client/fs/logs/{alloc['ID']}", task=name, type="stdout",
                              plain=1).body.decode()


class PeriodicTest(Children, AgentTest):
    def setUp(self):
        super().setUp()
        self.address = self.agent.url

    def test_children_start_at_their_seconds(self):
        reply = self.agent.submit(periodic())
        self.assertEqual(reply["EvalID"], "")
        found = self.wait_children(3)
        seconds = [int(re.fullmatch(r"p/periodic-(\d+)", one).group(1)) for one in found]
        self.assertEqual(seconds, sorted(set(seconds)))
        self.assertLess(abs(seconds[-1] - time.time()), 5 * harness.SLACK)
        self.agent.must("DELETE", "/v1/job/p")
        there = len(self.children())
        self.assertEqual(self.agent.get("/v1/job/p")["Status"], "dead")
        wait_until(lambda: self.counts()["Dead"] == there, "the ends of the children")
        time.sleep(1.5)
        self.assertEqual(len(self.children()), there, "a stopped job launches nothing")
        first = self.agent.get(f"/v1/job/{found[0]}")
        self.assertEqual((first["ParentID"], first["Periodic"], first["Type"]), ("p", None, "batch"))
        listed = self.agent.get("/v1/jobs")
        self.assertEqual([one["Periodic"] for one in listed][:2], [True, False])
        self.assertTrue(all(self.agent.allocs(one) for one in found))
        self.assertEqual(self.agent.allocs("p"), [])

    def test_launches_do_not_overlap_if_they_must_not(self):
        self.agent.submit(periodic(mock("t", run_for="1h"), ProhibitOverlap=True))
        first, = self.wait_children(1)
        time.sleep(2.5)
        self.assertEqual(self.children(), [first])
        self.assertEqual(self.counts(), {"Pending": 0, "Running": 1, "Dead": 0})
        self.agent.must("DELETE", f"/v1/job/{first}")
        self.wait_children(2)
        self.agent.must("DELETE", "/v1/job/p")

    def test_a_launch_is_forced(self):
        self.agent.submit(periodic(spec=NEVER_SOON))
        self.assertRegex(self.cli("job", "periodic", "force", "p").out, "complete")
        child, = self.children()
        self.agent.wait_allocs(child, 1, "complete")
        answer = self.json("job", "periodic", "force", "-detach", "p")
        self.assertRegex(answer["EvalID"], "^[0-9a-f-]{36}$")
        self.assertIn("can't force launch non-periodic job",
                      self.fails("job", "periodic", "force", child))
        self.agent.must("DELETE", "/v1/job/p")
        self.assertIn("it is stopped", self.fails("job", "periodic", "force", "p"))

    def test_the_beginning_of_an_id_means_the_parent(self):
        self.agent.submit(periodic(id="nightly", spec=NEVER_SOON))
        self.agent.submit(parameterized(id="report"))
        for _ in range(2):
            self.cli("job", "periodic", "force", "-detach", "night")
            self.cli("job", "dispatch", "-detach", "rep")
        self.assertEqual(len(self.children("report")), 2)
        self.assertIn("is the beginning of", self.fails("job", "stop", "rep"))

    def test_a_job_is_run_by_the_command_line(self):
        path = self.sandbox.write("p.json", periodic(spec=NEVER_SOON))
        self.assertIn("starts others when it is time", self.cli("job", "run", path).out)
        self.assertEqual(self.agent.get("/v1/job/p")["Status"], "running")
        self.assertIn("/Job/Periodic: such a job only starts others",
                      self.sandbox.command("run", "--config", self.sandbox.config_file, path).err)

    def test_what_is_wrong_with_a_schedule_is_said_by_its_place(self):
        for spec, zone, text in (
                ("61 * * * *", "UTC", '/Job/Periodic/Specs/0: the field of minutes: "61"'),
                ("0 0 30 2 *", "UTC", "names no time before the year 2100"),
                ("@daily", "Europe/Atlantis", '/Job/Periodic/TimeZone: "Europe/Atlantis" is not'),
                ("@daily", "../../etc/passwd", "is no name of a time zone")):
            wrong = periodic(spec=spec, TimeZone=zone)
            with self.subTest(text):
                for path in ("/v1/jobs", "/v1/job/p/plan"):
                    reply = self.agent.ask("PUT", path, wrong)
                    self.assertEqual(reply.status, 500)
                    self.assertIn(text, reply.body.decode())
                checked = self.agent.must("PUT", "/v1/validate/job", wrong)
                self.assertIn(text, checked["Error"])
                path = self.sandbox.write("wrong.json", wrong)
                done = self.sandbox.command("validate", path)
                self.assertEqual((done.code, text.rpartition(": ")[2] in done.out), (1, True), done)
        self.assertEqual(self.agent.get("/v1/jobs"), [])

    def test_a_job_keeps_its_kind(self):
        self.agent.submit(periodic(spec=NEVER_SOON))
        for other in (job(group(mock("t", run_for="1h")), id="p"), parameterized()):
            reply = self.agent.ask("PUT", "/v1/jobs", other)
            self.assertEqual(reply.status, 500)
            self.assertIn("stop it with --purge first", reply.body.decode())
        self.agent.must("DELETE", "/v1/job/p", purge="true")
        self.agent.submit(parameterized())

    def test_a_plan_says_when_the_first_child_is_launched(self):
        plan = self.agent.must("PUT", "/v1/job/p/plan", periodic(spec="0 0 1 1 * 2099"))
        self.assertEqual(plan["NextPeriodicLaunch"], "2099-01-01T00:00:00.000000000Z")


class DispatchTest(Children, AgentTest):
    def setUp(self):
        super().setUp()
        self.address = self.agent.url

    def dispatch(self, body=None, id="p", **query):
        return self.agent.must("PUT", f"/v1/job/{id}/dispatch", body or {}, **query)

    def test_a_task_gets_payload_and_metadata(self):
        reads = task("t", 'cat local/in/payload; stat -c " %a" local/in/payload; '
                     'echo "$NOMAD_META_who,$NOMAD_META_much,$NOMAD_JOB_PARENT_ID"',
                     DispatchPayload={"File": "in/payload"})
        self.agent.submit(parameterized(
            reads, block={"Payload": "required", "MetaRequired": ["who"], "MetaOptional": ["much"]}))
        payload = bytes(range(256)) * 64
        path = self.sandbox.root / "payload"
        path.write_bytes(b"some bytes")
        out = self.cli("job", "dispatch", "-meta", "who=ada", "-id-prefix-template", "x", "p", path).out
        child, = self.children()
        self.assertRegex(child, r"^p/dispatch-x-\d{10}-[0-9a-f]{8}$")
        self.assertIn(f'job "{child}" is dispatched\n', out)
        self.assertEqual(self.log(child), "some bytes 755\nada,,p\n")
        shown = self.agent.get(f"/v1/job/{child}")
        self.assertEqual((shown["Dispatched"], shown["Payload"], shown["ParentID"]),
                         (True, base64.b64encode(b"some bytes").decode(), "p"))
        reply = self.dispatch({"Payload": base64.b64encode(payload).decode(), "Meta": {"who": "b"}})
        kept = self.agent.ask("GET", f"/v1/job/{reply['DispatchedJobID']}/dispatch/payload")
        self.assertEqual((kept.status, kept.body), (200, payload))

    def test_standard_input_is_a_payload(self):
        self.agent.submit(parameterized(task("t", "cat local/x", DispatchPayload={"File": "x"})))
        with subprocess.Popen(["printf", "piped"], stdout=subprocess.PIPE) as source:
            self.cli("job", "dispatch", "p", "-", stdin=source.stdout)
            source.stdout.close()
        self.assertEqual(self.log(self.children()[0]), "piped")

    def test_a_token_starts_one_child(self):
        self.agent.submit(parameterized())
        first = self.dispatch(idempotency_token="a")
        again = self.dispatch(idempotency_token="a")
        self.assertEqual(again["DispatchedJobID"], first["DispatchedJobID"])
        self.assertEqual((again["EvalID"], again["JobCreateIndex"]), ("", first["JobCreateIndex"]))
        self.assertIn('is the one with the idempotency token "a"\n',
                      self.cli("job", "dispatch", "-idempotency-token", "a", "p").out)
        self.dispatch(idempotency_token="b")
        self.assertEqual(len(self.children()), 2)

    def test_what_a_dispatch_must_not_have_is_refused(self):
        self.agent.submit(parameterized(block={"Payload": "forbidden", "MetaRequired": ["k"]}))
        path = self.sandbox.write("payload", "x")
        for arguments, text in (
                (["p"], "did not provide required meta keys: [k]"),
                (["-meta", "k=v", "-meta", "l=w", "p"], "unpermitted metadata keys: [l]"),
                (["-meta", "k=v", "p", path], "Payload provided but forbidden"),
                (["-meta", "k=v", "-priority", "101", "p"], "Priority must be"),
                (["-meta", "k=v", "-id-prefix-template", "a b", "p"], "IdPrefixTemplate")):
            with self.subTest(text):
                self.assertIn(text, self.fails("job", "dispatch", *arguments))
        self.assertIn("is not KEY=VALUE", self.fails("job", "dispatch", "-meta", "k", "p", code=2))
        self.assertIn("no such file", self.fails("job", "dispatch", "-meta", "k=v", "p", "/no/such"))
        self.assertEqual(self.children(), [])
        self.agent.must("DELETE", "/v1/job/p")
        self.assertIn('Specified job "p" is stopped', self.fails("job", "dispatch", "p"))

    def test_a_dispatched_periodic_job_launches_with_its_parameters(self):
        self.agent.submit(parameterized(
            task("t", "cat local/x", DispatchPayload={"File": "x"}),
            Periodic={"Specs": [EACH_SECOND]}))
        time.sleep(1.2)
        self.assertEqual(self.children(), [])
        child = self.dispatch({"Payload": base64.b64encode(b"for all").decode()})["DispatchedJobID"]
        first = self.wait_children(1, child)[0]
        self.agent.must("DELETE", f"/v1/job/{child}")
        self.assertEqual(self.log(first), "for all")
        self.assertEqual(self.agent.get(f"/v1/job/{first}")["ParentID"], child)

    def test_a_child_cannot_be_submitted(self):
        self.agent.submit(parameterized())
        child = self.agent.get("/v1/job/" + self.dispatch()["DispatchedJobID"])
        reply = self.agent.ask("PUT", "/v1/jobs", {"Job": {**child, "ID": "other", "Name": "other",
                                                          "ParentID": ""}})
        self.assertEqual(reply.status, 500)
        self.assertIn("/Job/Dispatched: only a dispatch", reply.body.decode())


class PeriodicTakeoverTest(Children, TakeoverCase):
    """The agent is killed, and the next one goes on."""

    def next(self):
        self.agent = self.start()

    def test_launches_of_the_absence_are_one(self):
        self.agent.submit(periodic())
        self.wait_children(2)
        self.kill()
        before = time.time()
        time.sleep(4)
        self.next()
        self.agent.get_until("/v1/jobs", lambda reply: any(
            int(one["ID"].rpartition("-")[2]) > before + 3 for one in json.loads(reply.body)
            if one["ParentID"] == "p"), prefix="p/")
        found = [int(one.rpartition("-")[2]) for one in self.children()]
        missed = [one for one in found if before + 1 < one < before + 3.5]
        self.assertLessEqual(len(missed), 1, found)
        self.assertEqual(len(found), len(set(found)))

    def test_a_killed_agent_launches_nothing_twice(self):
        self.agent.submit(periodic())
        for _ in range(4):
            self.wait_children(len(self.children()) + 1)
            self.kill()
            self.next()
        allocs = {one: self.agent.allocs(one) for one in self.children()}
        for one, its in allocs.items():
            self.assertLessEqual(len(its), 1, f"{one} has {its}")

    def test_a_token_is_known_to_the_next_agent(self):
        self.agent.submit(parameterized())
        first = self.agent.must("PUT", "/v1/job/p/dispatch", {}, idempotency_token="once")
        self.kill()
        self.next()
        again = self.agent.must("PUT", "/v1/job/p/dispatch", {}, idempotency_token="once")
        self.assertEqual(again["DispatchedJobID"], first["DispatchedJobID"])
        self.assertEqual(len(self.children()), 1)
        self.assertEqual(sum(self.counts().values()), 1)


class PeriodicLoadTest(DroverTest):
    """A thousand jobs that wait for their time."""

    COUNT, SECONDS = 1000, 20

    def idle_cost(self, enabled):
        """Returns the memory of an agent with periodic jobs, and the share of a core that it takes."""
        self.sandbox.alloc_dirs[0].mkdir(exist_ok=True)
        agent = Agent(self.sandbox, config=agent_config(self.sandbox, f"agent-{enabled}.json"))
        for n in range(self.COUNT):
            agent.submit(periodic(id=f"p{n}", spec=NEVER_SOON, Enabled=enabled,
                                  TimeZone="Europe/Berlin"))
        time.sleep(3)  # what the requests have left over

        def busy():
            fields = pathlib.Path(f"/proc/{agent.run.pid}/stat").read_text().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        before = busy()
        time.sleep(self.SECONDS)
        share = (busy() - before) / self.SECONDS
        held = memory(agent, "RssAnon")
        agent.stop()
        return held, share

    def test_they_cost_an_idle_agent_nearly_nothing(self):
        without, _ = self.idle_cost(False)
        held, share = self.idle_cost(True)
        print(f"{self.COUNT} periodic jobs: {(held - without) >> 10} KiB more, "
              f"{100 * share:.2f} % of a core", file=sys.stderr)
        self.assertLess(share, 0.005 * harness.SLACK)
        if EXACT:
            # The heaps of two agents are never quite the same.
            self.assertLess(held - without, 2 * MB + MB)


if __name__ == "__main__":
    harness.main()
