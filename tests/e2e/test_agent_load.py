# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Clients that take what there is of an agent: its memory, its connections, its log. It bears them,
gives back what they took, and serves others meanwhile."""
import contextlib
import fcntl
import http.client
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import threading
import time
import unittest

import harness
from agent_harness import Agent, AgentTest, agent_config
from harness import DroverTest, SLACK, group, job, mock, task

MB = 1 << 20
EXACT = SLACK <= 2  # a sanitizer keeps for a while what is given back


def memory(agent, field):
    text = pathlib.Path(f"/proc/{agent.run.pid}/status").read_text()
    return int(re.search(field + r":\s+(\d+) kB", text).group(1)) << 10


class MemoryTest(AgentTest):
    def test_a_hundred_large_bodies_at_once(self):
        valid = job(group(mock("t", run_for="1h")), id="large", type="service")
        valid["Job"]["Meta"] = {"key": "x" * (7 * MB)}
        maps = b'{"Job":{"ID":"maps","Meta":[' + b",".join([b"{}"] * 2_600_000) + b"]}}"
        groups = json.dumps({"Job": {"ID": "groups", "TaskGroups": [
            {"Name": f"g{n}", "Tasks": [{"Name": "t"}]} for n in range(60_000)]}}).encode()
        bodies = [json.dumps(valid).encode(), maps, groups, b"[" * 7 * MB, b"[" + b"1," * 3 * MB,
                  b'{"Job":{"Meta":{' + b",".join(b'"k%d":"v"' % n for n in range(500_000)) + b"}}}"]
        self.agent.ask("GET", "/v1/jobs")
        before = memory(self.agent, "VmRSS")
        pathlib.Path(f"/proc/{self.agent.run.pid}/clear_refs").write_text("5")  # of VmHWM
        replies = []

        def send(body):
            try:
                replies.append(self.agent.ask("PUT", "/v1/validate/job", body, limit=200).status)
            except OSError as error:
                replies.append(error)
        senders = [threading.Thread(target=send, args=(bodies[n % len(bodies)],))
                   for n in range(100)]
        for sender in senders:
            sender.start()
        for sender in senders:
            sender.join()
        self.assertEqual(set(replies) - {200, 400, 413, 503}, set())
        self.assertIn(200, replies)
        self.assertIn(413, replies)
        peak = memory(self.agent, "VmHWM")
        print(f"100 bodies of 7 MB: {before >> 20} -> {peak >> 20} -> "
              f"{memory(self.agent, 'VmRSS') >> 20} MiB; "
              f"{ {s: replies.count(s) for s in set(replies)} }", file=sys.stderr)
        if EXACT:
            self.assertLess(peak - before, 128 * MB)
            harness.wait_until(lambda: memory(self.agent, "VmRSS") - before < 32 * MB,
                               "the memory is given back")

    def test_events_of_what_was_purged(self):
        before = memory(self.agent, "VmRSS")
        large = job(group(mock("t", run_for="1h"), Count=0), id="large", type="service")
        for n in range(40):
            large["Job"]["Meta"] = {"key": f"{n}" + "x" * (3 * MB)}
            self.agent.submit(large)
        self.agent.must("DELETE", "/v1/job/large", purge="true")
        self.agent.must("PUT", "/v1/system/gc")
        self.assertEqual(self.agent.get("/v1/jobs"), [])
        after = memory(self.agent, "VmRSS")
        print(f"40 versions of 3 MB, purged: {before >> 20} -> {after >> 20} MiB",
              file=sys.stderr)
        if EXACT:
            harness.wait_until(lambda: memory(self.agent, "VmRSS") - before < 64 * MB,
                               "what was purged is given back")


# Holds COUNT requests of a user that are never finished, and says so; the end of its input ends it.
HOLD = """
import os, socket, sys
host, port, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
"x".encode("idna")  # loaded while it can be read
os.setuid(int(sys.argv[4]))
held = []
for n in range(count):
    one = socket.create_connection((host, port))
    one.sendall(b"GET /v1/jobs HTTP/1.1\\r\\nX: " if n % 2 else b"")
    held.append(one)
