# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""A changed job: its allocations run on where no task needs to notice the change."""
import os
import signal
import time

import harness
from agent_harness import AgentTest
from harness import SLACK, group, job, task
from test_client import Client
from test_takeover import TakeoverCase

POLICY = {"Attempts": 3, "Delay": 100_000_000, "Interval": 60_000_000_000, "Mode": "fail"}

# Says under which name of the job it starts, and how it was asked to end.
NAMED = """
echo "start $$ $NOMAD_JOB_NAME" >> "$OUT"
trap 'echo "stop INT" >> "$OUT"; exit 0' INT TERM
trap 'echo "stop USR1" >> "$OUT"; exit 0' USR1
while :; do sleep 0.05 & wait $!; done
"""


class UpdateTest(Client, TakeoverCase):
    def setUp(self):
        super().setUp()
        self.address = self.agent.url
        self.out = self.witnesses / "out"
        self.out.touch()

    def service(self, of_task=None, of_group=None, **fields):
        return job(group(task("t", NAMED, Env={"OUT": str(self.out)}, **(of_task or {})),
                         **{"RestartPolicy": POLICY, **(of_group or {})}),
                   id="web", type="service", **fields)

    def lines(self, count):
        """The first COUNT lines of the task, as soon as they are there."""
        def found():
            lines = self.out.read_text().splitlines()
            return lines if len(lines) >= count else None
        return harness.wait_until(found, f"{count} lines of the task")

    def begin(self):
        """Runs the first version. Returns its allocation and the PID of its task."""
        self.agent.submit(self.service())
        alloc = self.agent.wait_allocs("web", 1, "running")[0]
        return alloc, int(self.lines(1)[0].split()[1])

    def versions(self):
        return [(a["ID"], a["JobVersion"], a["ClientStatus"]) for a in self.agent.allocs("web")]

    def test_a_running_task_does_not_notice(self):
        alloc, pid = self.begin()
        spec = self.service(of_task={"KillSignal": "SIGUSR1", "KillTimeout": "9s"}, Name="renamed",
                            Priority=70)
        path = self.sandbox.write("web.json", spec)
        shown = self.cli("job", "plan", path).out  # and it exits with 0
        self.assertIn('  ~ task group "g" (1 in-place update)', shown)
        self.assertIn('    ~ task "t" (forces in-place update)', shown)
        self.assertIn('task group "g": 1 update in place', shown)
        shown = self.cli("job", "run", path).out
        self.assertIn(f"allocation {alloc['ID'][:8]} web.g[0]", shown)
        self.assertEqual(self.versions(), [(alloc["ID"], 1, "running")])
        now = self.agent.allocs("web")[0]
        self.assertGreater(now["ModifyIndex"], alloc["ModifyIndex"])
        self.assertEqual([now[key] for key in ("CreateIndex", "CreateTime", "TaskStates")],
                         [alloc[key] for key in ("CreateIndex", "CreateTime", "TaskStates")])
        # A new start sees the new name of the job. An end is as the new version says.
        os.kill(pid, signal.SIGKILL)
        self.assertEqual(self.lines(2)[1].split()[2], "renamed")
        self.agent.wait_restarts(alloc["ID"], t=1)
        self.agent.must("DELETE", "/v1/job/web")
        self.assertEqual(self.lines(3)[2], "stop USR1")
        self.agent.wait_allocs("web", 1, "complete", "stop")

    def test_a_killed_agent_loses_no_update(self):
        alloc, pid = self.begin()
        self.agent.submit(self.service(of_task={"KillSignal": "SIGUSR1"}))
        self.kill()  # perhaps before the task's runner has heard of it
        self.agent = self.start()
        self.agent.wait_allocs("web", 1, "running")
        self.assertEqual(self.versions(), [(alloc["ID"], 1, "running")])
        self.assertEqual(self.lines(1), [f"start {pid} web"])
        self.agent.submit(self.service(of_task={"KillSignal": "SIGUSR1"}, Name="third"))
        self.assertEqual(self.versions(), [(alloc["ID"], 2, "running")])
        self.agent.must("DELETE", "/v1/job/web")
        self.assertEqual(self.lines(2), [f"start {pid} web", "stop USR1"])

    def test_metadata_and_environment_need_another_allocation(self):
        self.begin()
        for count, fields in enumerate(({"Meta": {"a": "1"}}, {"of_group": {"Meta": {"a": "2"}}},
                                        {"of_task": {"Resources": {"CPU": 50}}}), start=1):
            plan = self.agent.must("PUT", "/v1/job/web/plan", self.service(**fields))
            updates = plan["Annotations"]["DesiredTGUpdates"]["g"]
            self.assertEqual((updates["InPlaceUpdate"], updates["DestructiveUpdate"]), (0, 1))
            self.agent.submit(self.service(**fields))
            self.agent.wait_allocs("web", count, "complete", "stop")
            self.agent.wait_allocs("web", 1, "running")

    def test_what_the_node_does_not_meet_any_more_runs_on_without_the_update(self):
        alloc, pid = self.begin()
        for fields in ({"NodePool": "gpu"}, {"Datacenters": ["dc9"]},
                       {"Constraints": [{"LTarget": "${meta.rack}", "RTarget": "7"}]}):
            with self.subTest(fields):
                reply = self.agent.submit(self.service(**fields))
                failed = self.agent.get(f"/v1/evaluation/{reply['EvalID']}")["FailedTGAllocs"]["g"]
                self.assertEqual(failed["NodesInPool"], 0 if "NodePool" in fields else 1)
                self.assertEqual(self.versions(), [(alloc["ID"], 0, "running")])
        shown = self.cli("job", "run", self.sandbox.write("gpu.json", self.service(NodePool="gpu")),
                         code=2).out
        self.assertIn('no ready node is in the node pool "gpu"', shown)
        # The constraint is met as soon as the node has the value.
        self.agent.submit(self.service(of_task={"KillSignal": "SIGUSR1"},
                                       Constraints=[{"LTarget": "${meta.rack}", "RTarget": "7"}]))
        self.cli("node", "meta", "apply", "rack=7")
        harness.wait_until(lambda: self.versions() == [(alloc["ID"], 5, "running")] or None,
                           "the update in place")
        self.agent.must("DELETE", "/v1/job/web")
        self.assertEqual(self.lines(2), [f"start {pid} web", "stop USR1"])


