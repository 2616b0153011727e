# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The agent's configuration in HCL and JSON, from several files."""
import json
import signal
import unittest

import harness
from agent_harness import Agent
from harness import DroverTest, group, job, task

BASE = """
# What all machines have.
data_dir  = "{data}"
log_level = "info"
log_json  = true
log_file  = "{log}"

leave_on_terminate = true

client {{
  enabled   = true
  alloc_dir = "{allocs}"
  run_dir   = "{run}"
  node_pool = "edge"
  meta {{
    "rack.id" = 7
    row       = "a"
  }}
  min_dynamic_port = 23400
  max_dynamic_port = 23499
  reserved {{
    reserved_ports = "23400-23450"
  }}
}}

plugin "raw_exec" {{
  file = "{raw_exec}"
  config {{
    enabled = true
  }}
}}

telemetry {{
  prometheus_metrics = {prometheus}
}}
"""


def can_read_hcl():
    return (harness.program_dir() / "bin" / "drover-hcl").exists()


class ConfigTest(DroverTest):
    def setUp(self):
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()
        self.directory = self.sandbox.root / "drover.d"

    def write_base(self, **fields):
        root = self.sandbox.root
        values = {"data": root / "data", "log": root / "agent.log", "prometheus": "false",
                  "allocs": self.sandbox.alloc_dirs[0], "run": self.sandbox.run_dir,
                  "raw_exec": harness.plugin_file("raw_exec"), **fields}
        return self.sandbox.write("drover.d/10-base.hcl", BASE.format(**values))

    def write_all(self):
        if not can_read_hcl():
            raise unittest.SkipTest("this build has no drover-hcl")
        self.write_base()
        self.sandbox.write("drover.d/20-site.json", {"name": "n1", "client": {"meta": {"row": "b"}}})
        return self.sandbox.write("last.hcl", 'region = "eu"\n')

    def test_an_agent_of_a_directory_and_a_file(self):
        last = self.write_all()
        agent = Agent(self.sandbox, "--config", last, config=self.directory)
        node = agent.get("/v1/node/" + agent.get("/v1/nodes")[0]["ID"])
        self.assertEqual((node["Name"], node["NodePool"]), ("n1", "edge"))
        self.assertEqual(agent.get("/v1/agent/self")["config"]["Region"], "eu")
        self.assertEqual((node["Meta"]["rack.id"], node["Meta"]["row"]), ("7", "b"))
        self.assertEqual(node["NodeResources"]["MinDynamicPort"], 23400)
        self.assertEqual(node["ReservedResources"]["Networks"]["ReservedHostPorts"], "23400-23450")
        self.assertIn("exec", node["Drivers"])
        self.assertIn("10-base.hcl:8: /leave_on_terminate: is not carried out", agent.run.err)

        agent.submit(job(group(task("t", "exec sleep 1000"), Networks=[
            {"DynamicPorts": [{"Label": "http"}]}]), id="web", type="service", Region="eu",
                         NodePool="edge"))
        alloc = agent.wait_allocs("web", 1, "running")[0]["ID"]
        ports = agent.get(f"/v1/allocation/{alloc}")["AllocatedResources"]["Shared"]["Ports"]
        self.assertGreater(ports[0]["Value"], 23450)
        self.assertLess(ports[0]["Value"], 23500)
        agent.must("DELETE", "/v1/job/web", purge="true")
        agent.stop()
        lines = (self.sandbox.root / "agent.log").read_text().splitlines()
        self.assertIn("warn", {json.loads(line)["@level"] for line in lines})

    def test_a_reload_reads_all_files_again(self):
        last = self.write_all()
        agent = Agent(self.sandbox, "--config", last, config=self.directory)

        def reload(text):
            before = len(agent.run.err)
            agent.run.signal(signal.SIGHUP)
            return agent.run.wait_for(
                lambda r: next((l for l in r.err[before:].splitlines() if text in l), None), text)

        self.assertIn("applied: nothing", reload("configuration reloaded"))
        self.write_base(prometheus="true")
        last.write_text('region = "us"\n')
        line = reload("configuration reloaded")
        self.assertIn("applied: telemetry; only a restart applies: region", line)
        last.write_text("region = [\n")
        self.assertIn("not HCL", reload("stays as it was"))
        last.write_text("")
        self.assertIn("is empty: write a configuration", reload("stays as it was"))
        agent.stop()

    def test_show_says_where_each_value_comes_from(self):
        last = self.write_all()
        done = self.sandbox.command("config", "show", "--config", self.directory, "-config", last,
                                    "--json")
        self.assertEqual(done.code, 0, done)
        shown = {key["Key"]: (key["Value"], key["File"], key["Line"])
                 for key in json.loads(done.out)}
        base, site = str(self.directory / "10-base.hcl"), str(self.directory / "20-site.json")
        self.assertEqual(shown["/client/meta/rack.id"], ("7", base, 16))
        self.assertEqual(shown["/client/meta/row"][:2], ("b", site))
        self.assertEqual(shown["/region"], ("eu", str(last), 1))
        self.assertEqual(shown["/datacenter"], ("dc1", "", 0))
        table = self.sandbox.command("config", "show", "--config", self.directory)
        self.assertRegex(table.out, r"(?m)^/datacenter +\"dc1\" +default$")
        wrong = self.sandbox.write("wrong.json", {"nam": "x"})
        done = self.sandbox.command("config", "show", "--config", wrong)
        self.assertEqual((done.code, done.out), (2, ""), done)
        self.assertIn("/nam: is not supported", done.err)

    def test_validate_names_all_that_is_found(self):
        wrong = self.sandbox.write("wrong.json", '{"nam": "x",\n"vault": {"address": "x"},\n'
                                                 '"ui": {"enabled": true}}')
        done = self.sandbox.command("config", "validate", wrong)
        self.assertEqual(done.code, 1, done)
        self.assertEqual(
            [line.partition(": is not")[0] for line in done.out.splitlines()],
            [f"error: {wrong}:1: /nam", f"error: {wrong}:2: /vault", f"warning: {wrong}:3: /ui"])
        done = self.sandbox.command("config", "validate", "--json", wrong)
        found = json.loads(done.out)
        self.assertEqual((found["Valid"], len(found["Errors"]), len(found["Warnings"])),
                         (False, 2, 1))
        self.assertEqual((found["Warnings"][0]["Key"], found["Warnings"][0]["Line"]), ("/ui", 3))
        good = self.sandbox.write("good.json", {"ui": {"enabled": True}})
        done = self.sandbox.command("config", "validate", good)
        self.assertEqual((done.code, done.out.splitlines()[-1]), (0, "valid"), done)
        done = self.sandbox.command("config", "validate", good, "/no/such")
        self.assertEqual(done.code, 2, done)
        self.assertIn("/no/such: no such file", done.out)

    def test_the_examples_are_valid(self):
        self.assertEqual(self.sandbox.command(
            "config", "validate", harness.ROOT / "examples/agent.json").code, 0)
        if can_read_hcl():
            done = self.sandbox.command("config", "validate", harness.ROOT / "examples/agent.hcl")
            self.assertEqual((done.code, done.out), (0, "valid\n"), done)