print("held", flush=True)
sys.stdin.readline()
"""


class ShutOutTest(DroverTest):
    def setUp(self):
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()
        self.agent = Agent(self.sandbox, config=agent_config(
            self.sandbox, limits={"http_max_conns": 60, "http_max_conns_per_client": 20}))

    def tearDown(self):
        if not self._outcome_failed():
            self.agent.stop()
        super().tearDown()

    @contextlib.contextmanager
    def held(self, count, user=os.getuid()):
        host, port = self.agent.address.split(":")
        with subprocess.Popen([sys.executable, "-c", HOLD, host, port, str(count), str(user)],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
            try:
                self.assertEqual(holder.stdout.readline(), b"held\n")
                yield
            finally:
                holder.stdin.close()

    def serves(self, times=30):
        slowest = 0
        for _ in range(times):
            begin = time.monotonic()
            self.assertEqual(self.agent.ask("GET", "/v1/jobs").status, 200)
            slowest = max(slowest, time.monotonic() - begin)
        print(f"the slowest of {times}: {slowest * 1000:.1f} ms", file=sys.stderr)

    def test_who_says_nothing_shuts_nobody_out_not_even_himself(self):
        with self.held(100):
            self.serves()

    @unittest.skipUnless(harness.IS_ROOT, "needs other users")
    def test_users_count_each_for_himself(self):
        with self.held(100, user=12345), self.held(100, user=12346):
            self.serves()
            # Connections that have shown that they may be there are not dropped for those.
            kept = [http.client.HTTPConnection(self.agent.address) for _ in range(15)]
            for connection in kept:
                connection.request("GET", "/v1/jobs")
                self.assertEqual(connection.getresponse().read()[:1], b"[")
            with self.held(100, user=12347):
                for connection in kept:
                    connection.request("GET", "/v1/jobs")
                    self.assertEqual(connection.getresponse().read()[:1], b"[")
            for connection in kept:
                connection.close()

    @unittest.skipUnless(harness.IS_ROOT, "needs another user")
    def test_one_users_many_connections_are_not_anothers(self):
        host, port = self.agent.address.split(":")
        mine = []
        for _ in range(20):
            mine.append(socket.create_connection((host, int(port))))
            self.addCleanup(mine[-1].close)
            mine[-1].sendall(b"GET /v1/jobs HTTP/1.1\r\nHost: localhost\r\n\r\n")
            self.assertIn(b" 200 ", mine[-1].recv(1 << 16))
        self.assertEqual(self.agent.ask("GET", "/v1/jobs").status, 429)
        ask = subprocess.run(
            [sys.executable, "-c",
             "import os, urllib.request as r; 'x'.encode('idna'); os.setuid(12345); "
             f"print(r.urlopen('{self.agent.url}/v1/jobs').status)"],
            capture_output=True, text=True, check=False)
        self.assertEqual(ask.stdout, "200\n", ask.stderr)
        for one in mine:
            one.close()
        self.agent.get_until("/v1/jobs", lambda reply: reply.status == 200)


class StuckLogTest(DroverTest):
    def test_nobody_reads_the_log_and_a_stop_still_ends_its_task(self):
        self.sandbox.alloc_dirs[0].mkdir()
        fifo = self.sandbox.root / "log"
        os.mkfifo(fifo)
        reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        fcntl.fcntl(reader, 1031, 4096)  # F_SETPIPE_SZ
        agent = Agent(self.sandbox, config=agent_config(self.sandbox, log_level="debug"),
                      command=["sh", "-c", 'exec "$0" "$@" 2>' + str(fifo), harness.binary()])
        agent.submit(job(group(task("t", "exec sleep 1000")), id="web", type="service"))
        agent.wait_allocs("web", 1, "running")
        for _ in range(200):  # each is a line of the log
            self.assertEqual(agent.ask("GET", "/v1/jobs").status, 200)
        agent.must("DELETE", "/v1/job/web")
        agent.wait_allocs("web", 1, "complete", desired="stop")
        # Somebody reads again: nothing is missing without a word.
        os.set_blocking(reader, True)
        text = b""
        agent.run.interrupt()
        while some := os.read(reader, 1 << 16):
            text += some
        self.assertEqual(agent.run.wait(), 0)
        self.assertIn(b"path=/v1/jobs", text)
        self.assertIn(b"type=\"Started\"", text)
        self.assertIn(b"triggered_by=job-register", text)
        self.assertNotIn(b"were dropped", text)

    def test_an_agent_without_a_reader_ends(self):
        self.sandbox.alloc_dirs[0].mkdir()
        fifo = self.sandbox.root / "log"
        os.mkfifo(fifo)
        reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        fcntl.fcntl(reader, 1031, 4096)
        agent = Agent(self.sandbox, config=agent_config(self.sandbox, log_level="debug"),
                      command=["sh", "-c", 'exec "$0" "$@" 2>' + str(fifo), harness.binary()])
        for _ in range(100):
            agent.ask("GET", "/v1/jobs")
        agent.stop()


if __name__ == "__main__":
    harness.main()
