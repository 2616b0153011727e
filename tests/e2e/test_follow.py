# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Live views of a job of an agent: `drover job run --follow`, and `./dev run`."""
import http.server
import json
import os
import signal
import threading
import unittest

import harness
from agent_harness import Agent, AgentTest
from harness import ROOT, SLACK, DroverTest, Run, build_dir, group, job, mock, one, task

LONG = "exec sleep 1000"


class FollowTest(AgentTest):
    def follow(self, spec, *options, name="job.json"):
        run = Run(self.sandbox, ["job", "run", "--follow", "--json", "--address", self.agent.url,
                                 *options, self.sandbox.write(name, spec)])
        self.sandbox.runs.append(run)
        return run

    def ends(self, run, code):
        self.assertEqual(run.wait(), code, run.story())
        self.assertEqual(run.err, "")

    def test_everything_of_a_job_is_shown(self):
        spec = one(task("before", "echo first", Lifecycle={"Hook": "prestart"}),
                   task("t", "i=0; while [ $i -lt 2000 ]; do i=$((i+1)); echo line $i; done; "
                             "printf 'no break' >&2"),
                   Networks=[{"DynamicPorts": [{"Label": "http"}]}], Count=2)
        run = self.follow(spec)
        self.ends(run, 0)
        self.assertEqual({p["AllocName"] for p in run.placed()}, {"e2e.g[0]", "e2e.g[1]"})
        self.assertEqual({port["Label"] for p in run.placed() for port in p["Ports"]}, {"http"})
        for alloc in ("e2e.g[0]", "e2e.g[1]"):
            self.assertEqual(run.event_types("t", alloc),
                             ["Received", "Task Setup", "Started", "Terminated"])
            self.assertEqual(run.state("t", alloc)["State"], "dead")
            self.assertGreater(run.state("t", alloc)["FinishedAt"], 0)
            self.assertEqual(run.statuses(alloc)[-1][0], "complete")
            lines = [l["Line"] for l in run.of_type("Log")
                     if (l["AllocName"], l["Task"], l["Stream"]) == (alloc, "t", "stdout")]
            self.assertEqual(lines, [f"line {i}" for i in range(1, 2001)])
        self.assertEqual(run.logs("before"), ["first", "first"])
        self.assertEqual(run.logs("t", "stderr"), ["no break", "no break"])

    def test_output_of_more_tasks_than_can_be_followed_at_a_time(self):
        spec = one(task("t", "echo first; sleep 1; echo last", Resources={"CPU": 1, "MemoryMB": 10}),
                   Count=50, EphemeralDisk={"SizeMB": 101})
        run = self.follow(spec)
        self.ends(run, 0)
        for stream in range(50):
            self.assertEqual([l["Line"] for l in run.of_type("Log")
                              if l["AllocName"] == f"e2e.g[{stream}]"], ["first", "last"])
        self.assertTrue(any("after the end of other tasks' output" in note for note in run.notes()))

    def test_the_exit_code_is_that_of_the_job(self):
        self.ends(self.follow(one(task("t", "exit 3"))), 1)
        # The same job again has ended already.
        again = self.follow(one(task("t", "exit 3")))
        self.ends(again, 0)
        self.assertEqual(again.placed(), [])
        refused = self.follow(one(task("t", "true", driver="")))
        self.assertEqual(refused.wait(), 1)
        self.assertIn("the job was not taken", refused.err)

    def test_an_interrupt_stops_the_job(self):
        run = self.follow(job(group(task("t", "trap 'echo bye; exit 0' TERM; echo ready; "
                                              "while :; do sleep 0.1; done", KillSignal="SIGTERM")),
                              type="service"))
        run.wait_log("t", "ready")
        run.wait_for(lambda r: any(u["Task"] == "t" for line in r.of_type("Usage")
                                   for u in line["Tasks"]), "the usage of the task")
        run.interrupt()
        self.ends(run, 130)
        self.assertEqual(run.logs("t", "stdout"), ["ready", "bye"])
        self.assertIn("Killed", run.event_types("t"))
        self.assertTrue(self.agent.get("/v1/job/e2e")["Stop"])

    def test_a_second_interrupt_kills(self):
        stubborn = task("t", "trap '' INT TERM; echo ready; while :; do sleep 0.1; done",
                        KillTimeout="25s")
        run = self.follow(one(task("before", "true", Lifecycle={"Hook": "prestart"}), stubborn))
        run.wait_log("t", "ready")
        run.interrupt()
        run.wait_event("t", "Killing")
        run.interrupt()
        self.ends(run, 130)
        self.assertEqual(run.event("t", "Terminated")["Details"]["signal"], "9")
        # Ended tasks get no kill.
        self.assertEqual(run.notes(), ["stopping; interrupt again to kill",
                                       "killing; interrupt again to leave"])

    def test_a_second_interrupt_ends_shutdown_delays(self):
        run = self.follow(one(task("t", LONG, ShutdownDelay="1h"), ShutdownDelay="1h"))
        run.wait_event("t", "Started")
        run.interrupt()
        harness.wait_until(lambda: self.agent.allocs("e2e")[0]["DesiredStatus"] == "stop", "stop")
        run.interrupt()
        self.ends(run, 130)
        self.assertEqual(run.state("t")["State"], "dead")

    def test_what_waits_for_room_and_what_ran_before(self):
        node = self.agent.get("/v1/nodes")[0]["ID"]
        self.agent.must("PUT", f"/v1/node/{node}/eligibility", {"Eligibility": "ineligible"})
        spec = job(group(mock("t", run_for="1h")), type="service")
        run = self.follow(spec)
        run.wait_note("waits until there is room")
        self.agent.must("PUT", f"/v1/node/{node}/eligibility", {"Eligibility": "eligible"})
        run.wait_event("t", "Started")
        # Another client follows the same job: its view has old events too.
        other = self.follow(spec, name="other.json")
        other.wait_event("t", "Started")
        self.agent.must("DELETE", "/v1/job/e2e")
        self.ends(run, 0)
        self.ends(other, 0)

    def test_the_end_of_an_agent_is_reported(self):
        run = self.follow(job(group(mock("t", run_for="1h")), type="service"))
        run.wait_event("t", "Started")
        self.agent.stop()
        self.assertEqual(run.wait(), 1, run.story())
        # The error is that of the stream, or of the request at that moment.
        self.assertRegex(run.err, "the agent sends no more events|cannot reach")


