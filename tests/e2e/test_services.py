# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Registrations of services: how others find them, and when they go."""
import json

import harness
from agent_harness import AgentTest
from harness import group, job, task
from test_agent_streams import Stream
from test_client import Client
from test_takeover import TakeoverCase

LONG = "exec sleep 1000"


def api(**fields):
    """A service of a group with the port "http"."""
    return {"Name": "api", "PortLabel": "http", "Provider": "nomad", "Tags": ["blue"], **fields}


def with_services(*services, id="web", script=LONG, count=1, tasks=(), **fields):
    fields.setdefault("ShutdownDelay", 0)
    return job(group(task("t", script), *tasks, Count=count, Services=list(services),
                     Networks=[{"DynamicPorts": [{"Label": "http"}]}], **fields),
               id=id, type="service")


class ServiceCase(AgentTest):
    def instances(self, name="api", **query):
        return self.agent.get(f"/v1/service/{name}", **query)

    def wait_instances(self, count, name="api", **query):
        def those():
            found = self.instances(name, **query)
            return found if len(found) == count else None
        if count == 0:
            harness.wait_until(lambda: those() == [], f"no instance of {name}")
            return []
        return harness.wait_until(those, f"{count} instances of {name}")

    def run_service(self, *services, count=1, **fields):
        """Runs a job. Returns the instances of the first service, and the allocations."""
        services = services or (api(),)
        spec = with_services(*services, count=count, **fields)
        self.agent.submit(spec)
        allocs = self.agent.wait_allocs(spec["Job"]["ID"], count, "running")
        return self.wait_instances(count, services[0]["Name"]), allocs

    def place(self, alloc_id, label="http"):
        """The address and the port that an allocation has for others."""
        ports = self.agent.get(f"/v1/allocation/{alloc_id}")["AllocatedResources"]["Shared"]["Ports"]
        return next((port["HostIP"], port["Value"]) for port in ports if port["Label"] == label)


