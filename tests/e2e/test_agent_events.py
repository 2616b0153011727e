# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The agent's reports about the machine and itself, and its events, through its HTTP API."""
import re

import harness
from agent_harness import Agent, AgentTest, agent_config
from harness import group, job, task

LONG = "exec sleep 1000"


class AgentHostTest(AgentTest):
    def test_statistics_of_the_machine(self):
        stats = self.agent.get("/v1/client/stats")
        with open("/proc/meminfo", encoding="ascii") as file:
            total = int(file.readline().split()[1]) * 1024
        memory = stats["Memory"]
        self.assertEqual(memory["Total"], total)
        self.assertTrue(0 < memory["Free"] <= memory["Total"] - memory["Used"], memory)
        with open("/proc/stat", encoding="ascii") as file:
            cores = {l.split()[0] for l in file if l.startswith("cpu") and l.split()[0] != "cpu"}
        self.assertEqual({core["CPU"] for core in stats["CPU"]}, cores)
        for core in stats["CPU"]:
            self.assertTrue(0 <= core["User"] + core["System"] <= 100.1, core)
        self.assertEqual(stats["AllocDirStats"]["Mountpoint"], str(self.sandbox.alloc_dirs[0]))
        self.assertGreater(stats["AllocDirStats"]["Size"], stats["AllocDirStats"]["Available"] - 1)
        self.assertGreater(stats["Uptime"], 0)
        node = self.agent.get("/v1/nodes")[0]["ID"]
        self.assertIn("Memory", self.agent.get("/v1/client/stats", node_id=node))
        other = self.agent.ask("GET", "/v1/client/stats", node_id="11111111-" + node[9:])
        self.assertEqual((other.status, other.body[:12]), (404, b"Unknown node"))
        self.assertEqual(self.agent.ask("POST", "/v1/client/stats").status, 405)

    def test_allocations_that_have_ended_are_collected_and_jobs_stay(self):
        self.agent.submit(job(group(task("t", "exit 0")), id="short"))
        self.agent.submit(job(group(task("t", LONG)), id="long", type="service"))
        ended = self.agent.wait_allocs("short", 1, "complete")[0]["ID"]
        running = self.agent.wait_allocs("long", 1, "running")[0]["ID"]
        harness.wait_until(lambda: self.agent.get("/v1/job/short")["Status"] == "dead", "dead")
        self.assertEqual(self.agent.ask("GET", "/v1/client/gc", node_id="x").status, 404)
        reply = self.agent.ask("GET", "/v1/client/gc")
        self.assertEqual((reply.status, reply.body), (200, b""))
        harness.wait_until(lambda: not (self.sandbox.alloc_dirs[0] / ended).exists(),
                           "the directory of the allocation is gone")
        gone = self.agent.ask("GET", f"/v1/client/fs/ls/{ended}")
        self.assertEqual((gone.status, gone.body.decode()),
                         (404, f"state for allocation {ended} not found on client"))
        gone = self.agent.ask("GET", f"/v1/client/allocation/{ended}/stats")
        self.assertEqual((gone.status, gone.body.decode()), (404, f'Unknown allocation "{ended}"'))
        self.assertEqual({a["ID"] for a in self.agent.get("/v1/allocations")}, {running, ended})
        self.agent.must("PUT", "/v1/job/short/evaluate", {"JobID": "short"})
        self.assertEqual(len(self.agent.get("/v1/job/short/allocations")), 1)
        self.assertEqual(self.agent.get("/v1/job/short")["Status"], "dead")
        self.agent.must("PUT", "/v1/system/gc")
        self.assertEqual([a["ID"] for a in self.agent.get("/v1/allocations")], [running])
        self.assertEqual(self.agent.ask("GET", "/v1/job/short").status, 404)