class ScriptedAgent(http.server.BaseHTTPRequestHandler):
    """A fake agent that accepts every job and sends the answers that the test has prepared."""

    def answer(self, body):
        self.send_response(404 if body is None else 200)
        self.end_headers()
        self.wfile.write(b"" if body is None else json.dumps(body).encode())

    def do_PUT(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(self.server.taken)

    def do_GET(self):
        path = self.path.partition("?")[0]
        if path != "/v1/event/stream":
            return self.answer(self.server.answers.get(path))
        self.answer(self.server.event)
        if self.server.stays:
            self.server.over.wait()

    def address_string(self):
        return "client"

    def log_message(self, *_):
        pass


class FollowAnswerTest(DroverTest):
    """The reactions to answers of a fake agent."""

    INDEX = 10  # of the evaluation

    def follow(self, allocs=(), event=None, stays=True, **taken):
        """Follows the job e2e, whose only event is EVENT. Returns the result."""
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), ScriptedAgent)
        server.taken = {"EvalID": "eval", "EvalCreateIndex": self.INDEX, **taken}
        server.event, server.stays, server.over = event or {}, stays, threading.Event()
        server.answers = {
            "/v1/evaluation/eval": {"ID": "eval", "JobID": "e2e", "Status": "complete"},
            "/v1/job/e2e": {"ID": "e2e", "Status": "dead", "ModifyIndex": self.INDEX + 10},
            "/v1/job/e2e/allocations": list(allocs),
            **{"/v1/allocation/" + alloc["ID"]: alloc for alloc in allocs}}
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            run = Run(self.sandbox, ["job", "run", "--follow", "--json", "--address",
                                     f"http://127.0.0.1:{server.server_address[1]}",
                                     self.sandbox.write("job.json", one(task("t", "true")))])
            self.sandbox.runs.append(run)
            return run, run.wait()
        finally:
            server.over.set()
            server.shutdown()
            thread.join()
            server.server_close()

    def alloc(self, created, modified, status):
        return {"ID": f"{created}-{modified}", "Name": "e2e.g[0]", "JobID": "e2e",
                "ClientStatus": status, "CreateIndex": created, "ModifyIndex": modified}

    def test_what_the_events_do_not_tell_is_read(self):
        for status, code in (("complete", 0), ("failed", 1)):
            run, got = self.follow([self.alloc(self.INDEX, self.INDEX + 5, status)])
            self.assertEqual(got, code, run.story())
            self.assertEqual([s for s, _ in run.statuses()], [status])

    def test_what_ended_before_is_not_of_this_run(self):
        run, got = self.follow([self.alloc(2, self.INDEX - 1, "failed")])
        self.assertEqual((got, run.placed()), (0, []), run.story())
        run, got = self.follow([self.alloc(2, self.INDEX + 1, "failed")])
        self.assertEqual((got, len(run.placed())), (1, 1), run.story())

    def test_the_first_reason_is_printed(self):
        run, got = self.follow([self.alloc(2, self.INDEX + 1, "running")],
                               event={"Error": "some are gone"}, stays=False)
        self.assertEqual(got, 1, run.story())
        self.assertIn("some are gone", run.err)

    def test_a_job_without_an_evaluation_is_not_followed(self):
        run, got = self.follow(EvalID="")
        self.assertEqual(got, 0, run.story())
        self.assertIn("nothing to follow", run.notes()[0])


