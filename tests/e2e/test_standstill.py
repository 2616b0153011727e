# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""An agent that stands still for a while, as a signal, a debugger or a frozen cgroup makes it. Its tasks run
on, and afterwards its reports are correct and it does nothing twice."""
import os
import re
import signal
import threading
import time

import harness
from agent_harness import AgentTest
from harness import SLACK, group, job, task, wait_until

# In the long form the limits of a driver's call pass meanwhile: the limit of the deaf task's stop is 11 s,
# that of its caller 31 s.
STILL, STILLS = (60.0, (15.0, 60.0)) if harness.LONG else (2.0, (2.0,))
STEADY = "echo up $$; while :; do echo beat; sleep 0.1; done"
DEAF = "trap '' INT TERM; echo up $$; while :; do sleep 0.1; done"


class StandstillTest(AgentTest):
    def stand_still(self, meanwhile=lambda: None, still=STILL):
        """Stops the agent for this many seconds. Returns the times of its stop and its return, in ns."""
        pid = self.agent.run.pid
        os.kill(pid, signal.SIGSTOP)
        wait_until(lambda: harness.process_text(pid, "stat").rpartition(b") ")[2][:1] == b"T",
                   "the agent stands still")
        stopped = time.time_ns()
        end = time.monotonic() + still
        try:
            meanwhile()
            time.sleep(max(0.0, end - time.monotonic()))
        finally:
            continued = time.time_ns()
            os.kill(pid, signal.SIGCONT)
        return stopped, continued

    def start(self, name, script, **fields):
        """Runs a job of one task "t", waits until it prints "up", and returns the id of its allocation."""
        fields.setdefault("RestartPolicy", harness.NO_RESTART)
        restart = fields.pop("RestartPolicy")
        self.agent.submit(job(group(task("t", script, **fields), RestartPolicy=restart), id=name,
                              type="service"))
        alloc = wait_until(lambda: self.agent.allocs(name), name)[0]["ID"]
        wait_until(lambda: "up" in self.log(alloc), f"{name} is up")
        return alloc

    def log(self, alloc):
        path = self.sandbox.alloc_dirs[0] / alloc / "alloc/logs/t.stdout.0"
        return path.read_text() if path.exists() else ""

    def task(self, alloc):
        return self.agent.get(f"/v1/allocation/{alloc}")["TaskStates"]["t"]

    def events(self, alloc, kind):
        return [e for e in self.task(alloc)["Events"] if e["Type"] == kind]

    def check_nobody_is_blamed(self):
        """Checks that the standstill made no driver count as broken."""
        node = self.agent.get("/v1/nodes")[0]
        for name, driver in self.agent.get(f"/v1/node/{node['ID']}")["Drivers"].items():
            self.assertTrue(driver["Healthy"], (name, driver))
        self.assertEqual(node["Status"], "ready")
        self.assertNotRegex(self.agent.run.err, "unhealthy|not answered|does not return")

    def test_tasks_run_on_and_ends_have_their_times(self):
        steady = self.start("steady", STEADY)
        go = self.sandbox.root / "go"
        ends = self.start("ends", f"echo up; while ! [ -e {go} ]; do sleep 0.02; done; exit 7",
                          RestartPolicy={"Attempts": 1, "Interval": "2h", "Delay": "1h",
                                         "Mode": "fail"})
        first = self.task(steady)
        beats = []

        def meanwhile():
            go.touch()
            beats.append(self.log(steady).count("beat"))
            wait_until(lambda: self.log(steady).count("beat") > beats[0] + 3, "the task runs on")
        stopped, continued = self.stand_still(meanwhile)
        begin = time.monotonic()
        self.agent.get("/v1/agent/health")
        self.assertLess(time.monotonic() - begin, 1 * SLACK)
        wait_until(lambda: self.events(ends, "Restarting"), "the end is seen")
        ended = self.events(ends, "Terminated")
        self.assertEqual([e["Details"]["exit_code"] for e in ended], ["7"])
        # The time is that of its end, right after the agent's stop, not that when the agent saw it.
        self.assertGreaterEqual(ended[0]["Time"], stopped - 10**8)
        self.assertLess(ended[0]["Time"], (stopped + continued) / 2)
        self.assertEqual(len(self.events(ends, "Restarting")), 1)
        self.assertEqual(self.events(ends, "Started")[1:], [])
        now = self.task(steady)
        self.assertEqual((now["State"], now["Restarts"], now["StartedAt"]),
                         ("running", 0, first["StartedAt"]))
        self.assertEqual(self.log(steady).count("up"), 1)
        self.check_nobody_is_blamed()

    def test_kills_whose_time_has_passed_are_done_at_once(self):
        for number, still in enumerate(STILLS):
            with self.subTest(still=still):
                self.kill_after(still, f"deaf{number}")

    def kill_after(self, still, name):
        deaf = self.start(name, DEAF, KillTimeout="1s")
        pid = int(re.search(r"up (\d+)", self.log(deaf)).group(1))
        self.agent.must("DELETE", f"/v1/job/{name}")
        wait_until(lambda: self.events(deaf, "Killing"), "the kill has begun")
        self.stand_still(still=still)
        begin = time.monotonic()
        wait_until(lambda: harness.is_gone(pid), "the deaf task is dead")
        self.assertLess(time.monotonic() - begin, 1 * SLACK)
        wait_until(lambda: self.task(deaf)["State"] == "dead", "its end is reported")
        ended = self.events(deaf, "Terminated")
        self.assertEqual([e["Details"]["signal"] for e in ended], ["9"])
        self.assertEqual(len(self.events(deaf, "Killed")), 1)
        self.assertFalse(self.task(deaf)["Failed"])
        self.check_nobody_is_blamed()

    def test_restarts_are_not_made_up_for(self):
        often = self.start("often", "echo up; exit 1", RestartPolicy={
            "Attempts": 1000, "Interval": "1h", "Delay": "400ms", "Mode": "fail"})
        wait_until(lambda: self.task(often)["Restarts"] >= 2, "two restarts")
        before = self.task(often)["Restarts"]
        self.stand_still()
        begin = time.monotonic()
        wait_until(lambda: self.task(often)["Restarts"] >= before + 4, "four restarts more")
        # One restart may have been due. The others have their delay between them.
        self.assertGreaterEqual(time.monotonic() - begin, 2 * 0.4)
        starts = re.findall("up", self.log(often))
        self.assertLessEqual(abs(len(starts) - self.task(often)["Restarts"]), 2)

    def test_who_waits_for_an_answer_gets_it(self):
        steady = self.start("steady", STEADY)
        index = int(self.agent.ask("GET", "/v1/allocations").headers["X-Nomad-Index"])
        answers = []
        waits = threading.Thread(target=lambda: answers.append(self.agent.ask(
            "GET", "/v1/allocations", limit=2 * STILL + 30, index=index, wait="5m")))
        early = threading.Thread(target=lambda: answers.append(
            self.agent.ask("GET", "/v1/agent/self", limit=2 * STILL + 30)))
        waits.start()
        self.agent.get_until("/v1/metrics", lambda reply: any(
            gauge["Name"] == "drover.http.blocking_queries" and gauge["Value"] >= 2
            for gauge in harness.json.loads(reply.body)["Gauges"]))
        self.stand_still(early.start)  # a request while the agent stands still
        early.join()
        self.agent.must("DELETE", "/v1/job/steady")
        waits.join()
        self.assertEqual([answer.status for answer in answers], [200, 200])
        wait_until(lambda: self.task(steady)["State"] == "dead", "its end")
        self.check_nobody_is_blamed()


if __name__ == "__main__":
    harness.main()
