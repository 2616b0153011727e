# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The smaller routes of the HTTP API: their answers and refusals."""
import json
import uuid

import harness
from agent_harness import AgentTest
from harness import group, job, mock

NONE = str(uuid.uuid4())


def service(count=1, id="web", **config):
    return job(group(mock("t", run_for="1h", **config), Count=count), id=id, type="service")


class AgentRouteTest(AgentTest):
    def versions(self):
        return [v["Version"] for v in self.agent.get("/v1/job/web/versions")["Versions"]]

    def error(self, method, path, body=None, **query):
        reply = self.agent.ask(method, path, body, **query)
        self.assertIn("text/plain", reply.headers["Content-Type"], reply)
        return reply.status, reply.body.decode()

    def test_a_job_goes_back_to_an_earlier_version(self):
        self.agent.submit(service())
        self.agent.submit(service(2, stdout_string="new"))
        revert = {"JobID": "web", "JobVersion": 0}
        for body, code, text in (
                ({"JobID": "x", "JobVersion": 0}, 400, "Job ID does not match"),
                ({"JobID": "web", "JobVersion": 1}, 500, "can't revert to current version"),
                ({**revert, "EnforcePriorVersion": 0}, 500,
                 "Current job has version 1; enforcing version 0"),
                ({"JobID": "web", "JobVersion": 7}, 500,
                 'job "web" in namespace "default" at version 7 not found'),
                ({"JobID": "web", "JobVersion": "x"}, 400, "Failed to decode body: ")):
            got = self.error("PUT", "/v1/job/web/revert", body)
            self.assertEqual((got[0], got[1][:len(text)]), (code, text))
        self.assertEqual(self.versions(), [1, 0])
        reply = self.agent.must("PUT", "/v1/job/web/revert", {**revert, "EnforcePriorVersion": 1})
        self.assertEqual(self.agent.get(f"/v1/evaluation/{reply['EvalID']}")["JobID"], "web")
        self.assertEqual(self.versions(), [2, 1, 0])
        now = self.agent.get("/v1/job/web")["TaskGroups"][0]
        self.assertEqual((now["Count"], now["Tasks"][0]["Config"]), (1, {"run_for": "1h"}))
        self.agent.wait_allocs("web", 1, "running")
        self.assertEqual(self.error("PUT", "/v1/job/x/revert", {"JobID": "x", "JobVersion": 0}),
                         (404, "job not found"))

    def refused(self, table):
        """Checks the answer to each (method, path, body, code, text) of TABLE."""
        for method, path, body, code, text in table:
            with self.subTest(path, body=str(body)[:80]):
                got = self.error(method, "/v1/" + path, body)
                self.assertEqual(got[0], code, got)
                self.assertIn(text, got[1])

    def test_the_text_of_a_job_is_kept_with_its_version(self):
        path = "/v1/job/web/submission"
        text = {"Source": 'job "web" {}', "Format": "hcl2", "VariableFlags": {"a": "b"},
                "Variables": "c = 1"}
        reply = self.agent.submit({**service(), "Submission": text})
        self.assertEqual(reply["Warnings"], "")
        self.agent.submit(service(2))
        answer = self.agent.get(path, version=0)
        self.assertEqual(answer, {**text, "Namespace": "default", "JobID": "web", "Version": 0,
                                "JobModifyIndex": reply["JobModifyIndex"]})
        self.assertEqual(self.error("GET", path, version=1), (404, "job source not found"))
        self.agent.must("PUT", "/v1/job/web/revert", {"JobID": "web", "JobVersion": 0})
        answer = self.agent.get(path)
        self.assertEqual((answer["Version"], answer["Source"]), (2, text["Source"]), "the newest")
        large = {**text, "Source": "x" * (1 << 20)}
        self.assertIn("job source size of 1.0 MB exceeds maximum of 1.0 MB and will be discarded",
                      self.agent.submit({**service(3), "Submission": large})["Warnings"])
        self.assertEqual(self.error("GET", path, version=3), (404, "job source not found"))
        self.refused([
            ("GET", "job/x/submission?version=0", None, 404, "job source not found"),
            ("GET", "job/web/submission?version=9", None, 404, "job source not found"),
            ("GET", "job/web/submission?version=-1", None, 400, '"-1" is not a number'),
            ("PUT", "jobs", {**service(), "Submission": 7}, 400, "Submission must be"),
            ("PUT", "jobs", {**service(), "Submission": {"Source": 7}}, 400,
             "Failed to decode body")])

    def test_differences_of_versions(self):
        self.agent.submit(service())
        self.agent.submit(service(2))
        self.agent.must("PUT", "/v1/job/web/versions/golden/tag", {"Version": 0})
        changed = service(2)
        changed["Job"]["Meta"] = {"owner": "me"}
        self.agent.submit(changed)
        self.agent.must("DELETE", "/v1/job/web")

        def diffs(**query):
            return self.agent.get("/v1/job/web/versions", **query)["Diffs"]

        def fields(of):
            return {field["Name"]: (field["Old"], field["New"]) for field in of["Fields"] or []}
        self.assertIsNone(diffs())
        stopped, meta, count = diffs(diffs="true")
        self.assertEqual(fields(stopped), {"Stop": ("false", "true")})
        self.assertEqual((fields(meta), meta["TaskGroups"]), ({"Meta[owner]": ("", "me")}, None))
        self.assertEqual([fields(g) for g in count["TaskGroups"]], [{"Count": ("1", "2")}])
        for query in ({"diff_version": 0}, {"diff_tag": "golden"}):
            all_of_them = diffs(diffs="true", **query)
            self.assertEqual([d["Type"] for d in all_of_them], ["Edited"] * 3 + ["None"])
            self.assertEqual(fields(all_of_them[0]),
                             {"Stop": ("false", "true"), "Meta[owner]": ("", "me")})
        self.refused([
            ("GET", "job/web/versions?diffs=true&diff_tag=x", None, 404, 'tag "x" not found'),
            ("GET", "job/web/versions?diffs=true&diff_version=9", None, 404, "version 9 not found"),
            ("GET", "job/web/versions?diff_version=x", None, 400, "Failed to parse value of"),
        ])

    def test_a_version_gets_a_name(self):
        self.agent.submit(service())
        self.agent.submit(service(2))
        tag = "/v1/job/web/versions/golden/tag"
        reply = self.agent.must("PUT", tag, {"Version": 0, "Description": "it ran"})
        self.assertEqual((reply["Name"], reply["Description"]), ("golden", "it ran"))
        versions = self.agent.get("/v1/job/web/versions")["Versions"]
        self.assertIsNone(versions[0]["VersionTag"])
        answer = versions[1]["VersionTag"]
        self.assertEqual((answer["Name"], answer["Description"]), ("golden", "it ran"))
        self.assertGreater(answer["TaggedTime"], 1_600_000_000 * 10**9)
        self.assertEqual(self.error("POST", tag, {"Version": 1})[0], 400)
        for count in range(3, 10):
            self.agent.submit(service(count))
        self.assertEqual(self.versions(), [8, 7, 6, 5, 4, 3, 0])
        self.agent.must("PUT", "/v1/job/web/revert", {"JobID": "web", "JobVersion": 0})
        self.assertEqual(self.agent.get("/v1/job/web")["TaskGroups"][0]["Count"], 1)
        self.agent.must("POST", "/v1/job/web/versions/now/tag", {"Version": 0, "Latest": True})
        self.assertEqual(self.agent.get("/v1/job/web")["VersionTag"]["Name"], "now")
        index = self.agent.ask("GET", "/v1/job/web/versions").headers["X-Nomad-Index"]
        self.agent.must("DELETE", tag)
        reply = self.agent.ask("GET", "/v1/job/web/versions", index=index, wait="20s")
        self.assertGreater(int(reply.headers["X-Nomad-Index"]), int(index))
        self.assertEqual(self.versions(), [9, 8, 7, 6, 5, 4, 0])
        self.agent.must("DELETE", "/v1/job/web/versions/now/tag")
        self.assertEqual(self.versions(), [9, 8, 7, 6, 5, 4], "six without a name are kept")
        self.refused([
            ("DELETE", "job/web/versions/golden/tag", None, 404, 'tag "golden" not found'),
            ("DELETE", "job/x/versions/golden/tag", None, 404, "job not found"),
            ("PUT", "job/web/versions/a/tag", {"Version": 0}, 404,
             'job "web" in namespace "default" at version 0 not found'),
            ("PUT", "job/x/versions/a/tag", {"Version": 0}, 404, "job not found"),
            ("PUT", "job/web/versions/a/tag", {"Version": -1}, 400, "Version must be"),
            ("PUT", "job/web/versions/a/tag", {"Version": "9"}, 400, "Version must be"),
            ("PUT", "job/web/versions/a/tag", {}, 400, "Version or Latest"),
            ("PUT", "job/web/versions/a/tag", {"Version": 3, "Latest": True}, 400, "contradict"),
            ("PUT", "job/web/versions/a/tag", None, 400, "Request body is empty"),
            ("PUT", f"job/web/versions/{'x' * 129}/tag", {"Version": 9}, 400, "at most 128 bytes"),
            ("PUT", "job/web/versions//tag", {"Version": 0}, 404, "invalid job tag endpoint"),
            ("PUT", "job/web/tag", {"Version": 0}, 404, "invalid job tag endpoint")])

    def test_a_version_is_called_stable(self):
        self.agent.submit(service())
        self.agent.submit(service(2))
        stable = {"JobID": "web", "JobVersion": 0, "Stable": True}
        self.assertGreater(self.agent.must("PUT", "/v1/job/web/stable", stable)["Index"], 0)
        answer = [v["Stable"] for v in self.agent.get("/v1/job/web/versions")["Versions"]]
        self.assertEqual(answer, [False, True])
        self.agent.must("POST", "/v1/job/web/stable", {**stable, "Stable": False})
        answer = [v["Stable"] for v in self.agent.get("/v1/job/web/versions")["Versions"]]
        self.assertEqual(answer, [False, False])
        self.refused([
            ("PUT", "job/x/stable", {**stable, "JobID": "x"}, 404, "job not found"),
            ("PUT", "job/web/stable", {**stable, "JobID": "x"}, 400, "Job ID does not match"),
            ("PUT", "job/web/stable", {**stable, "JobVersion": 7}, 404, "at version 7 not found"),
            ("PUT", "job/web/stable", {**stable, "Stable": "x"}, 400, "Failed to decode body")])

    def test_evaluations_are_deleted(self):
        def evals():
            return [e["ID"] for e in self.agent.get("/v1/evaluations")]
        made = self.agent.submit(service())["EvalID"]
        looked = [self.agent.must("PUT", "/v1/job/web/evaluate")["EvalID"] for _ in range(4)]
        path = "/v1/evaluations"
        self.refused([
            ("DELETE", "evaluations", {"EvalIDs": [looked[0], made]}, 400, made + " is needed"),
            ("DELETE", "evaluations", {"EvalIDs": [looked[3]]}, 400, "the newest of its job"),
            ("DELETE", "evaluations", {"EvalIDs": [NONE]}, 404, "not found"),
            ("DELETE", "evaluations", {}, 400, "either EvalIDs or Filter"),
            ("DELETE", "evaluations", {"EvalIDs": [made], "Filter": "ID is empty"}, 400, "either"),
            ("DELETE", "evaluations", {"Filter": "ID ="}, 400, "filter"),
            ("DELETE", "evaluations", {"Filter": "None == 1"}, 400, "None"),
            ("DELETE", "evaluations", {"EvalIDs": 7}, 400, "Failed to decode body"),
            ("DELETE", "evaluations", None, 400, "Request body is empty")])
        self.assertEqual(evals(), [made, *looked])
        self.assertEqual(self.agent.must("DELETE", path, {"EvalIDs": looked[:2]}), {"Count": 2})
        self.assertEqual(evals(), [made, *looked[2:]])
        choose = {"Filter": 'JobID == "web" and Status == "complete"'}
        self.assertEqual(self.agent.must("DELETE", path, choose, namespace="other"), {"Count": 0})
        self.assertEqual(self.agent.must("DELETE", path, choose), {"Count": 1})
        self.assertEqual(evals(), [made, looked[3]], "needed evaluations stay")

    def test_a_job_is_scaled(self):
        self.agent.submit(job(group(mock("t", run_for="1h"), Update={"MaxParallel": 0}),  # no deployment
                              id="web", type="service"))
        first = self.agent.wait_allocs("web", 1, "running")[0]["ID"]
        scale = {"Count": 3, "Target": {"Group": "g"}}
        self.assertTrue(self.agent.must("PUT", "/v1/job/web/scale", scale)["EvalID"])
        running = self.agent.wait_allocs("web", 3, "running")
        self.assertIn(first, [a["ID"] for a in running], "the others are left alone")
        status = self.agent.get("/v1/job/web/scale")
        self.assertEqual((status["JobID"], status["JobStopped"]), ("web", False))
        self.assertEqual(status["TaskGroups"]["g"], {
            "Desired": 3, "Placed": 3, "Running": 3, "Healthy": 0, "Unhealthy": 0, "Events": []})
        for body, code, text in (
                ({"Count": 1}, 400, "missing task group name for scaling action"),
                ({**scale, "Target": {"Group": "x"}}, 400,
                 'task group "x" specified for scaling does not exist'),
                ({**scale, "Count": -1}, 400, "scaling action count can't be negative"),
                ({**scale, "Count": "1"}, 400, "Count must be"),
                ({"Target": {"Group": "g"}}, 501, "without a Count")):
            got = self.error("PUT", "/v1/job/web/scale", body)
            self.assertEqual(got[0], code, got)
            self.assertIn(text, got[1])
        self.agent.must("DELETE", "/v1/job/web")
        self.agent.must("PUT", "/v1/job/web/scale", {**scale, "Count": 5})
        stopped = self.agent.get("/v1/job/web")
        self.assertEqual((stopped["Stop"], stopped["TaskGroups"][0]["Count"]), (True, 5))
        self.assertEqual(self.error("GET", "/v1/job/x/scale"), (404, "job not found"))

    def test_what_is_asked_of_kinds_of_jobs_that_there_are_none_of(self):
        self.agent.submit(service())
        table = [
            ("PUT", "job/web/dispatch", {}, 500, 'Specified job "web" is not a parameterized job'),
            ("PUT", "job/x/dispatch", {}, 500, "parameterized job not found"),
            ("PUT", "job/web/periodic/force", None, 500, "can't force launch non-periodic job"),
            ("PUT", "job/x/periodic/force", None, 404, "job not found"),
            ("GET", "job/web/dispatch/payload", None, 404, "the job has no payload"),
            ("GET", "job/x/dispatch/payload", None, 404, "job not found"),
            ("GET", "job/x/actions", None, 404, "job not found"),
            ("GET", "job/web/action", None, 500, "websocket connection not found in context"),
            ("PUT", "agent/servers", None, 501, "no meaning on a single node"),
            ("PUT", "jobs/parse", {}, 400, "Job spec is empty"),
            ("GET", "service/", None, 400, "missing service name"),
            ("DELETE", "service/a", None, 400, "missing service id"),
            ("DELETE", "service/a/b", None, 404, "service registration not found"),
            ("DELETE", "service/a/b/c", None, 400, "invalid URI"),
            ("PUT", "deployment/fail/x", {}, 404, "deployment not found"),
        ]
        self.refused(table)
        for choice in ("x", "|k", "1|", "0|k", "-1|k", "1|a|b", "99999999999|k"):
            self.assertEqual(self.error("GET", "/v1/service/a", choose=choice)[0], 400, choice)
        for path in ("job/web/services", "job/web/actions", "services", "service/a"):
            self.assertEqual(self.agent.get("/v1/" + path), [], path)
        self.assertEqual(self.agent.get("/v1/service/a", choose="2|k"), [])
        self.assertEqual(self.agent.ask("PUT", "/v1/system/reconcile/summaries").body, b"")
        self.assertEqual([j["ID"] for j in self.agent.get("/v1/jobs")], ["web"])

    def test_what_a_node_is_asked(self):
        node = self.agent.get("/v1/nodes")[0]["ID"]
        self.agent.submit(service())
        self.agent.wait_allocs("web", 1, "running")
        reply = self.agent.must("PUT", f"/v1/node/{node}/evaluate")
        self.assertEqual([self.agent.get(f"/v1/evaluation/{e}")["JobID"] for e in reply["EvalIDs"]],
                         ["web"])
        self.assertEqual(self.error("PUT", f"/v1/node/{NONE}/evaluate"), (404, "node not found"))

    def test_the_metadata_of_the_node(self):
        path = "/v1/client/metadata"
        node = self.agent.get("/v1/nodes")[0]["ID"]
        nothing = {"Meta": {}, "Dynamic": {}, "Static": {}}
        self.assertEqual(self.agent.get(path, node_id=node), nothing)
        before = self.agent.get(f"/v1/node/{node}")
        answer = self.agent.must("POST", path, {"NodeID": node, "Meta": {"rack": "7", "zone": "a"}})
        self.assertEqual(answer, {"Meta": {"rack": "7", "zone": "a"},
                                "Dynamic": {"rack": "7", "zone": "a"}, "Static": {}})
        self.agent.must("PUT", path, {"Meta": {"zone": None}}, node_id=node)
        answer = self.agent.get(path)
        self.assertEqual(answer, {"Meta": {"rack": "7"}, "Dynamic": {"rack": "7"}, "Static": {}})
        reply = self.agent.get_until(f"/v1/node/{node}",
                                     lambda r: json.loads(r.body)["Meta"] == {"rack": "7"})
        now = json.loads(reply.body)
        self.assertNotEqual(now["ComputedClass"], before["ComputedClass"])
        self.assertGreater(now["ModifyIndex"], before["ModifyIndex"])
        self.agent.submit(job(group(harness.task("t", "echo rack=$RACK",
                                                 Env={"RACK": "${meta.rack}"})), id="sees"))
        alloc = self.agent.wait_allocs("sees", 1, "complete")[0]["ID"]
        log = self.agent.ask("GET", f"/v1/client/fs/logs/{alloc}", task="t", type="stdout", plain=1)
        self.assertEqual(log.body, b"rack=7\n")
        for body, query, code, text in (
                ({"Meta": {"a": "b"}}, {"node_id": NONE}, 404, f'Unknown node "{NONE}"'),
                ({"Meta": {"a": "b"}, "NodeID": NONE}, {}, 404, f'Unknown node "{NONE}"'),
                ({}, {}, 400, "Meta must be"), ({"Meta": {}}, {}, 400, "Meta must be"),
                ({"Meta": ["a"]}, {}, 400, "Meta must be"),
                ({"Meta": {"b": "c", "a/b": "x"}}, {}, 400, 'key "a/b" must be'),
                ({"Meta": {"b": "c", "a": 7}}, {}, 400, '"a" must be a text'),
                ({"Meta": {"a": "x" * 70_000}}, {}, 400, "at most 65536"),
                ("", {}, 400, "Request body is empty"), ("[]", {}, 400, "must be a JSON object")):
            got = self.error("POST", path, body, **query)
            self.assertEqual(got[0], code, got)
            self.assertIn(text, got[1])
        self.assertEqual(self.agent.get(path), answer, "refused requests have changed nothing")
        self.assertEqual(self.error("GET", path, node_id=NONE)[0], 404)

    def test_a_constraint_is_waited_for(self):
        spec = service()
        rack = {"LTarget": "${meta.rack}", "RTarget": "7", "Operand": "="}
        spec["Job"]["TaskGroups"][0]["Constraints"] = [
            {"LTarget": "${attr.kernel.name}", "RTarget": "linux"}, rack]
        plan = self.agent.must("PUT", "/v1/job/web/plan", {**spec, "Diff": True})
        self.assertEqual(plan["FailedTGAllocs"]["g"]["ConstraintFiltered"], {"${meta.rack} = 7": 1})
        made = self.agent.get(f"/v1/evaluation/{self.agent.submit(spec)['EvalID']}")
        failed = made["FailedTGAllocs"]["g"]
        self.assertEqual((failed["NodesEvaluated"], failed["NodesFiltered"],
                          failed["ConstraintFiltered"]), (1, 1, {"${meta.rack} = 7": 1}))
        blocked = f"/v1/evaluation/{made['BlockedEval']}"
        self.assertEqual(self.agent.get(blocked)["Status"], "blocked")
        self.agent.must("POST", "/v1/client/metadata", {"Meta": {"rack": "7"}})
        self.agent.wait_allocs("web", 1, "running")
        self.assertEqual(self.agent.get(blocked)["Status"], "complete")
        self.assertEqual(self.agent.get("/v1/job/web")["TaskGroups"][0]["Constraints"][1], rack)
        place = "/Job/TaskGroups/0/Constraints/0"
        for constraint, text in (
                ({**rack, "Operand": "distinct_hosts"}, f"{place}/RTarget: must be true or false"),
                ({**rack, "Operand": "version", "RTarget": "> x"}, f"{place}/RTarget: is not a version constr"),
                ({**rack, "LTarget": ""}, f"{place}/LTarget: is missing"),
                ({**rack, "Operand": "regexp", "RTarget": "("}, f"{place}/RTarget: is not a regular"),
                ({**rack, "Operator": "="}, f"{place}/Operator")):
            spec["Job"]["TaskGroups"][0]["Constraints"] = [constraint]
            self.refused([("PUT", "jobs", spec, 500, text)])

    def search(self, text, context="", fuzzy=False):
        body = {"Text" if fuzzy else "Prefix": text, "Context": context}
        return self.agent.must("POST", "/v1/search" + ("/fuzzy" if fuzzy else ""), body)

    def test_searches(self):
        for number in range(25):
            self.agent.submit(service(id=f"web-{number:02}"))
        node = self.agent.get("/v1/nodes")[0]
        alloc = self.agent.allocs("web-07")[0]
        found = self.search("web", "jobs")
        self.assertEqual((len(found["Matches"]["jobs"]), found["Truncations"]), (20, {"jobs": True}))
        found = self.search(alloc["ID"][:9])  # an odd number of digits: the last one is cut
        self.assertEqual((found["Matches"]["allocs"], found["Matches"]["jobs"]), ([alloc["ID"]], []))
        self.assertEqual(self.search(alloc["ID"].replace("-", "")[:13])["Matches"]["allocs"],
                         [alloc["ID"]])
        self.assertEqual(self.search("xy", "deployment")["Matches"], {"deployment": []})
        self.assertEqual(self.error("POST", "/v1/search", {"Prefix": "x", "Context": "y"}),
                         (400, 'unknown context "y"'))

        found = self.search("B-07", fuzzy=True)["Matches"]
        self.assertEqual(found["jobs"], [{"ID": "web-07", "Scope": ["default", "web-07"]}])
        self.assertEqual(found["allocs"],
                         [{"ID": "web-07.g[0]", "Scope": ["default", alloc["ID"]]}])
        found = self.search(node["Name"].upper(), "nodes", fuzzy=True)["Matches"]
        self.assertEqual(found, {"nodes": [{"ID": node["Name"], "Scope": [node["ID"]]}]})
        self.agent.submit(job(group(harness.task("shell", "true"), name="group"), id="other"))
        scope = ["default", "other"]
        self.assertEqual(self.search("roup", fuzzy=True)["Matches"]["groups"],
                         [{"ID": "group", "Scope": scope}])
        self.assertEqual(self.search("hel", "tasks", fuzzy=True)["Matches"]["tasks"],
                         [{"ID": "shell", "Scope": [*scope, "group"]}])
        self.assertEqual(self.search("bin/s", fuzzy=True)["Matches"]["commands"],
                         [{"ID": "/bin/sh", "Scope": [*scope, "group", "shell"]}])
        self.assertTrue(self.search("web", "jobs", fuzzy=True)["Truncations"]["jobs"])
        self.assertEqual(self.error("POST", "/v1/search/fuzzy", {"Text": "x"})[0], 400)

    def test_queries_that_make_no_sense(self):
        for query, text in (({"per_page": "x"}, "per_page"), ({"filter": "ID ="}, "filter"),
                            ({"index": "-1"}, "Invalid index"),
                            ({"index": "1", "wait": "-1s"}, "Invalid wait time")):
            for path in ("jobs", "allocations", "evaluations", "nodes"):
                got = self.error("GET", "/v1/" + path, **query)
                self.assertEqual(got[0], 400, (path, query))
                self.assertIn(text, got[1])
        for path in ("jobs", "allocations", "evaluations", "nodes", "deployments", "services",
                     "namespaces", "regions", "agent/members", "agent/self", "status/peers"):
            self.assertEqual(self.agent.ask("PATCH", "/v1/" + path).status, 405, path)
        pretty = self.agent.ask("GET", "/v1/agent/self", pretty="1")
        self.assertEqual(json.loads(pretty.body), self.agent.get("/v1/agent/self", pretty="0"))


if __name__ == "__main__":
    harness.main()
