# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The commands of Nomad's command line that change an existing job, or look at an agent."""
import json
import re
import shutil
import socket
import subprocess

import harness
from agent_harness import AgentTest
from harness import DroverTest, group, job, mock
from staged_agent import StagedAgent
from test_client import Client, service


class ClientCommandTest(Client, AgentTest):
    def setUp(self):
        super().setUp()
        self.address = self.agent.url

    def run_job(self, *tasks, code=0, **fields):
        return self.cli("job", "run", "-detach",
                        self.sandbox.write("job.json", service(*tasks, **fields)), code=code)

    def env_of_job(self, id="web"):
        return self.agent.get(f"/v1/job/{id}")["TaskGroups"][0]["Tasks"][0]["Env"]

    def job_count(self, id="web", group=0):
        return self.agent.get(f"/v1/job/{id}")["TaskGroups"][group]["Count"]


class ClientChangeTest(ClientCommandTest):
    def test_a_job_goes_back_to_a_version_by_number_or_tag(self):
        for value in "abc":
            self.run_job(mock("t", run_for="1h", Env={"A": value}))
        self.cli("job", "tag", "apply", "-name", "good", "-version", "1", "web")
        shown = self.cli("job", "revert", "web", "0").out
        self.assertRegex(shown, r"evaluation [0-9a-f]{8}: complete")
        self.assertEqual(self.env_of_job(), {"A": "a"})
        self.assertRegex(self.cli("job", "revert", "-detach", "we", "good").out,
                         r"^evaluation [0-9a-f-]{36} has begun\n$")
        self.assertEqual(self.env_of_job(), {"A": "b"})
        answer = self.json("job", "revert", "-detach", "web", "2")
        self.assertEqual(answer["JobModifyIndex"], self.agent.get("/v1/job/web")["JobModifyIndex"])
        self.assertIn("can't revert to current version", self.fails("job", "revert", "web", "5"))
        self.assertIn("at version 99 not found", self.fails("job", "revert", "web", "99"))
        self.assertIn('no version with the name "bad": see drover job history',
                      self.fails("job", "revert", "web", "bad"))
        self.assertIn("no job has an id", self.fails("job", "revert", "x", "0"))
        self.fails("job", "revert", "web", code=2)
        self.assertIn("VERSION is empty", self.fails("job", "revert", "web", "", code=2))

    def test_versions_and_what_differs_between_them(self):
        for value in "ab":
            self.run_job(mock("t", run_for="1h", Env={"A": value}))
        self.assertEqual(self.cli("job", "history", "-version=0", "-t={{.Version}}", "web").out, "0\n")
        self.assertEqual(self.json("job", "history", "-version", "1", "web")["Version"], 1)
        self.assertIn("has no version 7", self.fails("job", "history", "-version", "7", "web"))
        shown = self.cli("job", "history", "-p", "web").out
        self.assertRegex(shown, r'(?s)\nVersion 1\n~ job "web"\n.*Env\[A\]: "a" -> "b"\n.*\nVersion 0\n$')
        shown = self.cli("job", "history", "-full", "-version", "0", "web").out
        self.assertEqual(json.loads(shown.partition("\nVersion 0\n")[2])["Version"], 0)

    def test_options_that_scripts_for_nomad_use(self):
        spec = self.sandbox.write("job.json", service(mock("t", run_for="1h"), Update={"MaxParallel": 0}))
        shown = self.cli("job", "plan", "-diff=false", "-verbose", spec, code=1).out
        self.assertNotIn('job "web"', shown)
        self.assertIn("1 create", shown)
        made = self.json("job", "run", "-detach", "-eval-priority=77", spec)["EvalID"]
        self.assertEqual(self.agent.get(f"/v1/evaluation/{made}")["Priority"], 77)
        self.cli("job", "scale", "-detach", "web", "2")
        self.cli("job", "run", "-detach", "-preserve-counts", "-preserve-resources", spec)
        self.assertEqual(self.job_count(), 2)
        made = self.json("job", "stop", "-detach", "-global", "-eval-priority", "3", "web")["EvalID"]
        self.assertEqual(self.agent.get(f"/v1/evaluation/{made}")["Priority"], 3)
        for wrong in ("0", "101", "x"):
            self.fails("job", "stop", "-eval-priority", wrong, "web", code=2)
        self.assertEqual(self.cli("server", "members", "-detailed").out,
                         self.cli("server", "members", "-verbose").out)

    def test_a_job_is_scaled(self):
        self.run_job(mock("t", run_for="1h"), Update={"MaxParallel": 0})
        self.assertRegex(self.cli("job", "scale", "web", "3").out, "complete")
        self.agent.wait_allocs("web", 3, "running")
        index = self.agent.get("/v1/job/web")["JobModifyIndex"]
        self.assertIn("Enforcing job modify index", self.fails(
            "job", "scale", "-check-index", str(index - 1), "web", "g", "2"))
        self.cli("job", "scale", "-check-index", str(index), "-detach", "web", "g", "2")
        self.assertEqual(self.job_count(), 2)
        two = job(*(group(mock("t", run_for="1h"), Name=name, Update={"MaxParallel": 0}) for name in "ab"),
                  id="two", type="service")
        self.agent.submit(two)
        self.assertIn("before the count: a, b", self.fails("job", "scale", "two", "2"))
        self.assertIn('has no task group "c", but: a, b',
                      self.fails("job", "scale", "two", "c", "2"))
        self.cli("job", "scale", "-detach", "two", "b", "0")
        self.assertEqual((self.job_count("two", 0), self.job_count("two", 1)), (1, 0))
        self.assertIn("No events found", self.cli("job", "scaling-events", "web").out)
        self.assertEqual(self.json("job", "scaling-events", "web")["TaskGroups"]["g"]["Desired"], 2)
        for count in ("x", "1.5", "99999999999", ""):
            self.assertIn("whole number", self.fails("job", "scale", "web", count, code=2))
        for wrong in (("web",), ("web", "g", "1", "2"), ("web", "-1")):
            self.fails("job", "scale", *wrong, code=2)

    def test_an_empty_id_is_not_the_only_job(self):
        self.run_job(mock("t", run_for="1h"))
        index = self.agent.get("/v1/job/web")["JobModifyIndex"]
        for command in (("scale", "", "0"), ("revert", "", "0"), ("eval", ""), ("start", ""),
                        ("stop", "-yes", "")):
            self.assertIn("the id of the job is empty", self.fails("job", *command))
        self.assertEqual(self.agent.get("/v1/job/web")["JobModifyIndex"], index)

    def test_a_plan_names_its_file_as_a_shell_takes_it(self):
        path = self.sandbox.write("a b.json", service(mock("t", run_for="1h")))
        self.assertIn(f"job run --check-index 0 '{path}'\n", self.cli("job", "plan", path, code=1).out)

    def test_a_job_that_finds_no_room_is_evaluated_again(self):
        self.run_job(mock("t", run_for="1h"))
        self.agent.wait_allocs("web", 1, "running")
        self.assertRegex(self.cli("job", "eval", "web").out, r"evaluation [0-9a-f]{8}: complete")
        made = self.json("job", "eval", "-detach", "we")["EvalID"]
        self.assertEqual(self.agent.get(f"/v1/evaluation/{made}")["JobID"], "web")
        self.assertIn("complete", self.cli("job", "eval", "-force-reschedule", "web").out)
        self.fails("job", "eval", code=2)

    def test_a_stopped_job_starts_again_as_it_was(self):
        self.run_job(mock("t", run_for="1h", Env={"A": "a"}), Count=2)
        self.agent.wait_allocs("web", 2, "running")
        self.assertIn('the job "web" is not stopped', self.fails("job", "start", "web"))
        self.cli("job", "stop", "-detach", "web")
        self.assertRegex(self.cli("job", "start", "web").out, r"evaluation [0-9a-f]{8}: complete")
        self.agent.wait_allocs("web", 2, "running")
        self.assertEqual(self.env_of_job(), {"A": "a"})
        self.assertFalse(self.agent.get("/v1/job/web")["Stop"])
        self.assertIn("no job has an id", self.fails("job", "start", "x"))

    def test_a_job_has_deployments_unless_all_of_it_changes_at_once(self):
        self.run_job(mock("t", run_for="1h"), Update={"MaxParallel": 0})
        self.assertEqual(self.cli("job", "deployments", "web").out, "No deployments found\n")
        self.assertEqual(self.cli("job", "deployments", "-latest", "web").out,
                         "No deployments found\n")
        self.assertEqual(self.json("job", "deployments", "-all", "web"), [])
        self.assertIsNone(self.json("job", "deployments", "-latest", "web"))
        self.run_job(mock("t", run_for="1h", Env={"A": "1"}))
        self.assertRegex(self.cli("job", "deployments", "web").out,
                         r"(?m)^[0-9a-f]{8} +web +1 +\w+ +Deployment ")
        self.assertEqual(self.json("job", "deployments", "-latest", "web")["JobVersion"], 1)
        self.fails("job", "deployments", "-latest", "-all", "web", code=2)