@unittest.skipUnless(harness.IS_ROOT or os.environ.get("XDG_RUNTIME_DIR"),
                     "without root, a run directory needs XDG_RUNTIME_DIR")
class DevRunTest(DroverTest):
    """The script itself, with the existing build."""

    def start(self, *arguments):
        run = Run(self.sandbox, ["run", *arguments], json_lines="--json" in arguments,
                  command=[ROOT / "dev"], env={"DROVER_BUILD_DIR": str(build_dir())})
        self.sandbox.runs.append(run)
        return run

    def test_the_example_job(self):
        text = (ROOT / "examples/jobs/lifecycle.json").read_text()
        slow = self.sandbox.write("lifecycle.json",
                                  text.replace("sleep 5;", f"sleep {2 + 2 * SLACK:g};"))
        run = self.start(slow, "--json")
        self.assertEqual(run.wait(90), 0, run.story())
        self.assertRegex(run.err, r"by an agent at http://127\.0\.0\.1:\d+")
        self.assertEqual(run.statuses()[-1][0], "complete")
        self.assertIn("hello from lifecycle.site[0]", run.logs("probe"))
        self.assertEqual(run.state("flaky")["Restarts"], 1)
        self.assertIn("sweeping up", run.logs("sweep"))

    def test_a_job_that_fails(self):
        run = self.start(self.sandbox.write("job.json", one(task("t", "exit 3"))))
        self.assertEqual(run.wait(), 1, run.story())
        self.assertTrue(any("Exit Code: 3" in line for line in run.lines), run.story())
        missing = self.start("missing.json")
        self.assertEqual(missing.wait(), 1)
        self.assertIn("no job file 'missing.json'", missing.err)

    def test_ctrl_c_stops_job_and_agent(self):
        spec = job(group(task("t", "trap 'echo bye; exit 0' INT; echo ready; "
                                   "while :; do sleep 0.1; done")), type="service")
        run = self.start(self.sandbox.write("job.json", spec), "--json")
        run.wait_log("t", "ready")
        os.killpg(run.pid, signal.SIGINT)
        self.assertEqual(run.wait(), 130, run.story())
        self.assertEqual(run.logs("t", "stdout"), ["ready", "bye"])

    def test_a_script_that_is_killed_takes_its_agent_along(self):
        run = self.start(self.sandbox.write("job.json", one(task("t", LONG))), "--json")
        run.wait_event("t", "Started")
        run.signal(signal.SIGKILL)
        run.process.wait(harness.LIMIT)
        # The directory is the script's own, which it has removed.
        harness.wait_until(lambda: not harness.marked_processes(self.sandbox.root), "the end")
        self.assertEqual([p.name for d in self.sandbox.tmp.iterdir() for p in d.glob("alloc/*")], [])
        for path in list(self.sandbox.tmp.iterdir()):
            harness.remove_tree(path)
        run.wait()


class ExampleConfigTest(DroverTest):
    def test_an_agent_with_the_example_configuration(self):
        text = (ROOT / "examples/agent.json").read_text()
        self.assertIn("../build/release", text)
        text = text.replace("../build/release", str(build_dir()))
        config = self.sandbox.write("example.json", text.replace(
            "{\n  \"plugin_dirs\"", json.dumps({"client": {"run_dir": str(self.sandbox.run_dir)}})[:-1] +
            ",\n  \"plugin_dirs\"", 1))
        agent = Agent(self.sandbox, "--data-dir", str(self.sandbox.root / "data"), config=config)
        drivers = agent.get("/v1/nodes")[0]["Drivers"]
        self.assertLessEqual({"exec", "raw_exec", "mock_driver"}, set(drivers))
        agent.submit(json.loads((ROOT / "examples/jobs/mock.json").read_text()))
        name = json.loads((ROOT / "examples/jobs/mock.json").read_text())["Job"]["ID"]
        harness.wait_until(lambda: agent.allocs(name), "an allocation")
        agent.submit(one(task("t", "true")))
        agent.wait_allocs("e2e", 1, "complete")
        agent.stop()
