# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The live streams of an agent: events and its own log."""
import base64
import http.client
import json
import signal
import urllib.parse

import harness
from agent_harness import Agent, AgentTest, agent_config
from harness import DroverTest, Run, group, job, mock, task


class Stream:
    """An answer that goes on."""

    def __init__(self, agent, path, query=()):
        self.connection = http.client.HTTPConnection(agent.address, timeout=harness.LIMIT)
        self.connection.request("GET", path + "?" + urllib.parse.urlencode(query))
        self.answer = self.connection.getresponse()

    def line(self):
        return self.answer.readline().decode()

    def line_with(self, text):
        while True:
            line = self.line()
            if not line:
                raise AssertionError(f"the answer has ended without {text!r}")
            if text in line:
                return line

    def events_until(self, condition):
        """The events up to the first for which CONDITION holds."""
        found = []
        while True:
            batch = json.loads(self.line())
            for event in batch.get("Events", []):
                found.append(event)
                if condition(event):
                    return found

    def close(self):
        self.connection.close()


def batch_job(id, script="exit 0"):
    return job(group(task("t", script)), id=id)


def is_done(event):
    return event["Payload"].get("Allocation", {}).get("ClientStatus") == "complete"


class AgentEventStreamTest(AgentTest):
    def stream(self, *query):
        stream = Stream(self.agent, "/v1/event/stream", query)
        self.addCleanup(stream.close)
        return stream

    def test_the_life_of_a_job(self):
        stream = self.stream()
        self.assertEqual(stream.line(), "{}\n")
        reply = self.agent.submit(batch_job("sum"))
        events = stream.events_until(is_done)
        kinds = {(e["Topic"], e["Type"]) for e in events}
        self.assertLessEqual({("Job", "JobRegistered"), ("Evaluation", "JobRegistered"),
                              ("Allocation", "PlanResult"), ("Allocation", "AllocationUpdated"),
                              ("Node", "NodeRegistration")}, kinds)
        registered = next(e for e in events if e["Topic"] == "Job")
        self.assertEqual((registered["Key"], registered["Namespace"], registered["Index"],
                          registered["Payload"]["Job"]["ID"]),
                         ("sum", "default", reply["Index"], "sum"))
        evaluated = next(e for e in events if e["Topic"] == "Evaluation")
        self.assertEqual((evaluated["Key"], evaluated["FilterKeys"]), (reply["EvalID"], ["sum"]))
        indexes = [e["Index"] for e in events]
        self.assertEqual(indexes, sorted(indexes))
        self.agent.must("DELETE", "/v1/job/sum", purge="true")
        gone = stream.events_until(lambda e: e["Topic"] == "Job" and "Deleted" in e["Payload"])[-1]
        self.assertEqual((gone["Key"], gone["Type"]), ("sum", "JobDeregistered"))

        # A later client reads the same events, from any index.
        again = self.stream(("index", reply["Index"]), ("topic", "Allocation:sum"))
        later = again.events_until(is_done)
        self.assertEqual(later, [e for e in events if e["Topic"] == "Allocation"])

    def test_only_what_is_asked_for(self):
        node = self.agent.get("/v1/nodes")[0]["ID"]
        stream = self.stream(("topic", "Allocation:one"), ("topic", "Node:" + node))
        other_namespace = self.stream(("namespace", "team"), ("topic", "Evaluation"))
        for id in ("two", "one"):
            self.agent.submit(batch_job(id))
        events = stream.events_until(is_done)
        self.assertEqual({e["Payload"]["Allocation"]["JobID"] for e in events
                          if e["Topic"] == "Allocation"}, {"one"})
        self.assertLessEqual({e["Topic"] for e in events}, {"Allocation", "Node"})
        theirs = batch_job("three")
        theirs["Job"]["Namespace"] = "team"
        self.agent.submit(theirs)
        first = other_namespace.events_until(lambda e: True)[0]
        self.assertEqual((first["Namespace"], first["Payload"]["Evaluation"]["JobID"]),
                         ("team", "three"))

    def test_mistakes(self):
        for query, text in (({"index": "x"}, "Unable to parse index"),
                            ({"topic": "a:b:c"}, "Invalid topic query: Invalid key value pair for topic: a:b:c")):
            reply = self.agent.ask("GET", "/v1/event/stream", **query)
            self.assertEqual(reply.status, 400)
            self.assertIn(text, reply.body.decode())
        self.assertEqual(self.agent.ask("POST", "/v1/event/stream").status, 405)

    def waiting(self):
        return self.agent.get("/v1/agent/self")["stats"]["state"]["blocking_queries"]

    def test_clients_that_leave_are_forgotten(self):
        before = self.waiting()
        streams = [self.stream() for _ in range(60)]
        for stream in streams:
            self.assertEqual(stream.line(), "{}\n")
        harness.wait_until(lambda: int(self.waiting()) == int(before) + 60, "all wait")
        for stream in streams:
            stream.close()
        harness.wait_until(lambda: self.waiting() == before, "none waits")

    def test_the_head_of_a_stream_ends(self):
        for path in ("/v1/event/stream", "/v1/agent/monitor?plain=true"):
            connection = http.client.HTTPConnection(self.agent.address, timeout=harness.LIMIT)
            self.addCleanup(connection.close)
            connection.request("HEAD", path)
            answer = connection.getresponse()
            self.assertEqual((answer.status, answer.read()), (200, b""), path)
            # The same connection serves on, so the answer is over for the agent, too.
            connection.request("GET", "/v1/status/leader")
            self.assertEqual(connection.getresponse().status, 200, path)

    def test_the_agent_ends_while_clients_follow(self):
        events = self.stream()
        log = Stream(self.agent, "/v1/agent/monitor", {"plain": "true"})
        self.addCleanup(log.close)
        self.assertEqual(events.line(), "{}\n")
        self.agent.stop()
        for stream in (events, log):
            try:
                while stream.line():
                    pass
            except (OSError, http.client.HTTPException):
                pass  # it may be incomplete, but it must end