class ClientLookTest(ClientCommandTest):
    def test_namespaces(self):
        self.agent.submit(job(group(mock("t", run_for="1h")), id="a", Namespace="team"))
        self.assertRegex(self.cli("namespace", "list").out,
                         r"(?m)^Name +Description\ndefault +Default shared namespace\nteam")
        self.assertEqual([n["Name"] for n in self.json("namespace", "list")], ["default", "team"])
        self.assertRegex(self.cli("namespace", "status", "te").out,
                         r"(?m)^Name += team\nEnabled drivers += \*$")
        self.assertEqual(self.json("namespace", "status", "team")["Name"], "team")
        self.assertEqual(json.loads(self.cli("namespace", "inspect", "def").out)["Name"], "default")
        self.assertEqual(self.cli("namespace", "inspect", "-t", "{{.Name}}", "team").out, "team\n")
        self.assertIn("see drover namespace list", self.fails("namespace", "status", "x"))
        self.agent.submit(job(group(mock("t", run_for="1h")), id="a", Namespace="tea"))
        self.assertEqual(self.json("namespace", "inspect", "tea")["Name"], "tea")
        self.assertIn("beginning of 2 namespaces", self.fails("namespace", "status", "te"))
        self.fails("namespace", "list", "-namespace", "x", code=2)

    def test_servers_and_the_agent(self):
        host, port = self.agent.address.split(":")
        self.assertRegex(self.cli("server", "members").out,
                         rf"(?m)^\S+\.global +{host} +{port} +alive +true +3 ")
        self.assertIn("role=nomad", self.cli("server", "members", "-verbose").out)
        self.assertEqual(self.json("server", "members")[0]["Tags"]["Leader"], "true")
        self.assertEqual(self.cli("node", "config", "-servers").out, self.agent.address + "\n")
        self.fails("node", "config", code=2)
        node = self.json("node", "status")[0]["ID"]
        self.assertIn(f"client\n  node_id = {node}\n", self.cli("agent-info").out)
        self.assertEqual(self.json("agent-info")["member"]["Status"], "alive")
        self.assertRegex(self.cli("operator", "scheduler", "get-config").out,
                         r"(?m)^Scheduler Algorithm += binpack$")
        config = self.json("operator", "scheduler", "get-config")["SchedulerConfig"]
        self.assertEqual(config["SchedulerAlgorithm"], "binpack")
        self.assertEqual(self.cli("system", "reconcile", "summaries").out, "")
        self.assertIn("Gauges", json.loads(self.cli("operator", "metrics").out))
        self.assertIn("Gauges", self.json("operator", "metrics"))
        self.assertIn("\n  ", self.cli("operator", "metrics", "-pretty").out)
        self.assertIn("Prometheus", self.fails("operator", "metrics", "-format", "prometheus"))
        self.fails("operator", "metrics", "-format", "x", code=2)
        self.fails("operator", "metrics", "-format", "prometheus", "-json", code=2)

    def test_a_region_is_that_of_the_agent(self):
        self.run_job(mock("t", run_for="1h"))
        for command in (("job", "status", "-region=global"), ("job", "-region", "global", "status"),
                        ("server", "members", "-region", "global"), ("agent-info", "-region=global")):
            self.cli(*command)
        self.cli("job", "status", "-region=", "web", NOMAD_REGION="global")
        spec = self.sandbox.write("other.json", service(mock("t", run_for="1h"), id="other"))
        refusal = f'the agent at {self.agent.url} is in the region "global", not in "eu"'
        for command in (("job", "run", spec), ("job", "stop", "-yes", "web"), ("events",), ("monitor",),
                        ("operator", "api", "/v1/jobs"), ("node", "status")):
            self.assertIn(refusal, self.cli(*command, code=1, NOMAD_REGION="eu").err)
        self.assertIn(refusal, self.cli("job", "plan", "-region=eu", spec, code=255).err)
        self.assertEqual([(j["ID"], j["Stop"]) for j in self.agent.get("/v1/jobs")], [("web", False)])
        self.cli("job", "run", "-output", "-region=eu", spec)  # which asks no agent

    def test_the_status_of_whatever_has_an_id(self):
        self.assertIn("There are no jobs", self.cli("status").out)
        self.run_job(mock("t", run_for="1h"))
        alloc = self.agent.wait_allocs("web", 1, "running")[0]
        harness.wait_until(lambda: self.agent.get("/v1/job/web/deployment")["Status"] == "successful", "the deployment")
        self.assertRegex(self.cli("status").out, r"(?m)^web +default ")
        # A second may pass between two commands.
        shown = [re.sub(r"\d+s ago", "ago", self.cli(*command).out)
                 for command in (("status", "w"), ("job", "status", "web"))]
        self.assertEqual(shown[0], shown[1])
        self.assertEqual(self.json("status", "web")["Job"]["ID"], "web")
        for kind, id in (("alloc", alloc["ID"]), ("eval", alloc["EvalID"]),
                         ("node", alloc["NodeID"])):
            self.assertEqual(self.json("status", id)["ID"], id)
            self.assertRegex(self.cli("status", id[:17]).out, f"(?m)^ID += {id}$")
            self.assertEqual(self.cli("status", "-t", "{{.ID}}", id[:17]).out, id + "\n")
        self.assertEqual(self.json("status", "def")["Name"], "default")
        self.assertIn('nothing has an id that begins with "x"', self.fails("status", "x"))
        self.run_job(mock("t", run_for="1h"), id="web-2")
        self.assertRegex(self.cli("status", "web").out, r"(?m)^ID += web$")
        self.assertRegex(self.fails("status", "we"), r"several ids.*\n  web  jobs\n  web-2  jobs\n$")

    def test_the_address_of_the_page(self):
        self.run_job(mock("t", run_for="1h"))
        alloc = self.agent.wait_allocs("web", 1, "running")[0]
        url = "URL for web UI: " + self.agent.url
        self.assertEqual(self.cli("ui").out, url + "/ui/\n")
        self.assertEqual(self.cli("ui", "-show-url", "web").out, url + "/ui/jobs/web@default\n")
        self.assertEqual(self.cli("ui", alloc["ID"][:17]).out,
                         url + f"/ui/allocations/{alloc['ID']}\n")
        self.assertEqual(self.cli("ui", "-namespace", "*", alloc["NodeID"]).out,
                         url + f"/ui/clients/{alloc['NodeID']}?namespace=%2A\n")
        self.assertIn("is one of the evals", self.fails("ui", alloc["EvalID"]))
        self.assertIn("nothing has an id", self.fails("ui", "x"))
        self.address = "unix:///run/drover.sock"
        self.assertIn("a browser cannot open unix:///run", self.fails("ui"))

    def test_what_was_written_comes_back_unchanged(self):
        source = 'job "web" {\r\n\t# \u200d\x1b[1m\r\n}\r\n'
        self.agent.must("PUT", "/v1/jobs", {**service(mock("t", run_for="1h")),
                                            "Submission": {"Source": source, "Format": "hcl2"}})
        self.assertEqual(self.cli("job", "inspect", "-hcl", "web").out, source)

    def test_a_shell_completes_their_ids(self):
        def completed(*words):
            done = self.sandbox.command("__complete", *words, env={"DROVER_ADDR": self.address})
            return done.out.split()
        self.run_job(mock("t", run_for="1h"))
        alloc = self.agent.wait_allocs("web", 1, "running")[0]["ID"]
        for command in ("revert", "scale", "eval", "start", "deployments", "scaling-events"):
            self.assertEqual(completed("job", command, "w"), ["web"])
        self.assertEqual(completed("job", "revert", "web", ""), [])
        self.assertEqual(completed("namespace", "status", "d"), ["default"])
        for command in ("status", "ui"):
            self.assertEqual(completed(command, "we"), ["web"])
            self.assertEqual(completed(command, alloc[:18]), [alloc])
        self.assertEqual(completed("operator", "s"), ["scheduler"])