class AgentMetricsTest(AgentTest):
    def values(self, **labels):
        """The metrics that have these labels, by name."""
        metrics = self.agent.get("/v1/metrics")
        return {m["Name"]: m.get("Value", m.get("Count"))
                for m in metrics["Gauges"] + metrics["Counters"]
                if all(m["Labels"].get(k) == v for k, v in labels.items())}

    def restart_with(self, **telemetry):
        self.agent.stop()
        self.agent = Agent(self.sandbox,
                           config=agent_config(self.sandbox, "metrics.json", telemetry=telemetry))

    def test_what_becomes_of_tasks_is_counted(self):
        before = self.values()
        for name in ("start", "restart", "failed", "complete", "oom_killed"):
            self.assertEqual(before["nomad.client.allocs." + name], 0)
        self.agent.submit(job(group(task("t", "exit 0"), name="good"),
                              group(task("t", "exit 3"), name="bad"), id="ends"))
        self.agent.submit(job(group(task("t", LONG)), id="long", type="service"))
        self.agent.wait_allocs("ends", 1, "complete")
        self.agent.wait_allocs("ends", 1, "failed")
        alloc = self.agent.wait_allocs("long", 1, "running")[0]["ID"]
        self.agent.must("PUT", f"/v1/client/allocation/{alloc}/restart", {"TaskName": "t"})
        harness.wait_until(lambda: self.values()["nomad.client.allocs.start"] == 4, "four starts")
        values = self.values()
        self.assertEqual([values["nomad.client.allocs." + n] for n in
                          ("restart", "failed", "complete")], [1, 1, 1])
        self.assertEqual([values["nomad.client.allocations." + n] for n in
                          ("pending", "running", "complete", "failed", "lost")], [0, 1, 1, 1, 0])
        self.assertEqual((values["drover.state.jobs"], values["drover.state.allocations"]), (2, 3))
        self.assertEqual(values["drover.live.alloc_runners"], 3)
        self.assertGreater(values["drover.live.task_runners"], 0)
        self.assertGreater(values["drover.process.threads"], 3)
        self.assertGreater(values["drover.process.descriptors"], 3)
        self.assertGreater(values["drover.process.rss"], 1 << 20)
        self.assertGreaterEqual(values["drover.http.connections"], 1)
        self.assertGreater(values["nomad.client.host.memory.total"], 1 << 20)
        metrics = self.agent.get("/v1/metrics")
        self.assertEqual(sorted(metrics), ["Counters", "Gauges", "Points", "Samples", "Timestamp"])
        self.assertEqual({tuple(sorted(c)) for c in metrics["Counters"]}, {
            ("Count", "Labels", "Max", "Mean", "Min", "Name", "Rate", "Stddev", "Sum")})
        self.assertEqual({tuple(sorted(g)) for g in metrics["Gauges"]}, {("Labels", "Name", "Value")})
        self.assertRegex(metrics["Timestamp"], r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000 UTC$")
        self.assertEqual({m["Labels"]["host"] for m in metrics["Gauges"]},
                         {self.agent.get("/v1/nodes")[0]["Name"]})
        asked = harness.wait_until(
            lambda: [s for s in self.agent.get("/v1/metrics")["Samples"]
                     if s["Name"] == "drover.http.request"], "a window of ten seconds")[0]
        self.assertEqual(sorted(asked), ["Count", "Labels", "Max", "Mean", "Min", "Name", "Rate",
                                         "Stddev", "Sum"])
        self.assertGreater(asked["Count"], 0)
        self.assertTrue(0 < asked["Min"] <= asked["Mean"] <= asked["Max"] <= asked["Sum"], asked)
        restarts = [c for c in metrics["Counters"] if c["Name"] == "nomad.client.allocs.restart"][0]
        self.assertEqual([restarts[k] for k in ("Count", "Sum", "Min", "Max", "Mean", "Stddev")],
                         [1, 1, 1, 1, 1, 0])

    def test_what_was_not_asked_for_is_not_told(self):
        reply = self.agent.ask("GET", "/v1/metrics", format="prometheus")
        self.assertEqual((reply.status, reply.body), (415, b"Prometheus is not enabled"))
        self.agent.submit(job(group(task("t", LONG)), id="long", type="service"))
        alloc = self.agent.wait_allocs("long", 1, "running")[0]["ID"]
        self.assertEqual(self.values(alloc_id=alloc), {})
        self.assertEqual(self.values()["drover.live.plugin_streams"],
                         self.streams_without_statistics(), "nothing is measured")

    def streams_without_statistics(self):
        """Fingerprints of the drivers, and their events; the mock driver also sends news."""
        drivers = self.agent.get("/v1/nodes")[0]["Drivers"]
        return 2 * len(drivers) + ("mock_driver" in drivers)

    def test_what_allocations_use_for_prometheus(self):
        self.restart_with(publish_allocation_metrics=True, prometheus_metrics=True)
        resources = {"CPU": 50, "MemoryMB": 40}
        self.agent.submit(job(group(task("t", LONG, Resources=resources)), id="a\"b",
                              type="service"))
        alloc = self.agent.wait_allocs('a"b', 1, "running")[0]["ID"]
        values = harness.wait_until(lambda: self.values(alloc_id=alloc), "a first sample")
        self.assertGreater(values["nomad.client.allocs.memory.rss"], 0)
        self.assertEqual(values["nomad.client.allocs.memory.allocated"], 40 << 20)
        self.assertEqual(values["nomad.client.allocs.cpu.allocated"], 50)
        reply = self.agent.ask("GET", "/v1/metrics", format="prometheus")
        self.assertEqual(reply.headers["Content-Type"],
                         "text/plain; version=0.0.4; charset=utf-8")
        text = reply.body.decode()
        host = self.agent.get("/v1/nodes")[0]["Name"]
        labels = (f'alloc_id="{alloc}",host="{host}",job="a\\"b",namespace="default",task="t",'
                  'task_group="g"')
        self.assertIn(f"nomad_client_allocs_memory_allocated{{{labels}}} {40 << 20}\n", text)
        self.assertIn("# TYPE nomad_client_allocs_start counter\n"
                      f'nomad_client_allocs_start{{host="{host}"}} 1\n', text)
        seen = set()
        for line in text.splitlines():
            if line.startswith("#"):
                self.assertRegex(line, r"^# (TYPE [a-z_]+ (gauge|counter)|HELP [a-z_]+ [a-z_.]+)$")
                continue
            series = re.fullmatch(r'([a-z_]+\{([a-z_]+="([^"\\]|\\.)*",?)+\}) [-+.e0-9]+', line)
            self.assertIsNotNone(series, line)
            self.assertNotIn(series.group(1), seen)
            seen.add(series.group(1))
        self.agent.must("DELETE", '/v1/job/a"b')
        harness.wait_until(lambda: not self.values(alloc_id=alloc), "no ended allocation")