class AgentMonitorTest(DroverTest):
    def setUp(self):
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()
        self.config = agent_config(self.sandbox)
        self.agent = Agent(self.sandbox, config=self.config)

    def hang_up(self):
        """Something that the agent logs, at the level info."""
        self.agent.run.signal(signal.SIGHUP)

    def test_each_watches_at_its_own_level(self):
        plain = Stream(self.agent, "/v1/agent/monitor", {"plain": "true"})
        framed = Stream(self.agent, "/v1/agent/monitor", {"log_level": "INFO", "log_json": "1"})
        errors = Stream(self.agent, "/v1/agent/monitor", {"log_level": "error", "plain": "1"})
        self.assertEqual(plain.answer.headers["Content-Type"], "text/plain")
        self.hang_up()
        self.assertIn("[info] configuration reloaded; applied: nothing",
                      plain.line_with("configuration reloaded"))

        def next_line():
            text = ""  # frames follow each other without a line break
            while not text.endswith('"}'):
                text += framed.answer.read1(1).decode()
            frame = json.loads(text[text.index('{"Data"'):])  # heartbeats may stand before it
            return json.loads(base64.b64decode(frame["Data"]))
        line = next_line()
        while " is now healthy" in line["@message"]:  # a driver that was slow
            line = next_line()
        self.assertEqual((line["@level"], line["@message"][:22]),
                         ("info", "configuration reloaded"))
        self.config.write_text("{")
        self.hang_up()
        self.assertIn("[error] the configuration stays as it was", errors.line())
        self.assertNotIn("[info]", self.agent.run.err, "the agent's own log is at warn")
        for stream in (plain, framed, errors):
            stream.close()
        self.agent.stop()

    def client(self, *arguments):
        run = Run(self.sandbox, arguments, json_lines=False,
                  env={"DROVER_ADDR": self.agent.url})
        self.sandbox.runs.append(run)
        return run

    def wait_line(self, run, text):
        return run.wait_for(lambda r: next((l for l in r.lines if text in l), None), text)

    def test_commands(self):
        monitor = self.client("monitor", "--log-level", "debug")
        events = self.client("events", "--topic", "Job", "--topic", "Allocation:web")
        as_json = self.client("events", "--json", "--topic", "Evaluation")

        def has_line():  # the monitor may not be connected yet
            self.hang_up()
            return any("configuration reloaded" in line for line in monitor.lines)
        harness.wait_until(has_line, "a line of the log")
        self.agent.submit(job(group(mock("t", run_for="1h")), id="web", type="service"))
        # A monitor gets these lines at any level of the agent's own log.
        for text in ("path=/v1/jobs", "triggered_by=job-register", 'type="Started"'):
            self.wait_line(monitor, text)
            self.assertNotIn(text, self.agent.run.err)
        self.assertRegex(self.wait_line(events, "web.g[0] running"),
                         r"^\d+  Allocation  [0-9a-f]{8}  AllocationUpdated  web.g\[0\] running$")
        self.assertRegex(self.wait_line(events, "  Job  web  "), r"JobRegistered  (running|pending)")
        batch = json.loads(self.wait_line(as_json, "JobRegistered"))
        self.assertEqual(batch["Events"][0]["Topic"], "Evaluation")
        self.agent.stop()
        for run in (monitor, events, as_json):
            self.assertEqual(run.wait(), 1, run.story())
        wrong = self.sandbox.command("monitor", "--address", self.agent.url)
        self.assertEqual(wrong.code, 1, wrong)
        self.assertIn("is an agent running?", wrong.err)

    def test_a_wrong_level(self):
        done = self.sandbox.command("monitor", "--log-level", "loud", "--address", self.agent.url)
        self.assertEqual(done.code, 1, done)
        self.assertIn("Unknown log level: loud", done.err)
        self.agent.stop()