class OperatorApiTest(ClientCommandTest):
    def api(self, *arguments, stdin=None, code=0, **env):
        """Returns the standard output and error of `operator api` with STDIN, a text."""
        done = subprocess.run(
            [harness.binary(), "operator", "api", *arguments], capture_output=True, text=True,
            timeout=harness.LIMIT, env=self.sandbox.environment({"DROVER_ADDR": self.address, **env}),
            **({"stdin": subprocess.DEVNULL} if stdin is None else {"input": stdin}))
        self.assertEqual(done.returncode, code, done)
        return done

    def test_what_the_agent_says_is_printed(self):
        self.assertEqual(json.loads(self.api("/v1/jobs").stdout), [])
        self.assertEqual(json.loads(self.api(self.agent.address + "/v1/jobs").stdout), [])
        self.assertEqual(json.loads(self.api(self.agent.url + "/v1/regions").stdout), ["global"])
        # The agent has answered, so it is no error of the command.
        self.assertEqual(self.api("/v1/job/none").stdout, "job not found")

    def test_a_body_makes_it_a_post(self):
        spec = json.dumps(service(mock("t", run_for="1h")))
        answer = json.loads(self.api("/v1/jobs", stdin=spec).stdout)
        self.assertIn("EvalID", answer)
        self.assertEqual(json.loads(self.api("/v1/jobs", stdin="").stdout)[0]["ID"], "web")
        self.assertEqual(self.api("-X", "GET", "/v1/job/none", stdin=spec).stdout, "job not found")
        names = json.dumps({"Jobs": [{"ID": "web", "Namespace": "default"}]})
        self.assertEqual(json.loads(self.api("/v1/jobs/statuses", stdin=names).stdout)[0]["ID"], "web")
        self.assertEqual(self.api("/v1/jobs/statuses", stdin="{}").stdout, "no jobs in request")
        self.api("-X", "PUT", "/v1/system/gc")
        self.api("-X", "DELETE", "/v1/job/web")
        self.assertTrue(self.agent.get("/v1/job/web")["Stop"])

    def test_queries(self):
        for id in ("a", "b"):
            self.agent.submit(job(group(mock("t", run_for="1h")), id=id))
        self.agent.submit(job(group(mock("t", run_for="1h")), id="c", Namespace="team"))

        def ids(*arguments, **env):
            return [j["ID"] for j in json.loads(self.api(*arguments, **env).stdout)]
        self.assertEqual(ids("-filter", 'ID == "b"', "/v1/jobs"), ["b"])
        self.assertEqual(ids("-filter", 'ID == "b"', "/v1/jobs?prefix=a"), [])
        self.assertEqual(ids('/v1/jobs?filter=ID == "a"'), ["a"])
        self.assertEqual(ids("-namespace", "team", "/v1/jobs"), ["c"])
        self.assertEqual(ids("/v1/jobs", NOMAD_NAMESPACE="*"), ["a", "b", "c"])
        self.assertEqual(ids("-namespace", "team", "/v1/jobs?namespace=default"), ["a", "b"])
        self.assertIn("a filter already", self.api("-filter", "x", "/v1/jobs?filter=y", code=2).stderr)

    def test_a_verbose_request_shows_no_token(self):
        shown = self.api("-verbose", "-H", "X-Test: a", "/v1/jobs", NOMAD_TOKEN="secret").stderr
        self.assertRegex(shown, r"> GET /v1/jobs\n> X-Test: a\n< HTTP/1.1 200 OK\n")
        self.assertIn("< X-Nomad-Index: ", shown)
        self.assertNotIn("secret", shown)

    def test_a_dry_run_prints_what_curl_can_do(self):
        shown = self.api("-dryrun", "-filter", 'ID == "a b"', "/v1/jobs", NOMAD_TOKEN="secret").stdout
        self.assertEqual(shown, f"""\
curl \\
  -X GET \\
  -H "X-Nomad-Token: ${{NOMAD_TOKEN}}" \\
  '{self.agent.url}/v1/jobs?filter=ID%20%3D%3D%20%22a%20b%22'
""")
        if shutil.which("curl") is None:
            self.skipTest("there is no curl in PATH")
        self.run_job(mock("t", run_for="1h"), id="it's")
        shown = self.api("-dryrun", "/v1/jobs/statuses", stdin='{"jobs": [{"id": "it\'s"}]}').stdout
        done = subprocess.run(["sh", "-c", shown], input='{"jobs": [{"id": "it\'s"}]}', text=True,
                              capture_output=True, timeout=harness.LIMIT, check=True)
        self.assertEqual(json.loads(done.stdout)[0]["ID"], "it's")

    def test_wrong_command_lines(self):
        for wrong, why in ((("v1/jobs",), "write it as /v1/jobs"), ((), "PATH is required"),
                           (("-X", "TRACE", "/v1/jobs"), "TRACE not in"),
                           (("-H", "x", "/v1/jobs"), "NAME: VALUE"),
                           (("-H", "Content-Length: 3", "/v1/jobs"), "sets this header"),
                           (("ftp://h/v1/jobs",), "write it as")):
            done = self.api(*wrong, code=2)
            self.assertIn(why, done.stderr)
            self.assertEqual(done.stdout, "")
        self.assertIn("cannot reach", self.api("http://127.0.0.1:1/v1/jobs", code=1).stderr)

    def test_a_body_that_is_too_large_is_not_sent(self):
        with open("/dev/zero", "rb") as endless:
            head = subprocess.Popen(["head", "-c", str(65 << 20)], stdin=endless,
                                    stdout=subprocess.PIPE)
        done = subprocess.run([harness.binary(), "operator", "api", "/v1/jobs"], stdin=head.stdout,
                              capture_output=True, text=True, timeout=harness.LIMIT,
                              env=self.sandbox.environment({"DROVER_ADDR": self.address}))
        head.stdout.close()
        head.wait()
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("more than 64 MiB", done.stderr)