class ServiceTest(ServiceCase):
    def test_it_is_found_by_name_job_and_allocation(self):
        found, allocs = self.run_service(count=2)
        self.assertEqual({one["AllocID"] for one in found}, {alloc["ID"] for alloc in allocs})
        node = self.agent.get("/v1/nodes")[0]
        for one in found:
            self.assertEqual((one["Address"], one["Port"]), self.place(one["AllocID"]))
            self.assertEqual(one, {
                "ID": f"_nomad-task-{one['AllocID']}-group-g-api-http", "ServiceName": "api",
                "Namespace": "default", "NodeID": node["ID"], "Datacenter": node["Datacenter"],
                "JobID": "web", "AllocID": one["AllocID"], "Tags": ["blue"],
                "Address": one["Address"], "Port": one["Port"],
                "CreateIndex": one["CreateIndex"], "ModifyIndex": one["ModifyIndex"]})
            self.assertEqual(self.agent.get(f"/v1/allocation/{one['AllocID']}/services"), [one])
        self.assertEqual(self.agent.get("/v1/job/web/services"), found)
        self.assertEqual(self.agent.get("/v1/services"), [
            {"Namespace": "default", "Services": [{"ServiceName": "api", "Tags": ["blue"]}]}])
        self.assertEqual(self.agent.get("/v1/services", namespace="other"), [])
        self.assertEqual(self.instances(namespace="*"), found)
        self.assertEqual(self.instances(choose="1|k"), self.instances(choose="1|k"))

    def test_it_goes_with_its_allocation(self):
        _, allocs = self.run_service(count=2)
        self.agent.must("PUT", f"/v1/allocation/{allocs[0]['ID']}/stop")
        harness.wait_until(lambda: allocs[0]["ID"] not in {i["AllocID"] for i in self.instances()},
                           "the stopped instance is gone")
        replaced = self.wait_instances(2)
        self.assertIn(allocs[1]["ID"], {one["AllocID"] for one in replaced})
        self.agent.must("DELETE", "/v1/job/web", purge="true")
        self.wait_instances(0)
        self.assertEqual(self.agent.get("/v1/services"), [])
        self.agent.wait_allocs("web", 3, "complete", "stop")
        self.agent.must("PUT", "/v1/system/gc")
        self.assertEqual(self.agent.get("/v1/allocations"), [])

    def test_it_goes_with_a_failure(self):
        self.run_service(script=f"while [ ! -e {self.sandbox.root}/fail ]; do sleep 0.05; done; exit 3")
        (self.sandbox.root / "fail").touch()
        self.agent.wait_allocs("web", 1, "failed")
        self.wait_instances(0)

    def test_a_blocked_query_sees_it_come_and_go(self):
        reply = self.agent.ask("GET", "/v1/services")
        index = reply.headers["X-Nomad-Index"]
        self.agent.submit(with_services(api()))
        reply = self.agent.ask("GET", "/v1/service/api", index=index, wait="60s")
        self.assertEqual(len(json.loads(reply.body)), 1)
        self.assertGreater(int(reply.headers["X-Nomad-Index"]), int(index))
        self.agent.wait_allocs("web", 1, "running")
        index = self.agent.ask("GET", "/v1/service/api").headers["X-Nomad-Index"]
        self.agent.must("DELETE", "/v1/job/web")
        reply = self.agent.ask("GET", "/v1/services", index=index, wait="60s")
        self.assertEqual(json.loads(reply.body), [])

    def test_lists_are_filtered_and_come_in_pages(self):
        found, _ = self.run_service(api(Tags=["all", "${NOMAD_ALLOC_INDEX}"]), count=3)
        one = self.instances(filter='"1" in Tags')
        self.assertEqual([i["Tags"] for i in one], [["all", "1"]])
        self.assertEqual(self.instances(filter='"1" in Tags', choose="1|any"), one)
        reply = self.agent.ask("GET", "/v1/service/api", per_page=2)
        first = json.loads(reply.body)
        rest = self.instances(per_page=2, next_token=reply.headers["X-Nomad-NextToken"])
        self.assertEqual(first + rest, found)
        self.assertEqual(self.agent.get("/v1/services")[0]["Services"][0]["Tags"],
                         ["0", "1", "2", "all"])

    def test_events(self):
        stream = Stream(self.agent, "/v1/event/stream", {"topic": "Service:api"})
        self.addCleanup(stream.close)
        found, allocs = self.run_service()
        event = stream.events_until(lambda event: True)[0]
        self.assertEqual((event["Topic"], event["Type"], event["Key"], event["Namespace"]),
                         ("Service", "ServiceRegistration", found[0]["ID"], "default"))
        self.assertEqual(event["FilterKeys"], ["web", "api", allocs[0]["ID"]])
        self.assertEqual(event["Payload"], {"Service": found[0]})
        self.agent.must("DELETE", "/v1/job/web")
        event = stream.events_until(lambda event: event["Type"] != "ServiceRegistration")[-1]
        self.assertEqual((event["Type"], event["Key"]), ("ServiceDeregistration", found[0]["ID"]))
        self.assertTrue(event["Payload"]["Deleted"])

    def test_targets_of_prometheus(self):
        found, _ = self.run_service(api(Tags=["metrics", "v=1"]))
        self.assertEqual(self.agent.get("/v1/agent/prometheus-sd"), [{
            "targets": [f"{found[0]['Address']}:{found[0]['Port']}"],
            "labels": {"__meta_nomad_address": found[0]["Address"], "__meta_nomad_dc": "dc1",
                       "__meta_nomad_namespace": "default",
                       "__meta_nomad_node_id": found[0]["NodeID"],
                       "__meta_nomad_service": "api",
                       "__meta_nomad_service_address": found[0]["Address"],
                       "__meta_nomad_service_alloc_id": found[0]["AllocID"],
                       "__meta_nomad_service_id": found[0]["ID"],
                       "__meta_nomad_service_port": str(found[0]["Port"]),
                       "__meta_nomad_tags": ",metrics,v=1,"}}])
        self.assertEqual(self.agent.get("/v1/agent/prometheus-sd", filter='"other" in Tags'), [])

    def test_one_registration_is_deleted(self):
        found, _ = self.run_service(count=2)
        path = f"/v1/service/api/{found[0]['ID']}"
        self.assertEqual(self.agent.ask("DELETE", path, namespace="other").status, 404)
        self.assertIsNone(self.agent.must("DELETE", path))
        self.assertEqual(self.instances(), found[1:])
        reply = self.agent.ask("DELETE", path)
        self.assertEqual((reply.status, reply.body), (404, b"service registration not found"))


