# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The agent, driven through its HTTP API."""
import json
import socket
import threading
import time
import urllib.request
import uuid

import harness
from agent_harness import Agent, AgentTest, agent_config
from harness import DroverTest, group, job, mock, task

LONG = "exec sleep 1000"


def service(*tasks, id="web", **fields):
    return job(group(*tasks, **fields), id=id, type="service")


class AgentJobTest(AgentTest):
    def test_a_job_from_its_registration_to_its_end(self):
        reply = self.agent.submit(service(task("t", LONG), Count=2))
        evaluation = self.agent.get(f"/v1/evaluation/{reply['EvalID']}")
        self.assertEqual((evaluation["Status"], evaluation["TriggeredBy"]),
                         ("complete", "job-register"))
        allocs = self.agent.wait_allocs("web", 2, "running")
        self.assertEqual(sorted(a["Name"] for a in allocs), ["web.g[0]", "web.g[1]"])
        self.assertEqual({a["EvalID"] for a in allocs}, {reply["EvalID"]})
        of_eval = self.agent.get(f"/v1/evaluation/{reply['EvalID']}/allocations")
        self.assertEqual({a["ID"] for a in of_eval}, {a["ID"] for a in allocs})
        self.assertEqual(self.agent.get("/v1/job/web/summary")["Summary"]["g"]["Running"], 2)
        answer = self.agent.get("/v1/job/web")
        self.assertEqual((answer["Status"], answer["Version"], answer["Stop"]), ("running", 0, False))
        self.assertEqual(answer["TaskGroups"][0]["Tasks"][0]["Config"]["args"], ["-c", LONG])
        whole = self.agent.get(f"/v1/allocation/{allocs[0]['ID']}")
        self.assertEqual(whole["Job"]["ID"], "web")
        self.assertEqual([e["Type"] for e in whole["TaskStates"]["t"]["Events"]],
                         ["Received", "Task Setup", "Started"])

        stopped = self.agent.must("DELETE", "/v1/job/web")
        self.assertEqual(self.agent.get(f"/v1/evaluation/{stopped['EvalID']}")["TriggeredBy"],
                         "job-deregister")
        self.agent.wait_allocs("web", 2, "complete", "stop")
        harness.wait_until(lambda: self.agent.get("/v1/job/web")["Status"] == "dead", "dead")
        self.agent.must("PUT", "/v1/system/gc")
        self.assertEqual(self.agent.get("/v1/allocations"), [])
        self.assertEqual(self.agent.ask("GET", "/v1/job/web").status, 404)
        harness.wait_until(lambda: not any(self.sandbox.alloc_dirs[0].iterdir()),
                           "the directories of the allocations are gone")

    def test_a_batch_job_is_dead_when_it_has_ended(self):
        self.agent.submit(job(group(task("ok", "exit 0"), name="ok"),
                              group(task("bad", "exit 3"), name="bad"), id="sum"))
        ok = self.agent.wait_allocs("sum", 1, "complete")[0]
        bad = self.agent.wait_allocs("sum", 1, "failed")[0]
        self.assertEqual((ok["TaskGroup"], bad["TaskGroup"]), ("ok", "bad"))
        terminated = [e for e in bad["TaskStates"]["bad"]["Events"] if e["Type"] == "Terminated"]
        self.assertEqual((terminated[0]["ExitCode"], terminated[0]["DisplayMessage"]),
                         (3, "Exit Code: 3"))
        harness.wait_until(lambda: self.agent.get("/v1/job/sum")["Status"] == "dead", "dead")

    def test_a_job_that_is_read_and_sent_back_is_the_same_job(self):
        self.agent.submit(job(group(task("t", "echo once")), id="once", type="batch"))
        self.agent.get_until("/v1/job/once", lambda r: json.loads(r.body)["Status"] == "dead")
        self.agent.must("PUT", "/v1/jobs", {"Job": self.agent.get("/v1/job/once")})
        self.assertEqual(self.agent.get("/v1/job/once")["Version"], 0)
        self.assertEqual(len(self.agent.get("/v1/job/once/allocations")), 1)

    def test_a_purged_job_leaves_nothing_to_its_successor(self):
        spec = job(group(mock("t", run_for="1h")), id="again", type="service")
        self.agent.submit(spec)
        self.agent.must("DELETE", "/v1/job/again", purge="true")
        self.agent.submit(spec)
        self.assertEqual(len(self.agent.get("/v1/job/again/allocations")), 1)
        self.assertEqual(len(self.agent.get("/v1/job/again/allocations", all="true")), 2)
        counts = self.agent.get("/v1/job/again/summary")["Summary"]["g"]
        self.assertEqual(sum(counts.values()), 1)

    def test_a_new_version_replaces_what_has_changed_and_leaves_the_rest(self):
        self.agent.submit(service(task("t", LONG)))
        old = self.agent.wait_allocs("web", 1, "running")[0]
        self.agent.submit(service(task("t", LONG), Count=2))
        self.assertIn(old["ID"], [a["ID"] for a in self.agent.wait_allocs("web", 2, "running")])
        plan = self.agent.must("PUT", "/v1/job/web/plan",
                               {**service(task("t", LONG + " # another"), Count=1), "Diff": True})
        updates = plan["Annotations"]["DesiredTGUpdates"]["g"]
        self.assertEqual((updates["DestructiveUpdate"], updates["Stop"], updates["Place"]),
                         (1, 1, 0))
        self.agent.submit(service(task("t", LONG + " # another"), Count=1))
        self.agent.wait_allocs("web", 2, "complete", "stop")
        new = self.agent.wait_allocs("web", 1, "running")[0]
        self.assertEqual((new["PreviousAllocation"], new["JobVersion"]), (old["ID"], 2))
        self.assertEqual(self.agent.get(f"/v1/allocation/{old['ID']}")["NextAllocation"],
                         new["ID"])
        self.assertEqual([v["Version"] for v in self.agent.get("/v1/job/web/versions")["Versions"]],
                         [2, 1, 0])

    def test_a_static_port_passes_from_the_old_to_the_new(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        listen = (f"exec python3 -c \"import socket,time; s=socket.create_server(('127.0.0.1',"
                  f"{port})); time.sleep(1000)\"")
        networks = [{"ReservedPorts": [{"Label": "http", "Value": port}]}]
        self.agent.submit(service(task("t", listen), Networks=networks))
        old = self.agent.wait_allocs("web", 1, "running")[0]
        self.agent.submit(service(task("t", listen + " # again"), Networks=networks))
        new = self.agent.wait_allocs("web", 1, "running")[0]
        self.assertNotEqual(new["ID"], old["ID"])
        harness.wait_until(lambda: connects(port), "the new one listens")

    def test_an_id_with_slashes(self):
        self.agent.submit(service(task("t", LONG), id="a/plan/c"))
        self.assertEqual(self.agent.get("/v1/job/a/plan/c")["ID"], "a/plan/c")
        self.assertEqual(self.agent.get("/v1/job/a%2Fplan%2Fc")["ID"], "a/plan/c")
        self.agent.wait_allocs("a/plan/c", 1, "running")

    def test_what_does_not_fit_waits_until_there_is_room(self):
        node = self.agent.get("/v1/nodes", resources="true")[0]
        half = node["NodeResources"]["Memory"]["MemoryMB"] * 2 // 3
        big = {"CPU": 1, "MemoryMB": half}
        self.agent.submit(service(mock("t", run_for="1h", Resources=big), id="first"))
        reply = self.agent.submit(service(mock("t", run_for="1h", Resources=big), id="second"))
        evaluation = self.agent.get(f"/v1/evaluation/{reply['EvalID']}", related="true")
        self.assertEqual(evaluation["FailedTGAllocs"]["g"]["DimensionExhausted"], {"memory": 1})
        blocked = self.agent.get(f"/v1/evaluation/{evaluation['BlockedEval']}")
        self.assertEqual((blocked["Status"], blocked["QueuedAllocations"]), ("blocked", {"g": 1}))
        self.assertEqual([e["ID"] for e in evaluation["RelatedEvals"]], [blocked["ID"]])
        self.agent.must("DELETE", "/v1/job/first")
        self.agent.wait_allocs("second", 1, "running")

    def test_a_group_that_asks_for_more_than_the_disk_waits_until_it_asks_for_less(self):
        node = self.agent.get("/v1/nodes", resources="true")[0]
        there = node["NodeResources"]["Disk"]["DiskMB"]
        large = service(mock("t", run_for="1h"), EphemeralDisk={"SizeMB": there + 1})
        reply = self.agent.submit(large)
        evaluation = self.agent.get(f"/v1/evaluation/{reply['EvalID']}")
        self.assertEqual(evaluation["FailedTGAllocs"]["g"]["DimensionExhausted"], {"disk": 1})
        self.assertEqual(self.agent.get("/v1/job/web/allocations"), [])
        self.agent.submit(service(mock("t", run_for="1h"), EphemeralDisk={"SizeMB": there}))
        alloc = self.agent.wait_allocs("web", 1, "running")[0]["ID"]
        shared = self.agent.get(f"/v1/allocation/{alloc}")["AllocatedResources"]["Shared"]
        self.assertEqual(shared["DiskMB"], there)
        # Other allocations get no room.
        reply = self.agent.submit(service(mock("t", run_for="1h"), id="other"))
        evaluation = self.agent.get(f"/v1/evaluation/{reply['EvalID']}")
        self.assertEqual(evaluation["FailedTGAllocs"]["g"]["DimensionExhausted"], {"disk": 1})


class AgentAllocTest(AgentTest):
    def start(self, *tasks):
        self.agent.submit(service(*tasks))
        return self.agent.wait_allocs("web", 1, "running")[0]["ID"]

    def test_restarts_of_a_task_and_of_all(self):
        alloc = self.start(task("a", LONG), task("b", LONG))
        client = f"/v1/client/allocation/{alloc}"
        self.agent.wait_tasks(alloc, lambda t: all(s["StartedAt"][:4] != "0001" for s in t.values()),
                              "both started")
        self.assertIn("Index", self.agent.must("PUT", client + "/restart", {"TaskName": "a"}))
        self.agent.wait_restarts(alloc, a=1, b=0)
        self.agent.must("PUT", client + "/restart", {"AllTasks": True})
        self.agent.wait_restarts(alloc, a=2, b=1)
        refused = self.agent.ask("PUT", client + "/restart", {"TaskName": "x"})
        self.assertEqual(refused.status, 404, refused.body)
        refused = self.agent.ask("PUT", client + "/restart", {"TaskName": "a", "AllTasks": True})
        self.assertEqual((refused.status, refused.body),
                         (500, b"task name cannot be set when restarting all tasks"))
        self.agent.wait_restarts(alloc, a=2, b=1)

    def test_a_stop_is_not_held_by_a_restart_that_waits(self):
        # The restart of all waits until the group's delay is over.
        self.agent.submit(service(task("t", LONG), ShutdownDelay="1h"))
        alloc = self.agent.wait_allocs("web", 1, "running")[0]["ID"]
        replies = []
        waiting = threading.Thread(target=lambda: replies.append(self.agent.ask(
            "PUT", f"/v1/client/allocation/{alloc}/restart", {"AllTasks": True})))
        waiting.start()

        def connections():
            return next(m["Value"] for m in self.agent.get("/v1/metrics")["Gauges"]
                        if m["Name"] == "drover.http.connections")
        harness.wait_until(lambda: connections() >= 2, "the call waits")
        self.agent.must("DELETE", "/v1/job/web", no_shutdown_delay="true")
        self.agent.wait_allocs("web", 1, "complete", "stop")
        waiting.join(harness.LIMIT)
        self.assertEqual((replies[0].status, replies[0].body),
                         (500, b"restart of an alloc that should not run"))

    def test_no_restart_while_a_task_waits_to_be_stopped(self):
        alloc = self.start(task("t", LONG, ShutdownDelay="1h"))
        self.agent.must("DELETE", "/v1/job/web")
        self.agent.wait_tasks(alloc, lambda t: "Waiting for shutdown delay" in
                              [e["Type"] for e in t["t"]["Events"]], "it waits")
        for body in ({"TaskName": "t"}, {"AllTasks": True}, {}):
            reply = self.agent.ask("PUT", f"/v1/client/allocation/{alloc}/restart", body)
            self.assertEqual((reply.status, reply.body),
                             (500, b"restart of an alloc that should not run"), body)
        self.agent.must("DELETE", "/v1/job/web", no_shutdown_delay="true")
        self.agent.wait_allocs("web", 1, "complete", "stop")

    def test_a_signal_arrives(self):
        script = ("trap 'echo got > $NOMAD_TASK_DIR/sign' USR1; echo > $NOMAD_TASK_DIR/ready; "
                  "while :; do sleep 0.05; done")
        alloc = self.start(task("t", script))
        local = self.sandbox.alloc_dirs[0] / alloc / "t" / "local"
        harness.wait_until((local / "ready").exists, "the trap is set")
        self.agent.must("PUT", f"/v1/client/allocation/{alloc}/signal",
                        {"Task": "t", "Signal": "SIGUSR1"})
        harness.wait_until((local / "sign").exists, "the signal")

    def test_statistics(self):
        alloc = self.start(task("t", LONG))
        usage = self.agent.get(f"/v1/client/allocation/{alloc}/stats")
        self.assertGreater(usage["Tasks"]["t"]["ResourceUsage"]["MemoryStats"]["RSS"], 0)
        self.assertEqual(usage["Timestamp"], usage["Tasks"]["t"]["Timestamp"])
        self.assertEqual(usage["Tasks"]["t"]["ResourceUsage"]["MemoryStats"]["Measured"],
                         ["RSS", "Swap"])

        def cpu():  # reported from the second sample on
            sample = self.agent.get(f"/v1/client/allocation/{alloc}/stats")
            return sample["Tasks"]["t"]["ResourceUsage"]["CpuStats"]["Measured"]
        names = harness.wait_until(cpu, "the time of the processor")
        self.assertEqual(names[:3], ["System Mode", "User Mode", "Percent"])
        none = self.agent.get(f"/v1/client/allocation/{alloc}/stats", task="x")
        self.assertEqual(none["Tasks"], {})

    def test_a_stopped_allocation_is_replaced(self):
        alloc = self.start(task("t", LONG))
        reply = self.agent.must("PUT", f"/v1/allocation/{alloc}/stop")
        self.assertEqual(self.agent.get(f"/v1/evaluation/{reply['EvalID']}")["TriggeredBy"],
                         "alloc-stop")
        new = self.agent.wait_allocs("web", 1, "running")[0]
        self.assertEqual(new["PreviousAllocation"], alloc)
        self.assertEqual(self.agent.wait_allocs("web", 1, "complete", "stop")[0]["ID"], alloc)
        self.agent.must("GET", f"/v1/client/allocation/{alloc}/gc")
        self.assertEqual(self.agent.ask("GET", f"/v1/allocation/{alloc}").status, 404)
        self.assertEqual(
            self.agent.ask("GET", f"/v1/client/allocation/{new['ID']}/gc").body,
            b"No such allocation on client, or allocation not eligible for GC")

    def test_lists_by_prefix_and_page(self):
        self.agent.submit(service(mock("t", run_for="1h"), Count=5))
        self.agent.submit(service(mock("t", run_for="1h"), id="other"))
        all_ids = [a["ID"] for a in self.agent.get("/v1/allocations")]
        self.assertEqual(len(all_ids), 6)
        newest = self.agent.allocs("other")[0]["ID"]
        self.assertEqual(all_ids[0], newest, "the newest first")
        self.assertEqual([a["ID"] for a in self.agent.get("/v1/allocations",
                                                          prefix=newest[:13].replace("-", ""))],
                         [newest])
        pages, token = [], None
        while True:
            query = {"per_page": 4, **({"next_token": token} if token else {})}
            reply = self.agent.ask("GET", "/v1/allocations", **query)
            pages += [a["ID"] for a in json.loads(reply.body)]
            token = reply.headers["X-Nomad-NextToken"]
            if not token:
                break
        self.assertEqual(pages, all_ids)


class AgentQueryTest(AgentTest):
    def test_lists_are_filtered(self):
        for name, meta in (("web", {"owner": "me"}), ("sum", {"owner": "you"})):
            self.agent.submit(job(group(mock("t", run_for="1h"), Count=2), id=name,
                                  type="service", Meta=meta))
        self.agent.wait_allocs("web", 2, "running")

        def chosen(path, text, field="ID", **query):
            return [e[field] for e in self.agent.get(path, filter=text, **query)]
        self.assertEqual(chosen("/v1/jobs", 'ID == "web"'), ["web"])
        self.assertEqual(chosen("/v1/jobs", "ID matches `^w.b$`"), ["web"])
        self.assertEqual(chosen("/v1/jobs", "Type != service or ID contains su"), ["sum"])
        self.assertEqual(chosen("/v1/allocations", 'JobID == "web" and ClientStatus == running',
                                "JobID"), ["web", "web"])
        self.assertEqual(chosen("/v1/evaluations", 'JobID == "sum" and Status != "complete"'), [])
        self.assertEqual(len(chosen("/v1/nodes", '"raw_exec" in Drivers')), 1)
        # Pages contain only chosen objects.
        reply = self.agent.ask("GET", "/v1/allocations", filter="JobID == web", per_page=1)
        token = reply.headers["X-Nomad-NextToken"]
        first = json.loads(reply.body)
        second = self.agent.get("/v1/allocations", filter="JobID == web", per_page=1,
                                next_token=token)
        self.assertEqual({a["Name"] for a in first + second}, {"web.g[0]", "web.g[1]"})
        for wrong, said in (("ID =", 'not "="'), ("Nothing == x", 'struct field with name "Nothing"'),
                            ("ID matches `(`", "not a regular expression"), ("(" * 5000, "longer than")):
            reply = self.agent.ask("GET", "/v1/jobs", filter=wrong)
            self.assertEqual(reply.status, 400)
            self.assertIn(said, reply.body.decode())

    def test_evaluations_are_listed_in_their_order(self):
        for nth in range(5):
            self.agent.submit(service(mock("t", run_for="1h"), id=f"j{nth}"))
        listed = self.agent.get("/v1/evaluations")
        self.assertEqual([e["JobID"] for e in listed], [f"j{nth}" for nth in range(5)])
        backwards = self.agent.get("/v1/evaluations", reverse="true")
        self.assertEqual([e["ID"] for e in backwards], [e["ID"] for e in listed][::-1])

    def test_a_blocking_query_answers_when_something_has_changed(self):
        index = int(self.agent.ask("GET", "/v1/jobs").headers["X-Nomad-Index"])
        replies = []
        waiting = threading.Thread(target=lambda: replies.append(
            self.agent.ask("GET", "/v1/jobs", index=index, wait="60s")))
        waiting.start()
        harness.wait_until(lambda: self.agent.get("/v1/agent/self")["stats"]["state"]
                           ["blocking_queries"] == "2", "the query blocks, as the node's own")
        self.assertEqual(replies, [])
        self.agent.submit(service(mock("t", run_for="1h")))
        waiting.join(harness.LIMIT)
        self.assertGreater(int(replies[0].headers["X-Nomad-Index"]), index)
        self.assertEqual([j["ID"] for j in json.loads(replies[0].body)], ["web"])

    def test_a_blocking_query_answers_when_its_time_is_over(self):
        index = int(self.agent.ask("GET", "/v1/jobs").headers["X-Nomad-Index"])
        begin = time.monotonic()
        reply = self.agent.ask("GET", "/v1/jobs", index=index, wait="300ms")
        self.assertGreaterEqual(time.monotonic() - begin, 0.3)
        self.assertEqual((reply.status, reply.body), (200, b"[]"))

    def test_a_client_that_leaves_frees_its_query(self):
        index = int(self.agent.ask("GET", "/v1/jobs").headers["X-Nomad-Index"])
        host, port = self.agent.address.split(":")
        with socket.create_connection((host, int(port))) as client:
            client.sendall(f"GET /v1/jobs?index={index} HTTP/1.1\r\nHost: x\r\n\r\n"
                           .replace("Host: x", f"Host: {host}").encode())
            self.wait_blocking("2")
        self.wait_blocking("1")

    def wait_blocking(self, count):
        harness.wait_until(lambda: self.agent.get("/v1/agent/self")["stats"]["state"]
                           ["blocking_queries"] == count, f"{count} blocking queries")

    def test_the_agent_ends_while_queries_block(self):
        index = int(self.agent.ask("GET", "/v1/jobs").headers["X-Nomad-Index"])
        def ask():
            try:
                self.agent.ask("GET", "/v1/jobs", index=index)
            except OSError:
                pass  # the connection ends with the agent
            except Exception as error:  # http.client has errors of its own for that
                self.assertIn("RemoteDisconnected", type(error).__name__)
        queries = [threading.Thread(target=ask) for _ in range(20)]
        for query in queries:
            query.start()
        self.wait_blocking("21")
        self.agent.stop()
        for query in queries:
            query.join(harness.LIMIT)
            self.assertFalse(query.is_alive())

    def test_errors_have_the_codes_and_texts_that_clients_know(self):
        unknown = str(uuid.uuid4())
        valid = service(mock("t", run_for="1s"))
        table = [
            ("GET", "/v1/nothing", None, 404, ""),
            ("GET", "/v1/job/none", None, 404, "job not found"),
            ("GET", "/v1/job/none/summary", None, 404, "job not found"),
            ("GET", "/v1/job/none/versions", None, 404, "job versions not found"),
            ("PATCH", "/v1/jobs", None, 405, "Invalid method"),
            ("PUT", "/v1/jobs", None, 400, "Request body is empty"),
            ("PUT", "/v1/jobs", {}, 400, "Job must be specified"),
            ("PUT", "/v1/jobs", {"Job": {}}, 400, "Job ID hasn't been provided"),
            ("PUT", "/v1/job/other", valid, 400, "Job ID does not match name"),
            ("PUT", "/v1/job/other/plan", valid, 400, "Job ID does not match"),
            ("PUT", "/v1/jobs", {**valid, "EnforceIndex": True, "JobModifyIndex": 9}, 500,
             "Enforcing job modify index 9: job does not exist"),
            ("GET", f"/v1/allocation/{unknown}", None, 404, "alloc not found"),
            ("PUT", f"/v1/allocation/{unknown}/stop", None, 404, "allocation not found"),
            ("GET", f"/v1/allocation/{unknown}/services", None, 404, "allocation not found"),
            ("POST", f"/v1/allocation/{unknown}/services", None, 405, "Invalid method"),
            ("GET", f"/v1/allocation/{unknown}/x", None, 404, "resource not found"),
            ("PUT", f"/v1/client/allocation/{unknown}/restart", {}, 404,
             f'Unknown allocation "{unknown}"'),
            ("PUT", f"/v1/client/allocation/{unknown}/signal", {"Signal": "SIGHUP"}, 404,
             f'Unknown allocation "{unknown}"'),
            ("GET", f"/v1/client/allocation/{unknown}/signal", None, 405, "Invalid method"),
            ("GET", f"/v1/client/allocation/{unknown}/stats", None, 404,
             f'Unknown allocation "{unknown}"'),
            ("GET", f"/v1/evaluation/{unknown}", None, 404, "eval not found"),
            ("GET", f"/v1/node/{unknown}", None, 404, "node not found"),
            ("GET", "/v1/deployment/x", None, 404, "deployment not found"),
            ("GET", "/v1/jobs?index=x", None, 400, "Invalid index"),
            ("GET", "/v1/jobs?index=1&wait=x", None, 400, "Invalid wait time"),
            ("GET", "/v1/operator/raft/configuration", None, 501,
             "/v1/operator/raft/configuration has no meaning on a single node"),
        ]
        for method, path, body, status, text in table:
            with self.subTest(f"{method} {path}"):
                reply = self.agent.ask(method, path, body)
                self.assertEqual((reply.status, reply.body.decode()), (status, text))
                if text:
                    self.assertIn("text/plain", reply.headers["Content-Type"])
        self.assertEqual(self.agent.get("/v1/job/none/allocations"), [])
        self.assertEqual(self.agent.ask("GET", "/").headers["Location"], "/ui/")

    def test_a_job_that_cannot_be_is_refused_with_all_its_faults(self):
        reply = self.agent.ask("PUT", "/v1/jobs", service(
            {"Name": "t", "Driver": "no_such", "Config": {}}))
        self.assertEqual(reply.status, 500)
        self.assertIn("/Job/TaskGroups/0/Tasks/0/Driver: no plugin of this node is a driver",
                      reply.body.decode())
        reply = self.agent.ask("PUT", "/v1/jobs", service(
            {"Name": "t", "Driver": "mock_driver", "Vault": {"Role": "x"}, "Typo": 1}))
        text = reply.body.decode()
        self.assertEqual(reply.status, 500)
        self.assertTrue(text.startswith("2 errors occurred:\n\t* "), text)
        self.assertIn("/Job/TaskGroups/0/Tasks/0/Vault", text)
        self.assertEqual(self.agent.get("/v1/jobs"), [])
        checked = self.agent.must("PUT", "/v1/validate/job", service(
            {"Name": "t", "Driver": "no_such", "Config": {}}))
        self.assertIn("no plugin of this node is a driver", checked["ValidationErrors"][0])
        two = service({"Name": "t", "Driver": "no_such", "Config": {}},
                      {"Name": "u", "Driver": "nor_such", "Config": {}})
        text = self.agent.ask("PUT", "/v1/jobs", two).body.decode()
        self.assertTrue(text.startswith("2 errors occurred:\n\t* /Job/TaskGroups/0/Tasks/0"), text)
        self.assertEqual(len(self.agent.must("PUT", "/v1/validate/job", two)["ValidationErrors"]), 2)

    def test_bad_bodies_get_their_code_and_create_nothing(self):
        bodies = [
            b"{", b"\xff\xfe", b"[]", b"null", b"{\"Job\": 1}", b"{\"Job\": {\"ID\": 7}}",
            b"[" * 100_000, b"{\"Job\":" * 5000, b"{\"Job\": {\"ID\": \"x\", \"ID\": \"y\"}}",
            b"{\"Job\": {\"ID\": \"x\", \"Priority\": 1e400}}",
            b"{\"Job\": {\"ID\": \"x\"}} trailing", json.dumps(service(mock("t")))[:-40].encode(),
        ]
        for body in bodies:
            with self.subTest(body[:40]):
                reply = self.agent.ask("PUT", "/v1/jobs", body)
                self.assertEqual(reply.status, 400, reply.body)
        for field in ({"TaskName": 7}, {"AllTasks": "x"}, {"TaskName": {}}):
            self.agent.submit(service(mock("t", run_for="1h")))
            alloc = self.agent.wait_allocs("web", 1, "running")[0]["ID"]
            reply = self.agent.ask("PUT", f"/v1/client/allocation/{alloc}/restart", field)
            self.assertEqual(reply.status, 400, reply.body)
        self.assertEqual([j["ID"] for j in self.agent.get("/v1/jobs")], ["web"])

    def test_namespaces_are_kept_apart(self):
        other = service(mock("t", run_for="1h"))
        other["Job"]["Namespace"] = "team"
        self.agent.submit(other)
        self.assertEqual(self.agent.get("/v1/jobs"), [])
        self.assertEqual([j["Namespace"] for j in self.agent.get("/v1/jobs", namespace="*")],
                         ["team"])
        self.assertEqual(self.agent.ask("GET", "/v1/job/web").status, 404)
        self.assertEqual(self.agent.get("/v1/job/web", namespace="team")["ID"], "web")
        self.assertEqual([n["Name"] for n in self.agent.get("/v1/namespaces")],
                         ["default", "team"])

    def test_the_small_routes(self):
        node = self.agent.get("/v1/nodes")[0]
        self.assertEqual(node["Status"], "ready")
        self.assertTrue(node["Drivers"]["raw_exec"]["Healthy"])
        # The time of the measurement, not of the request.
        self.assertEqual(self.agent.get("/v1/nodes")[0]["Drivers"], node["Drivers"])
        self.assertEqual(self.agent.get(f"/v1/node/{node['ID']}")["HTTPAddr"], self.agent.address)
        self.assertEqual(self.agent.get("/v1/status/leader"), self.agent.address)
        self.assertEqual(self.agent.get("/v1/status/peers"), [self.agent.address])
        self.assertEqual(self.agent.get("/v1/regions"), ["global"])
        member = self.agent.get("/v1/agent/members")["Members"][0]
        self.assertEqual((f"{member['Addr']}:{member['Port']}", member["Status"]),
                         (self.agent.address, "alive"))
        self.assertEqual(self.agent.get("/v1/agent/self")["member"], member)
        # Each address of the machine, with its interface, and no other.
        resources = self.agent.get(f"/v1/node/{node['ID']}")["NodeResources"]
        interfaces = [one for one in resources["NodeNetworks"] if one["Mode"] == "host"]
        for interface in interfaces:
            self.assertIn(interface["Device"], [name for _, name in socket.if_nameindex()])
            for address in interface["Addresses"]:
                family = socket.AF_INET6 if address["Family"] == "ipv6" else socket.AF_INET
                with socket.socket(family) as own:
                    own.bind((address["Address"], 0))
        addresses = {a["Address"] for i in interfaces for a in i["Addresses"]}
        self.assertLessEqual({n["IP"] for n in resources["Networks"] if n["Mode"] == "host"}, addresses)
        self.assertIn("127.0.0.1", addresses)
        self.agent.must("PUT", f"/v1/node/{node['ID']}/eligibility", {"Eligibility": "ineligible"})
        self.assertEqual(self.agent.get("/v1/nodes")[0]["SchedulingEligibility"], "ineligible")
        self.agent.submit(service(mock("t", run_for="1h")))
        self.assertEqual(self.agent.allocs("web"), [])
        self.agent.must("PUT", f"/v1/node/{node['ID']}/eligibility", {"Eligibility": "eligible"})
        self.agent.wait_allocs("web", 1, "running")
        found = self.agent.must("POST", "/v1/search", {"Prefix": "we", "Context": "jobs"})
        self.assertEqual(found["Matches"], {"jobs": ["web"]})
        pretty = self.agent.ask("GET", "/v1/regions", pretty="true").body
        self.assertEqual(pretty, b'[\n    "global"\n]\n')
        head = self.agent.ask("HEAD", "/v1/regions")
        self.assertEqual((head.status, head.body), (200, b""))


class AgentLifeTest(DroverTest):
    def setUp(self):
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()

    def test_tasks_end_in_order_with_the_agent(self):
        agent = Agent(self.sandbox)
        agent.submit(service(task("t", "trap 'exit 0' INT; while :; do sleep 0.02; done"), Count=3))
        agent.wait_allocs("web", 3, "running")
        agent.stop()  # the sandbox checks for leftovers

    def test_tasks_do_not_outlive_an_agent_that_is_killed(self):
        agent = Agent(self.sandbox)
        agent.submit(service(task("t", LONG), Count=2))
        agent.wait_allocs("web", 2, "running")
        agent.run.signal(9)
        agent.run.wait()
        harness.wait_until(lambda: not harness.marked_processes(self.sandbox.root),
                           "the tasks have ended")
        # The next agent clears away the rest of directories and mounts.
        second = Agent(self.sandbox)
        harness.wait_until(lambda: not any(self.sandbox.alloc_dirs[0].iterdir()), "cleared")
        second.stop()

    def test_a_second_agent_in_the_same_directory_says_so(self):
        agent = Agent(self.sandbox)
        done = self.sandbox.command("agent", "--config", agent_config(self.sandbox), "--port", "0")
        self.assertEqual(done.code, 1, done)
        self.assertIn(f"another agent uses the data directory {self.sandbox.root}/data", done.err)
        agent.stop()

    def test_names_and_addresses_that_are_configured(self):
        config = agent_config(self.sandbox, http={
            "hosts": ["node.example"], "origins": ["https://ui.example"],
            "advertise": "node.example:80"})
        agent = Agent(self.sandbox, config=config)
        node = agent.get("/v1/nodes")[0]["ID"]
        self.assertEqual(agent.get(f"/v1/node/{node}")["HTTPAddr"], "node.example:80")
        self.assertEqual(agent.get("/v1/status/leader"), "node.example:80")

        def status(**headers):
            names = {name.replace("_", "-"): value for name, value in headers.items()}
            return agent.ask("GET", "/v1/jobs", headers=names).status
        self.assertEqual(status(Host="node.example:4646"), 200)
        self.assertEqual(status(Host="other.example:4646"), 403)
        self.assertEqual(status(Origin="https://ui.example"), 200)
        self.assertEqual(status(Origin="https://other.example"), 403)
        agent.stop()
        config = agent_config(self.sandbox, http={"hosts": ["a:1"], "advertise": "http://x"})
        done = self.sandbox.command("agent", "--config", config, "--port", "0")
        self.assertEqual(done.code, 2, done)
        self.assertIn("/http/hosts: ", done.err)
        self.assertIn("/http/advertise: ", done.err)

    def test_an_agent_on_all_addresses_tells_one(self):
        agent = Agent(self.sandbox, "--bind", "0.0.0.0")
        node = agent.get("/v1/nodes")[0]["ID"]
        address = agent.get(f"/v1/node/{node}")["HTTPAddr"]
        self.assertRegex(address, r"^\d+\.\d+\.\d+\.\d+:\d+$")
        self.assertFalse(address.startswith("0.0.0.0"))
        agent.stop()

    def test_a_port_that_is_taken(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = str(taken.getsockname()[1])
            done = self.sandbox.command("agent", "--config", agent_config(self.sandbox),
                                        "--port", port)
        self.assertEqual(done.code, 1, done)
        self.assertIn(port, done.err)

    def test_a_token_is_asked_for_everywhere(self):
        secret = "correct-horse-battery"
        token = self.sandbox.write("token", secret + "\n")
        config = agent_config(self.sandbox, token_file=str(token))
        done = self.sandbox.command("agent", "--config", config, "--port", "0")
        self.assertEqual(done.code, 1, done)
        self.assertIn("others can read it", done.err)
        token.chmod(0o600)
        agent = Agent(self.sandbox, "--log-level", "trace", config=config)
        answers = b""
        for method, path in (("GET", "/v1/jobs"), ("PUT", "/v1/jobs"), ("GET", "/v1/agent/self"),
                             ("GET", "/v1/nothing"), ("PATCH", "/v1/jobs"), ("GET", "/v1/metrics")):
            none = agent.ask(method, path)
            self.assertEqual((none.status, none.body), (403, b"Permission denied"), path)
            wrong = agent.ask(method, path, headers={"X-Nomad-Token": secret[:-1]})
            self.assertEqual((wrong.status, wrong.body), (403, b"ACL token not found"), path)
            right = agent.ask(method, path, headers={"Authorization": "Bearer " + secret})
            self.assertNotEqual(right.status, 403, path)
            answers += right.body + str(right.headers).encode()
        self.assertEqual(agent.ask("GET", "/v1/status/leader").status, 200)
        agent.stop()
        self.assertNotIn(secret.encode(), answers)
        self.assertNotIn(secret, agent.run.story())

    def test_what_is_missing_is_named(self):
        done = self.sandbox.command("agent")
        self.assertEqual(done.code, 2, done)
        self.assertIn("--dev", done.err)
        done = self.sandbox.command("agent", "--config", self.sandbox.config_file)
        self.assertEqual(done.code, 2, done)
        self.assertIn("/data_dir", done.err)

    def test_dev_needs_no_configuration(self):
        run = harness.Run(self.sandbox, ["agent", "--dev", "--port", "0"], json_lines=False)
        self.sandbox.runs.append(run)
        line = run.wait_for(
            lambda r: next((l for l in r.lines if "serving http://127.0.0.1:" in l), None),
            "the API")
        url = "http" + line.split("http")[1].strip() + "/v1/metrics?format=prometheus"
        with urllib.request.urlopen(url, timeout=harness.LIMIT) as metrics:
            self.assertIn(b"\nnomad_client_allocs_start{", metrics.read())
        run.interrupt()
        self.assertEqual(run.wait(), 0, run.story())
        self.assertEqual(list(self.sandbox.tmp.iterdir()), [], "its directory is removed")


def connects(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


if __name__ == "__main__":
    harness.main()