class OddServerTest(Client, DroverTest):
    """An agent of another kind, or a hostile one."""

    def serve(self, answers):
        self.address = StagedAgent(self, answers).address

    def test_servers_of_a_cluster(self):
        def member(name, region, status="alive", **tags):
            return {"Name": name, "Addr": "::1", "Port": 4648, "Status": status, "ProtocolCur": 2,
                    "Tags": {"region": region, "port": "4647", "raft_vsn": "3", "build": "1.9.0",
                             "dc": "dc1", **tags}}
        # The first one of the region has left, and still the region has a leader.
        members = [member("b.eu", "eu"), member("a.eu", "eu", port="1"), member("0.eu", "eu", "left"),
                   member("c.us", "us", "left"), 7, {"Name": "odd", "Tags": "x"}]
        self.serve({"/v1/agent/members": (200, json.dumps({"Members": members})),
                    "/v1/status/leader": (200, '"[::1]:4647"')})
        shown = self.cli("server", "members").out
        self.assertRegex(shown, r"(?s)a\.eu +::1 +4648 +alive +false.*b\.eu +::1 +4648 +alive +true")
        self.assertRegex(shown, r"c\.us +::1 +4648 +left +false")

    def test_evaluations_that_follow_one_another(self):
        ids = [f"abcdef0{n}-0000-4000-8000-000000000000" for n in range(3)]
        answers = {"/v1/jobs": (200, json.dumps({"EvalID": ids[0]}))}
        for id, after in zip(ids, [*ids[1:], ""]):
            one = {"ID": id, "Status": "complete", "NextEval": after, "Wait": 90_000_000_000}
            answers[f"/v1/evaluation/{id}"] = (200, json.dumps(one))
            answers[f"/v1/evaluation/{id}/allocations"] = (200, "[]")
        # The last one finds no room.
        answers[f"/v1/evaluation/{ids[2]}"] = (200, json.dumps({**one, "FailedTGAllocs": {"g": {"NodesEvaluated": 1}}}))
        self.serve(answers)
        shown = self.cli("job", "run", self.sandbox.write("job.json", service(mock("t"))), code=2).out
        for id in ids[1:]:
            self.assertIn(f"evaluation {id[:8]} follows after 1m30s\n", shown)
        self.assertEqual(shown.count(": complete"), 3)

    def test_a_cluster_without_a_leader_has_members(self):
        self.serve({"/v1/agent/members": (200, json.dumps({"Members": [{"Name": "a"}]})),
                    "/v1/status/leader": (500, "No cluster leader")})
        done = self.cli("server", "members", code=1)
        self.assertRegex(done.out, r"(?m)^a +")
        self.assertIn("No cluster leader", done.err)

    def test_records_of_other_kinds_and_events(self):
        self.serve({
            "/v1/search": (200, json.dumps({"Matches": {"vars": ["web/x"]}})),
            "/v1/jobs": (200, json.dumps([{"ID": "web", "Namespace": "default"}])),
            "/v1/job/web/scale": (200, json.dumps({"TaskGroups": {"g": {"Events": [
                {"Time": 1, "Count": 2, "PreviousCount": 1},
                {"Time": 2, "Count": None, "PreviousCount": 2, "Error": True, "EvalID": "e",
                 "Message": "m\x1b"}]}}})),
            "/v1/job/web/deployments": (200, json.dumps([{
                "ID": "12345678-9", "JobID": "web", "JobVersion": 3, "Status": "running",
                "StatusDescription": "slow"}])),
            "/v1/job/web/deployment": (200, json.dumps({"ID": "87654321-9", "JobID": "web"}))})
        self.assertIn("is one of the vars", self.fails("status", "web/"))
        shown = self.cli("job", "scaling-events", "-verbose", "web").out.splitlines()
        self.assertRegex(shown[1], r"^g +0 +2 .* yes +e +m\\x1b$")
        self.assertRegex(shown[2], r"^g +2 +1 ")
        self.assertRegex(self.cli("job", "deployments", "web").out,
                         r"(?m)^12345678 +web +3 +running +slow$")
        self.assertRegex(self.cli("job", "deployments", "-latest", "web").out, r"(?m)^87654321 +web")

    def test_an_answer_of_another_type_is_no_success(self):
        spec = self.sandbox.write("job.json", service(mock("t")))
        for body in ("[]", "7", "null", ""):
            self.serve(dict.fromkeys(("/v1/jobs", "/v1/validate/job", "/v1/job/web/plan",
                                      "/v1/agent/plugins/exec"), (200, body)))
            for command, code in (("run", 1), ("validate", 1), ("plan", 255)):
                self.assertIn("is it an agent?", self.fails("job", command, spec, code=code))
            self.assertIn("is it an agent?", self.fails("plugin", "status", "exec"))
        # Nothing to list is an empty list, and no other answer.
        for body in ("7", "null", "{}", ""):
            self.serve(dict.fromkeys(("/v1/jobs", "/v1/namespaces", "/v1/nodes", "/v1/evaluations",
                                      "/v1/agent/servers"), (200, body)))
            for command in (("job", "status"), ("status",), ("namespace", "list"), ("node", "status"),
                            ("eval", "list"), ("node", "config", "-servers")):
                self.assertIn("no JSON list: is it an agent?", self.fails(*command))
        jobs = json.dumps([{"ID": "web", "Namespace": "default"}])
        for body in ("7", "null", "[]", ""):
            self.serve({"/v1/jobs": (200, jobs), **dict.fromkeys(
                ("/v1/agent/self", "/v1/agent/members", "/v1/job/web/versions"), (200, body))})
            for command in (("agent-info",), ("server", "members"), ("job", "history", "web")):
                self.assertIn("no JSON object: is it an agent?", self.fails(*command))
        answers = {"/v1/jobs": (200, '{"EvalID": "e"}'), "/v1/evaluation/e": (200, "[]"),
                   "/v1/evaluation/e/allocations": (200, '{"a": 1}')}
        self.serve(answers)
        self.assertIn("is no evaluation", self.cli("job", "run", spec, code=1).err)
        answers["/v1/evaluation/e"] = (200, '{"ID": "e", "Status": "complete"}')
        self.assertIn("is no list of allocations", self.cli("job", "run", spec, code=1).err)

    def test_events_do_not_steer_the_terminal(self):
        event = {"Topic": "Job", "Key": "\u009b31m\x1b[2J"}
        self.serve({"/v1/event/stream":
                    (200, json.dumps({"Events": [event]}, ensure_ascii=False) + "\n")})
        for options in ((), ("-json",)):
            shown = self.cli("events", *options, code=1).out
            self.assertIn("31m", shown)
            self.assertNotRegex(shown, "[\x00-\x08\x0b-\x1f\x7f-\x9f]")
        self.assertEqual(json.loads(shown)["Events"], [event])


