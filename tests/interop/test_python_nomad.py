# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The agent, driven by python-nomad as it comes from the package index."""
import base64
import json
import os
import threading

import nomad
from nomad.api import exceptions

import harness
from agent_harness import Agent, AgentTest, agent_config
from harness import group, job, mock, task


def is_open_by(pid, path):
    """Whether a process has that file open."""
    directory = f"/proc/{pid}/fd"
    for descriptor in os.listdir(directory):
        try:
            if os.readlink(f"{directory}/{descriptor}") == str(path):
                return True
        except OSError:
            continue  # closed meanwhile
    return False


class PythonNomadTest(AgentTest):
    def setUp(self):
        super().setUp()
        host, port = self.agent.address.split(":")
        self.nomad = nomad.Nomad(host=host, port=int(port), timeout=30)

    def wait(self, job_id, status, count=1):
        def those():
            found = [a for a in self.nomad.job.get_allocations(job_id)
                     if a["ClientStatus"] == status]
            return found if len(found) == count else None
        return harness.wait_until(those, f"{count} {status} of {job_id}")

    def restarts_and_state(self, alloc_id):
        task_state = self.nomad.allocation.get_allocation(alloc_id)["TaskStates"]["t"]
        return task_state["Restarts"], task_state["State"]

    def is_on_its_node(self, alloc):
        try:
            self.nomad.client.allocation.read_allocation_stats(alloc)
        except exceptions.URLNotFoundNomadException:
            return False
        return True

    def test_a_job_and_its_allocations(self):
        spec = job(group(task("t", "exec sleep 1000"), Count=2), id="web", type="service")
        reply = self.nomad.job.register_job("web", spec)
        self.assertEqual(self.nomad.evaluation.get_evaluation(reply["EvalID"])["Status"],
                         "complete")
        allocs = self.wait("web", "running", 2)
        self.assertIn("web", self.nomad.jobs)
        self.assertEqual(len(self.nomad.jobs), 1)
        self.assertEqual(self.nomad.jobs["web"]["Name"], "web")
        self.assertEqual([j["ID"] for j in self.nomad.jobs.get_jobs(prefix="w")], ["web"])
        self.assertEqual(self.nomad.job.get_job("web")["Status"], "running")
        self.assertEqual(self.nomad.job.get_summary("web")["Summary"]["g"]["Running"], 2)
        self.assertEqual(len(self.nomad.job.get_versions("web")["Versions"]), 1)
        self.assertEqual(len(self.nomad.job.get_evaluations("web")), 1)
        self.assertEqual([one["JobVersion"] for one in self.nomad.job.get_deployments("web")], [0])
        self.assertEqual(
            len(self.nomad.evaluation.get_allocations(reply["EvalID"])), 2)
        self.assertEqual(len(self.nomad.allocations.get_allocations()), 2)
        one = allocs[0]["ID"]
        self.assertIn(one, self.nomad.allocation)
        self.assertEqual(self.nomad.allocation.get_allocation(one)["Job"]["ID"], "web")
        stats = self.nomad.client.allocation.read_allocation_stats(one)
        self.assertGreater(stats["ResourceUsage"]["MemoryStats"]["RSS"], 0)
        self.nomad.client.allocation.restart_allocation(one)
        harness.wait_until(lambda: self.restarts_and_state(one) == (1, "running"),
                           "its restart")
        self.nomad.client.allocation.signal_allocation(one, "SIGKILL")
        self.nomad.allocation.stop_allocation(one)
        harness.wait_until(lambda: self.nomad.allocation.get_allocation(one)["ClientStatus"]
                           in ("complete", "failed"), "its stop")
        self.nomad.client.gc_allocation.garbage_collect(one)
        harness.wait_until(lambda: not self.is_on_its_node(one), "its node has removed it")
        self.nomad.job.deregister_job("web", purge=True)
        self.assertNotIn("web", self.nomad.job)
        harness.wait_until(lambda: all(a["ClientStatus"] in ("complete", "failed")
                                       for a in self.nomad.allocations.get_allocations()), "ended")
        self.nomad.system.initiate_garbage_collection()
        self.assertEqual(self.nomad.allocations.get_allocations(), [])

    def rolled(self, version, script="exec sleep 1000", **update):
        """Registers a version of a service with two instances. Returns the id of its deployment."""
        quick = {"HealthCheck": "task_states", "MinHealthyTime": "10ms", "HealthyDeadline": "30s",
                 "ProgressDeadline": 0, "AutoRevert": True}
        spec = job(group(task("t", script, Env={"VERSION": str(version)}), Count=2, Update={**quick, **update}),
                   id="web", type="service")
        reply = self.nomad.job.register_job("web", spec)
        return harness.wait_until(lambda: self.nomad.evaluation.get_evaluation(reply["EvalID"])["DeploymentID"],
                                  "its deployment")

    def follow(self, deployment, *statuses):
        """Waits until a deployment has one of the statuses, and returns it."""
        def found():
            one = self.nomad.deployment.get_deployment(deployment)
            return one if one["Status"] in statuses else None
        return harness.wait_until(found, f"a deployment that is {statuses}")

    def test_a_deployment_and_the_way_back(self):
        first = self.rolled(0)
        done = self.follow(first, "successful", "failed")
        self.assertEqual((done["Status"], done["TaskGroups"]["g"]["HealthyAllocs"]), ("successful", 2))
        self.assertIn(first, self.nomad.deployments)
        self.assertEqual(len(self.nomad.deployment.get_deployment_allocations(first)), 2)
        with self.assertRaises(exceptions.BaseNomadException):
            self.nomad.deployment.fail_deployment(first)
        with self.assertRaises(exceptions.URLNotFoundNomadException):
            self.nomad.deployment.get_deployment("00000000-0000-4000-8000-000000000000")
        bad = self.follow(self.rolled(1, "exit 1"), "successful", "failed")
        self.assertEqual((bad["Status"], bad["StatusDescription"]),
                         ("failed", "Failed due to unhealthy allocations - rolling back to job version 0"))
        back = self.nomad.job.get_deployment("web")
        self.assertEqual(back["JobVersion"], 2)
        self.assertEqual(self.follow(back["ID"], "successful", "failed")["Status"], "successful")
        now = self.nomad.job.get_job("web")
        self.assertEqual((now["Stable"], now["TaskGroups"][0]["Tasks"][0]["Env"]["VERSION"]), (True, "0"))

        canary = self.rolled(3, Canary=1)
        harness.wait_until(lambda: self.nomad.deployment.get_deployment(canary)["TaskGroups"]["g"]["HealthyAllocs"],
                           "a healthy canary")
        self.nomad.deployment.pause_deployment(canary, True)
        self.assertEqual(self.nomad.deployment.get_deployment(canary)["Status"], "paused")
        self.nomad.deployment.pause_deployment(canary, False)
        self.assertTrue(self.nomad.deployment.promote_deployment_groups(canary, ["g"])["EvalID"])
        self.follow(canary, "successful")

        by_hand = self.rolled(4, HealthCheck="manual")
        placed = self.nomad.deployment.get_deployment_allocations(by_hand)
        self.nomad.deployment.deployment_allocation_health(by_hand, unhealthy_allocations=[placed[0]["ID"]])
        self.assertEqual(self.follow(by_hand, "successful", "failed")["Status"], "failed")
        self.assertTrue(self.nomad.job.revert_job("web", 0)["EvalID"])
        self.nomad.job.stable_job("web", self.nomad.job.get_job("web")["Version"], False)
        self.nomad.job.deregister_job("web", purge=True)

    def test_jobs_that_start_others(self):
        def parent(name, **block):
            return job(group(task("t", "cat local/input 2>/dev/null; true", DispatchPayload={"File": "input"})),
                       id=name, **block)
        self.nomad.job.register_job("timed", parent("timed", Periodic={"Specs": ["0 0 1 1 *"]}))
        launched = self.nomad.evaluation.get_evaluation(self.nomad.job.periodic_job("timed")["EvalID"])
        self.wait(launched["JobID"], "complete")
        self.nomad.job.register_job("form", parent("form", ParameterizedJob={"MetaRequired": ["who"]}))
        with self.assertRaises(exceptions.BaseNomadException):
            self.nomad.job.dispatch_job("form")
        sent = self.nomad.job.dispatch_job("form", payload=base64.b64encode(b"hello\n").decode(),
                                           meta={"who": "ada"}, id_prefix_template="ada")
        self.assertTrue(sent["DispatchedJobID"].startswith("form/dispatch-ada-"), sent)
        alloc = self.wait(sent["DispatchedJobID"], "complete")[0]["ID"]
        self.assertEqual(self.nomad.client.stream_logs.stream(alloc, "t", "stdout", plain=True), "hello\n")
        self.assertEqual(self.nomad.job.get_summary("form")["Children"]["Dead"], 1)

    def test_files_and_logs(self):
        script = ("echo out; echo err >&2; echo 0123456789 > $NOMAD_TASK_DIR/file; "
                  "mkdir $NOMAD_TASK_DIR/d; exec sleep 1000")
        self.nomad.job.register_job("web", job(group(task("t", script)), id="web", type="service"))
        alloc = self.wait("web", "running")[0]["ID"]
        client, path = self.nomad.client, "/t/local/file"
        harness.wait_until(lambda: any(f["Name"] == "d" for f in client.ls.list_files(
            alloc, "/t/local")), "the task has done its work")
        self.assertEqual([f["Name"] for f in client.ls.list_files(alloc)], ["alloc", "t"])
        status = client.stat.stat_file(alloc, path)
        self.assertEqual((status["Size"], status["IsDir"], status["FileMode"]), (11, False, "-rw-r--r--"))
        self.assertEqual(client.cat.read_file(alloc, path), "0123456789\n")
        self.assertEqual(client.read_at.read_file_offset(alloc, 2, 3, path), "234")
        with self.assertRaises(exceptions.URLNotFoundNomadException):
            client.stat.stat_file(alloc, "/t/none")
        with self.assertRaises(exceptions.BadRequestNomadException):
            client.cat.read_file(alloc, "/../../none")
        for kind, text in (("stdout", "out\n"), ("stderr", "err\n")):
            plain = client.stream_logs.stream(alloc, "t", kind, plain=True)
            self.assertEqual(plain, text)
            frame = json.loads(client.stream_logs.stream(alloc, "t", kind))
            self.assertEqual((base64.b64decode(frame["Data"]).decode(), frame["Offset"]), (text, 4))
        self.assertEqual(client.stream_logs.stream(alloc, "t", "stdout", offset=2, origin="end",
                                                   plain=True), "t\n")
        # This call follows the file, and returns when the file is removed.
        text = []
        reader = threading.Thread(target=lambda: text.append(
            client.stream_file.stream(alloc, 4, "end", path)))
        reader.start()
        file = self.sandbox.alloc_dirs[0] / alloc / "t" / "local" / "file"
        harness.wait_until(lambda: is_open_by(self.agent.run.pid, file), "it is followed")
        file.unlink()
        reader.join(harness.LIMIT)
        self.assertFalse(reader.is_alive())
        frames = text[0].replace("}{", "}\n{").splitlines()
        self.assertEqual(base64.b64decode(json.loads(frames[0])["Data"]), b"789\n")
        self.assertEqual(json.loads(frames[-1])["FileEvent"], "file deleted")
        self.assertGreater(client.stats.read_stats()["Memory"]["Total"], 0)

    def test_events(self):
        stream, done, events = self.nomad.event.stream.get_stream(topic={"Allocation": "web"},
                                                                  timeout=2)
        stream.daemon = True
        stream.start()
        self.nomad.job.register_job("web", job(group(mock("t", run_for="1s")), id="web"))
        seen = set()
        while "complete" not in seen:
            batch = events.get(timeout=harness.LIMIT)
            seen.update(e["Payload"].get("Allocation", {}).get("ClientStatus")
                        for e in batch["Events"])
        done.set()

    def test_events_of_services(self):
        stream, done, events = self.nomad.event.stream.get_stream(topic={"Service": "api"}, timeout=2)
        stream.daemon = True
        stream.start()
        spec = job(group(
            mock("t", run_for="1h"), Networks=[{"DynamicPorts": [{"Label": "http"}]}],
            Services=[{"Name": "api", "PortLabel": "http", "Provider": "nomad"}]), id="web", type="service")
        self.nomad.job.register_job("web", spec)
        alloc = self.wait("web", "running")[0]["ID"]
        seen = []
        while "ServiceDeregistration" not in seen:
            for event in events.get(timeout=harness.LIMIT)["Events"]:
                service = event["Payload"]["Service"]
                self.assertEqual((service["ServiceName"], service["AllocID"]), ("api", alloc))
                seen.append(event["Type"])
                if event["Type"] == "ServiceRegistration":
                    self.nomad.job.deregister_job("web")
        done.set()
        self.assertEqual(seen[0], "ServiceRegistration")

    def test_an_earlier_version(self):
        spec = job(group(mock("t", run_for="1h")), id="web", type="service")
        self.nomad.jobs.register_job(spec)
        self.nomad.jobs.register_job({"Job": {**spec["Job"], "Meta": {"a": "b"}}})
        self.nomad.job.revert_job("web", version=0)
        self.assertFalse(self.nomad.job.get_job("web")["Meta"])
        with self.assertRaises(exceptions.BaseNomadException):
            self.nomad.job.dispatch_job("web")
        with self.assertRaises(exceptions.BaseNomadException):
            self.nomad.job.periodic_job("web")

    def test_a_plan_a_validation_and_an_evaluation(self):
        spec = job(group(mock("t", run_for="1h")), id="web", type="service")
        self.assertEqual(self.nomad.validate.validate_job(spec).json()["ValidationErrors"], None)
        plan = self.nomad.job.plan_job("web", spec, diff=True)
        self.assertEqual(plan["Annotations"]["DesiredTGUpdates"]["g"]["Place"], 1)
        self.assertEqual((plan["Diff"]["Type"], plan["Diff"]["TaskGroups"][0]["Tasks"][0]["Name"]),
                         ("Added", "t"))
        self.assertIsNone(self.nomad.job.plan_job("web", spec, diff=False)["Diff"])
        self.assertEqual(self.nomad.jobs.get_jobs(), [])
        self.nomad.jobs.register_job(spec)
        self.wait("web", "running")
        self.assertTrue(self.nomad.job.evaluate_job("web")["EvalID"])
        self.assertEqual(len(self.nomad.evaluations.get_evaluations()), 2)

    def test_its_exceptions(self):
        with self.assertRaises(exceptions.URLNotFoundNomadException):
            self.nomad.job.get_job("none")
        with self.assertRaises(exceptions.BadRequestNomadException):
            self.nomad.jobs.register_job({})
        with self.assertRaises(exceptions.BaseNomadException):
            self.nomad.jobs.register_job(job(group({"Name": "t", "Driver": "none"}), id="x"))

    def test_variables(self):
        payload = {"Namespace": "default", "Path": "app/db", "Items": {"password": "first"}}
        made = self.nomad.variable.create_variable("app/db", payload)
        self.assertEqual(self.nomad.variable.get_variable("app/db"), made)
        self.assertEqual(self.nomad.variable["app/db"]["Items"], {"password": "first"})
        self.assertIn("app/db", self.nomad.variable)
        self.assertNotIn("app/x", self.nomad.variable)
        self.assertIn("app/db", self.nomad.variables)
        with self.assertRaises(exceptions.VariableConflict):
            self.nomad.variable.create_variable("app/db", payload, cas=0)
        changed = self.nomad.variable.create_variable(
            "app/db", {**payload, "Items": {"password": "second"}}, cas=made["ModifyIndex"])
        self.nomad.variable.create_variable("b", {"Items": {"k": "v"}}, namespace="team")
        self.assertEqual([v["Path"] for v in self.nomad.variables.get_variables(prefix="app")],
                         ["app/db"])
        self.assertEqual([v["Path"] for v in self.nomad.variables.get_variables(namespace="*")],
                         ["app/db", "b"])
        with self.assertRaises(exceptions.VariableConflict):
            self.nomad.variable.delete_variable("app/db", cas=made["ModifyIndex"])
        self.nomad.variable.delete_variable("app/db", cas=changed["ModifyIndex"])
        self.nomad.variable.delete_variable("b", namespace="team")
        self.assertEqual(self.nomad.variables.get_variables(namespace="*"), [])

    def test_nodes_and_the_agent(self):
        node = self.nomad.nodes.get_nodes()[0]
        self.assertEqual(self.nomad.node.get_node(node["ID"])["Status"], "ready")
        self.assertEqual(self.nomad.node.get_allocations(node["ID"]), [])
        self.nomad.node.eligible_node(node["ID"], ineligible=True)
        self.assertEqual(self.nomad.nodes.get_nodes()[0]["SchedulingEligibility"], "ineligible")
        self.assertEqual(self.nomad.status.leader.get_leader(), self.agent.address)
        self.assertEqual(self.nomad.regions.get_regions(), ["global"])
        self.assertEqual(self.nomad.agent.get_agent()["member"]["Status"], "alive")
        self.assertEqual(self.nomad.agent.get_servers(), [self.agent.address])
        self.assertEqual(self.nomad.namespaces.get_namespaces()[0]["Name"], "default")
        found = self.nomad.search.search(node["ID"][:8], "nodes")
        self.assertEqual(found["Matches"]["nodes"], [node["ID"]])


