# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Pauses of tasks: of processes by their cgroup, and of a driver that pauses by itself."""
import harness
from agent_harness import AgentTest
from harness import group, job, mock, task
from test_client import Client

# Each turn makes the file longer, so it can be read at any time, also while the task is held.
COUNT = "while :; do echo >> $NOMAD_TASK_DIR/n; sleep 0.02; done"


class PauseTest(Client, AgentTest):
    def setUp(self):
        super().setUp()
        self.address = self.agent.url

    def start(self, *tasks):
        self.agent.submit(job(group(*tasks), id="web", type="service"))
        alloc = self.agent.wait_allocs("web", 1, "running")[0]["ID"]
        # One running task is enough for a running allocation.
        self.agent.wait_tasks(alloc, lambda states: len(states) == len(tasks) and all(
            state["State"] == "running" for state in states.values()), "all tasks run")
        return alloc

    def state(self, alloc, name="t"):
        return self.agent.get(f"/v1/allocation/{alloc}")["TaskStates"][name]

    def wait_paused(self, alloc, value, name="t"):
        self.agent.wait_tasks(alloc, lambda t: t[name]["Paused"] == value, f"Paused is {value!r}")

    def ask(self, alloc, state, name="t"):
        return self.agent.ask("PUT", f"/v1/client/allocation/{alloc}/pause",
                              {"Task": name, "ScheduleState": state})

    def pause_or_skip(self, alloc):
        reply = self.ask(alloc, "pause")
        if reply.status != 200 and b"cgroup" in reply.body:
            self.skipTest(f"this machine cannot pause processes: {reply.body.decode()}")
        self.assertEqual(reply.status, 200, reply.body)
        self.wait_paused(alloc, "force_pause")

    def counted(self, alloc):
        file = self.sandbox.alloc_dirs[0] / alloc / "t" / "local" / "n"
        return file.stat().st_size if file.exists() else 0

    def test_a_process_stands_still_and_goes_on(self):
        alloc = self.start(task("t", COUNT))
        before = self.counted(alloc)
        harness.wait_until(lambda: self.counted(alloc) > before, "it counts")
        self.pause_or_skip(alloc)
        self.assertEqual(self.state(alloc)["State"], "running")
        self.assertEqual(self.state(alloc)["Events"][-1]["Type"], "Paused")
        answer = self.agent.get(f"/v1/client/allocation/{alloc}/pause", task="t")
        self.assertEqual(answer, {"ScheduleState": "force_pause"})

        def stands_still():
            # A process that is in the kernel is held when it leaves it. The command takes longer than many turns.
            count = self.counted(alloc)
            self.assertIn("running, paused", self.cli("alloc", "status", alloc).out)
            return self.counted(alloc) == count
        harness.wait_until(stands_still, "it stands still")
        held = self.counted(alloc)
        self.cli("alloc", "pause", "-resume", alloc, "t")
        self.wait_paused(alloc, "")
        harness.wait_until(lambda: self.counted(alloc) > held, "it goes on")
        self.assertEqual(self.state(alloc)["Events"][-1]["Type"], "Resumed")

    def test_a_paused_process_is_stopped_and_restarted(self):
        script = ("trap 'echo end > $NOMAD_ALLOC_DIR/end; exit 0' INT; "
                  "echo > $NOMAD_TASK_DIR/n; while :; do sleep 0.02; done")
        alloc = self.start(task("t", script, KillTimeout="20s"))
        local = self.sandbox.alloc_dirs[0] / alloc / "t" / "local" / "n"
        harness.wait_until(local.exists, "the trap is set")
        self.pause_or_skip(alloc)
        self.agent.must("PUT", f"/v1/client/allocation/{alloc}/restart", {"TaskName": "t"})
        self.agent.wait_restarts(alloc, t=1)
        self.wait_paused(alloc, "")
        self.agent.wait_tasks(alloc, lambda t: t["t"]["State"] == "running", "it runs again")
        self.assertTrue((self.sandbox.alloc_dirs[0] / alloc / "alloc" / "end").exists(),
                        "it has heard the signal")
        self.pause_or_skip(alloc)
        self.agent.must("DELETE", "/v1/job/web")
        self.agent.wait_allocs("web", 1, "complete", "stop")

    def test_a_driver_that_pauses_by_itself(self):
        alloc = self.start(mock("t", run_for="1h"), mock("u", run_for="1h"))
        shown = self.cli("alloc", "pause", alloc).out
        self.assertIn("is paused", shown)
        for name in "tu":
            self.wait_paused(alloc, "force_pause", name)
        reply = self.ask(alloc, "run", "u")
        self.assertEqual(reply.status, 200, reply.body)
        self.wait_paused(alloc, "", "u")
        self.assertEqual(self.state(alloc)["Paused"], "force_pause")

    def test_refusals(self):
        alloc = self.start(mock("t", run_for="1h"))
        self.assertEqual(self.ask(alloc, "sleep").status, 400)
        self.assertEqual(self.ask(alloc, "pause", "x").status, 404)
        unknown = "00000000-0000-0000-0000-000000000000"
        self.assertEqual(self.ask(unknown, "pause").status, 404)
        reply = self.agent.ask("GET", f"/v1/client/allocation/{alloc}/pause")
        self.assertEqual(reply.status, 400)


if __name__ == "__main__":
    harness.main()