class MaxRunDurationTest(TakeoverCase):
    def submit(self, limit):
        self.agent.submit(job(group(self.witness_task(), MaxRunDuration=limit), id="sum"))

    def test_it_counts_anew_from_the_same_start(self):
        self.submit("1h")
        alloc = self.agent.wait_allocs("sum", 1, "running")[0]
        began = time.monotonic()
        self.submit("500ms")
        ended = self.agent.wait_allocs("sum", 1, "complete")[0]
        self.assertEqual(ended["ID"], alloc["ID"])
        self.assertEqual(ended["ClientDescription"], "allocation exceeded max_run_duration")
        self.assertLess(time.monotonic() - began, 5 * SLACK)
        # The next agent does not forget why it ended, and what is purged does not come back.
        self.agent.stop()
        self.agent = self.start()
        self.assertEqual(self.agent.wait_allocs("sum", 1, "complete")[0]["ClientDescription"],
                         ended["ClientDescription"])
        self.agent.must("DELETE", "/v1/job/sum", purge="true")
        self.kill()
        self.agent = self.start()
        self.assertEqual(self.agent.get("/v1/jobs"), [])

    def test_the_next_agent_counts_too(self):
        witness_of = self.witness("sum.0")
        self.submit("1h")
        self.agent.wait_allocs("sum", 1, "running")
        harness.wait_until(witness_of.starts, "the start of the task")
        self.submit("2h")
        self.kill()
        self.agent = self.start()
        self.agent.wait_allocs("sum", 1, "running")
        self.assert_untouched([witness_of])
        self.submit("1ms")
        self.agent.wait_allocs("sum", 1, "complete")


class OldPortsTest(AgentTest):
    """Ports that stand in the resources of a task."""

    def test_each_task_has_its_own_and_knows_those_of_others(self):
        script = "env | grep -E '^NOMAD_(ADDR|IP|PORT|HOST_PORT|IPv4)_' | LC_ALL=C sort; exec sleep 1000"
        ports = {"Networks": [{"MBits": 10, "DynamicPorts": [{"Label": "http"}]}]}
        reply = self.agent.submit(job(group(task("a", script, Resources=ports),
                                            task("b", script, Resources=ports)),
                                      id="old", type="service"))
        self.assertIn("/Job/TaskGroups/0/Tasks/1/Resources/Networks: is an older place",
                      reply["Warnings"])
        alloc = self.agent.wait_allocs("old", 1, "running")[0]["ID"]
        tasks = self.agent.get(f"/v1/allocation/{alloc}")["AllocatedResources"]["Tasks"]
        port = {name: tasks[name]["Networks"][0]["DynamicPorts"][0]["Value"] for name in "ab"}
        self.assertNotEqual(port["a"], port["b"])

        def log():
            reply = self.agent.ask("GET", f"/v1/client/fs/logs/{alloc}", task="a", type="stdout",
                                   plain="true")
            lines = reply.body.decode().splitlines()
            return lines if len(lines) >= 8 else None
        ip = tasks["a"]["Networks"][0]["IP"]
        self.assertEqual(harness.wait_until(log, "the environment"), sorted([
            f"NOMAD_ADDR_b_http={ip}:{port['b']}", f"NOMAD_ADDR_http={ip}:{port['a']}",
            f"NOMAD_HOST_PORT_http={port['a']}", f"NOMAD_IP_b_http={ip}", f"NOMAD_IP_http={ip}",
            f"NOMAD_IPv4_http={ip}", f"NOMAD_PORT_b_http={port['b']}",
            f"NOMAD_PORT_http={port['a']}"]))
        done = self.sandbox.command("alloc", "status", alloc, env={"DROVER_ADDR": self.agent.url})
        self.assertIn("http of task a", done.out)
        self.agent.must("DELETE", "/v1/job/old")
        self.agent.wait_allocs("old", 1, "complete", "stop")