class PythonAccessTest(harness.DroverTest):
    def connect(self, token=None):
        host, port = self.agent.address.split(":")
        return nomad.Nomad(host=host, port=int(port), timeout=30, token=token)

    def test_tokens_and_policies(self):
        self.sandbox.alloc_dirs[0].mkdir()
        self.agent = Agent(self.sandbox, config=agent_config(self.sandbox, acl={"enabled": True}))
        with self.assertRaises(exceptions.URLNotAuthorizedNomadException):
            self.connect().jobs.get_jobs()
        first = self.connect().acl.generate_bootstrap()
        acl = self.connect(first["SecretID"]).acl
        rules = json.dumps({"namespace": {"default": {"policy": "read"}}})
        acl.create_policy("reader", {"Name": "reader", "Description": "reads", "Rules": rules})
        self.assertEqual(acl.get_policy("reader")["Rules"], rules)
        acl.update_policy("reader", {"Name": "reader", "Description": "reads jobs", "Rules": rules})
        self.assertEqual([p["Description"] for p in acl.get_policies()], ["reads jobs"])
        made = acl.create_token({"Name": "ci", "Type": "client", "Policies": ["reader"]})
        own = self.connect(made["SecretID"])
        self.assertEqual(own.jobs.get_jobs(), [])
        self.assertEqual(own.acl.get_self_token()["AccessorID"], made["AccessorID"])
        with self.assertRaises(exceptions.URLNotAuthorizedNomadException):
            own.nodes.get_nodes()
        changed = acl.update_token(made["AccessorID"], {**made, "Name": "cd"})
        self.assertEqual(changed["Name"], "cd")
        self.assertEqual(acl.get_token(made["AccessorID"])["Name"], "cd")
        self.assertEqual(len(acl.get_tokens()), 2)
        self.assertTrue(acl.delete_token(made["AccessorID"]))
        self.assertTrue(acl.delete_policy("reader"))
        with self.assertRaises(exceptions.URLNotAuthorizedNomadException):
            own.jobs.get_jobs()
        self.agent.stop()