class FileCommandTest(DroverTest):
    """What needs no agent."""

    def test_a_job_comes_from_a_socket_as_ssh_makes_it(self):
        ours, theirs = socket.socketpair()
        with ours, theirs:
            ours.sendall(json.dumps(job(group(mock("t")))).encode())
            ours.shutdown(socket.SHUT_WR)
            done = self.sandbox.command("validate", "-", stdin=theirs)
        self.assertEqual(done.code, 0, done)
        self.assertIn("-: valid", done.out)

    def test_a_template_that_fails_is_an_error(self):
        done = self.sandbox.command("config", "show", "--config", self.sandbox.config_file,
                                    "-t", "{{index . 99999}}")
        self.assertEqual((done.code, done.out), (2, ""), done)
        self.assertIn("template:1:3: index: index out of range: 99999", done.err)

    def test_bash_quotes_the_names_of_files(self):
        self.sandbox.write("a;b c.json", "")
        script = ('source <("$0" completion bash); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
                  '_drover; printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "-c", script, harness.binary(), harness.binary(), "job", "run",
                               "a;"], check=True, capture_output=True, text=True, cwd=self.sandbox.root,
                              timeout=harness.LIMIT, env=self.sandbox.environment())
        self.assertEqual(done.stdout, "a\\;b\\ c.json\n")


if __name__ == "__main__":
    harness.main()
