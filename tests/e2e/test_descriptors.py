# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""An agent with a limit of very few open files: some requests are refused, others go on."""
import http.client
import os
import socket
import time

import harness
from agent_harness import Agent
from harness import SLACK, DroverTest, group, job, task, wait_until

FILES = 160
DEAF = "trap '' INT TERM; echo up; while :; do sleep 0.1; done"
MANY = 80  # too many, at three descriptors each
TRIES = {"Attempts": 1000, "Interval": "1h", "Delay": "200ms", "Mode": "fail"}


class DescriptorTest(DroverTest):
    def setUp(self):
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()
        self.agent = Agent(self.sandbox, command=[
            "/bin/sh", "-c", f'ulimit -n {FILES}; exec "$0" "$@"', harness.binary()])
        # A client with an older connection.
        self.early = http.client.HTTPConnection(self.agent.address, timeout=harness.LIMIT)
        self.fresh = self.descriptors()

    def tearDown(self):
        self.early.close()
        super().tearDown()

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.agent.run.pid}/fd"))

    def ask_early(self, method, path):
        self.early.request(method, path)
        answer = self.early.getresponse()
        return answer.status, harness.json.loads(answer.read())

    def run_deaf(self, name, count, **fields):
        self.agent.submit(job(group(task("t", DEAF, KillTimeout="1s",
                                         Resources={"CPU": 1, "MemoryMB": 10}), Count=count,
                                    **fields), id=name, type="service"))

    def allocs(self, name):
        """Repeats the request: while many tasks start at once, the agent may refuse a client."""
        path = f"/v1/job/{name}/allocations"
        reply = self.agent.get_until(path, lambda reply: reply.status != 429)
        self.assertEqual(reply.status, 200, reply.body)
        return harness.json.loads(reply.body)

    def statuses(self, name):
        return [alloc["ClientStatus"] for alloc in self.allocs(name)]

    def wait_decided(self, name):
        """Waits until each of MANY has started or been refused."""
        wait_until(lambda: "pending" not in self.statuses(name), "all are decided")
        wait_until(lambda: self.agent.ask("GET", "/v1/agent/health").status == 200, "an answer")

    def test_starts_are_refused_before_the_last_descriptor_and_what_runs_can_be_stopped(self):
        self.run_deaf("kept", 3)
        self.agent.wait_allocs("kept", 3, "running")
        self.run_deaf("many", MANY)
        self.wait_decided("many")
        self.assertIn("running", self.statuses("many"))
        said = [event["DisplayMessage"] for alloc in self.allocs("many")
                for event in alloc["TaskStates"]["t"]["Events"] if event["Type"] == "Driver Failure"]
        self.assertTrue(said)
        for text in said:
            self.assertRegex(text, rf"(?i)too many open files: .* may have {FILES} \(LimitNOFILE")
        self.assertLess(self.descriptors(), FILES)
        # Running tasks are not disturbed. They can be stopped, also the deaf ones.
        self.assertEqual(self.statuses("kept"), ["running"] * 3)
        begin = time.monotonic()
        self.agent.must("DELETE", "/v1/job/kept")
        self.agent.wait_allocs("kept", 3, "complete", "stop")
        self.assertLess(time.monotonic() - begin, 1 + 3 * SLACK)
        # Their descriptors are free again. Each start needs some more for a moment, so one of two
        # simultaneous starts may be refused once more.
        self.run_deaf("later", 2, RestartPolicy=TRIES)
        self.agent.wait_allocs("later", 2, "running")
        for name in ("many", "later"):
            self.agent.must("DELETE", f"/v1/job/{name}")
        wait_until(lambda: "running" not in self.statuses("many") + self.statuses("later"),
                   "all have ended")
        wait_until(lambda: self.descriptors() <= self.fresh, "their descriptors are given back")
        self.agent.stop()

    def test_a_refused_start_is_tried_again_by_its_policy(self):
        self.run_deaf("many", MANY)
        self.wait_decided("many")
        count = 20  # some may still fit
        self.run_deaf("waits", count, RestartPolicy=TRIES)
        wait_until(lambda: any(alloc["TaskStates"] and alloc["TaskStates"]["t"]["Restarts"] > 1
                               for alloc in self.allocs("waits")), "one is tried again")
        self.agent.must("DELETE", "/v1/job/many")
        wait_until(lambda: self.statuses("waits") == ["running"] * count, "all run at last")
        self.agent.must("DELETE", "/v1/job/waits")
        wait_until(lambda: set(self.statuses("waits")) == {"complete"}, "all are stopped")
        self.agent.stop()

    def test_clients_cannot_take_the_last_descriptors(self):
        self.run_deaf("kept", 20)
        self.agent.wait_allocs("kept", 20, "running")
        self.assertEqual(self.ask_early("GET", "/v1/agent/health")[0], 200)
        host, port = self.agent.address.split(":")
        clients = [socket.create_connection((host, int(port)), timeout=harness.LIMIT)
                   for _ in range(2 * FILES)]
        try:
            def refused():
                answers = 0
                for client in clients:
                    client.setblocking(False)
                    try:
                        answers += client.recv(16, socket.MSG_PEEK) in (b"", b"HTTP/1.1 429 Too")
                    except BlockingIOError:
                        pass
                    except ConnectionError:
                        answers += 1
                return answers
            # Each client is served or refused. None waits without an answer.
            wait_until(lambda: refused() >= 2 * FILES - (FILES - self.fresh - 40), "the refused")
            # Except in the moment in which one is refused.
            wait_until(lambda: self.descriptors() < FILES, "a descriptor that is left")
            before, begin = harness.processor_time(self.agent.run.pid), time.monotonic()
            # Running tasks can be stopped meanwhile.
            self.assertEqual(self.ask_early("DELETE", "/v1/job/kept")[0], 200)
            wait_until(lambda: {a["ClientStatus"] for a in self.ask_early(
                "GET", "/v1/job/kept/allocations")[1]} == {"complete"}, "stopped", step=0.2)
            time.sleep(max(0.0, begin + 2 - time.monotonic()))
            used = (harness.processor_time(self.agent.run.pid) - before) / (time.monotonic() - begin)
            print(f"{100 * used:.1f} % of a core", flush=True)
            self.assertLess(used, 0.05 * SLACK, "nobody spins")
        finally:
            for client in clients:
                client.close()
        begin = time.monotonic()
        self.agent.get_until("/v1/agent/health", lambda reply: reply.status == 200)
        self.assertLess(time.monotonic() - begin, 1 * SLACK)
        wait_until(lambda: self.descriptors() <= self.fresh + 1, "descriptors are given back")
        self.agent.stop()


if __name__ == "__main__":
    harness.main()