class ServiceRestartTest(TakeoverCase):
    """Registrations after the end of an agent. The tasks go on."""

    def wait_instances(self, count):
        def those():
            found = self.agent.get("/v1/service/api")
            return (found,) if len(found) == count else None
        return harness.wait_until(those, f"{count} instances")[0]

    def kill_and_start(self):
        self.kill()
        self.agent = self.start()

    def test_it_is_the_same_for_the_next_agent(self):
        self.agent.submit(with_services(api(), count=2))
        self.agent.wait_allocs("web", 2, "running")
        before = self.wait_instances(2)
        for _ in range(3):
            self.kill_and_start()
            self.assertEqual(self.agent.get("/v1/service/api"), before)
        self.agent.wait_allocs("web", 2, "running")
        self.assertEqual(self.wait_instances(2), before, "nothing was registered once more")
        self.agent.must("DELETE", "/v1/job/web", purge="true")
        self.wait_instances(0)
        self.agent.wait_allocs("web", 2, "complete", "stop")
        self.kill_and_start()
        self.assertEqual(self.agent.get("/v1/services"), [])
        self.agent.forget_all(self.leftovers)

    def test_what_ends_without_an_agent_is_not_found_after_it(self):
        flag = self.sandbox.root / "end"
        self.agent.submit(with_services(
            api(), script=f"while [ ! -e {flag} ]; do sleep 0.05; done; exit 3"))
        self.agent.wait_allocs("web", 1, "running")
        self.wait_instances(1)
        self.kill()
        flag.touch()
        self.agent = self.start()
        self.agent.wait_allocs("web", 1, "failed")
        self.wait_instances(0)
        self.agent.forget_all(self.leftovers)

    def test_the_service_of_a_task_that_ends_without_an_agent_is_not_anothers(self):
        flag = self.sandbox.root / "end"
        # The id of the service begins as those of the task "web-api" would.
        spec = with_services(tasks=[
            task("web", f"while [ ! -e {flag} ]; do sleep 0.05; done", Services=[api()]), task("web-api", LONG)])
        spec["Job"]["Type"] = "batch"
        self.agent.submit(spec)
        self.agent.wait_allocs("web", 1, "running")
        self.wait_instances(1)
        self.kill()
        flag.touch()
        self.agent = self.start()
        self.wait_instances(0)
        self.agent.wait_allocs("web", 1, "running")
        self.agent.must("DELETE", "/v1/job/web", purge="true")
        self.agent.forget_all(self.leftovers)


class ServiceCommandTest(Client, ServiceCase):
    def setUp(self):
        super().setUp()
        self.address = self.agent.url

    def test_names_and_instances(self):
        self.assertEqual(self.cli("service", "list").out, "There are no services.\n")
        self.assertEqual(self.json("service", "list"), [])
        found, allocs = self.run_service(count=2)
        self.assertRegex(self.cli("service", "list").out,
                         r"^Service +Namespace +Tags\napi +default +blue\n$")
        self.assertEqual(self.json("service", "list"), self.agent.get("/v1/services"))
        shown = self.cli("service", "info", "api").out.splitlines()
        self.assertRegex(shown[0], r"^Job +Address +Tags +Node +Allocation$")
        self.assertEqual(sorted(line.split() for line in shown[1:]), sorted(
            ["web", f"{one['Address']}:{one['Port']}", "blue", one["NodeID"][:8], one["AllocID"][:8]]
            for one in found))
        self.assertIn(found[0]["ID"], self.cli("service", "info", "-verbose", "api").out)
        self.assertEqual(self.json("service", "info", "api"), found)
        self.assertEqual(
            self.cli("service", "info", "-t={{range .}}{{.AllocID}} {{end}}", "api").out.split(),
            [one["AllocID"] for one in found])
        self.assertEqual(self.json("service", "info", "-filter", 'AllocID == "none"', "api"), [])
        self.assertIn('no service has the name "x": see drover service list',
                      self.fails("service", "info", "x"))
        self.fails("service", "info", code=2)
        self.fails("service", "info", "-per-page", "-1", "api", code=2)

    def test_pages(self):
        found, _ = self.run_service(count=3)
        first = self.cli("service", "info", "-verbose", "-per-page=2", "api")
        self.assertEqual(len(first.out.splitlines()), 3)
        self.assertEqual(first.err, f"There are more: --page-token {found[2]['ID']}\n")
        rest = self.json("service", "info", "-per-page=2", "-page-token", found[2]["ID"], "api")
        self.assertEqual(rest, found[2:])

    def test_a_name_in_two_namespaces(self):
        self.run_service()
        other = with_services(api(), id="other")
        other["Job"]["Namespace"] = "other"
        self.agent.submit(other)
        self.wait_instances(1, namespace="other")
        message = self.fails("service", "info", "api")
        self.assertIn('the service "api" is in 2 namespaces: choose one by --namespace', message)
        self.assertIn("\n  other", message)
        shown = self.json("service", "info", "-namespace", "other", "api")
        self.assertEqual([one["JobID"] for one in shown], ["other"])

    def test_a_registration_is_deleted(self):
        found, _ = self.run_service(count=2)
        self.assertEqual(self.cli("service", "delete", "api", found[0]["ID"]).out,
                         f"the registration {found[0]['ID']} is deleted\n")
        self.assertEqual(self.instances(), found[1:])
        self.assertIn("service registration not found",
                      self.fails("service", "delete", "api", found[0]["ID"]))
        self.assertIn("REGISTRATION is empty", self.fails("service", "delete", "api", "", code=2))
        self.fails("service", "delete", "api", code=2)

    def test_checks_of_an_allocation(self):
        _, allocs = self.run_service()
        self.assertEqual(self.cli("alloc", "checks", allocs[0]["ID"]).out,
                         "The agent runs no checks of this allocation.\n")
        self.assertEqual(self.json("alloc", "checks", allocs[0]["ID"]), {})


if __name__ == "__main__":
    harness.main()
