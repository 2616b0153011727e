# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Clients that abuse the API of a whole agent. Each is refused. Another client notices nothing, memory
stays bounded, nothing is created and nothing stays open."""
import base64
import contextlib
import json
import os
import pathlib
import re
import socket
import struct
import threading
import time
import urllib.parse

import harness
from agent_harness import AgentTest
from harness import ROOT, SLACK, group, job, mock, task

MB = 1 << 20
NONE = "11111111-2222-3333-4444-555555555555"


class Neighbour:
    """A client that sends requests all the time, and notes wrong or late answers."""

    def __init__(self, agent):
        self.agent, self.asked, self.slowest, self.bad = agent, 0, 0.0, []
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.ask)
        self.thread.start()

    def ask(self):
        while not self.over.wait(0.01):
            begin = time.monotonic()
            try:
                reply = self.agent.ask("GET", "/v1/jobs")
                if reply.status != 200 or [j["ID"] for j in json.loads(reply.body)] != ["web"]:
                    self.bad.append(reply)
            except Exception as error:  # the caller reports it
                self.bad.append(error)
            self.slowest = max(self.slowest, time.monotonic() - begin)
            self.asked += 1

    def stop(self):
        self.over.set()
        self.thread.join()


class AbuseTest(AgentTest):
    def setUp(self):
        super().setUp()
        self.agent.submit(job(group(task("t", "exec sleep 1000")), id="web", type="service"))
        self.alloc = self.agent.wait_allocs("web", 1, "running")[0]["ID"]
        self.agent.ask("GET", "/v1/jobs")
        self.before = (self.descriptors(), self.resident(), self.created())
        self.neighbour = Neighbour(self.agent)

    def tearDown(self):
        if not self._outcome_failed():
            harness.wait_until(lambda: self.neighbour.asked > 3, "others are served")
        self.neighbour.stop()
        if not self._outcome_failed():
            descriptors, resident, created = self.before
            self.assertEqual(self.neighbour.bad, [])
            self.assertLess(self.neighbour.slowest, 2 * SLACK, "seconds")
            self.assertEqual(self.created(), created)
            if SLACK <= 2:  # a sanitizer keeps freed memory for a while
                self.assertLess(self.resident() - resident, 48 * MB * SLACK)
            harness.wait_until(lambda: self.descriptors() <= descriptors, "all is closed")
        super().tearDown()

    def created(self):
        """The existing records. The number of evaluations shows writes that were undone."""
        return ([j["ID"] for j in self.agent.get("/v1/jobs", namespace="*")],
                [a["ID"] for a in self.agent.get("/v1/allocations", namespace="*")],
                len(self.agent.get("/v1/evaluations", namespace="*")),
                sorted(os.listdir(self.sandbox.alloc_dirs[0])))

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.agent.run.pid}/fd"))

    def resident(self):
        text = pathlib.Path(f"/proc/{self.agent.run.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", text).group(1)) << 10

    def connect(self):
        host, port = self.agent.address.split(":")
        client = socket.create_connection((host, int(port)), timeout=harness.LIMIT)
        self.addCleanup(client.close)
        return client

    def answer(self, data):
        """Sends these bytes. Returns all received bytes, and the status of the first answer."""
        with self.connect() as client:
            with contextlib.suppress(OSError):  # refused while it is sent
                client.sendall(data)
            got = b""
            with contextlib.suppress(OSError):
                while some := client.recv(1 << 16):
                    got += some
        return got, int(got.split(b" ")[1]) if got.startswith(b"HTTP/1.1 ") else None


class AgentAbuseTest(AbuseTest):
    def test_bodies_that_are_no_job(self):
        deep, valid = b"[" * 200_000, json.dumps(
            job(group(mock("t", run_for="1h")), id="evil", type="service")).encode()
        bodies = [b"{", b"\xff\xfe\x00", b"null", b'"x"', deep, b'{"Job":' * 20_000, valid[:-3],
                  valid[:len(valid) // 2], valid + b"x", valid.replace(b'"evil"', b'"evil", "ID": 1'),
                  b'{"Job": {"ID": "evil", "Priority": 1e999}}', b"{" + b'"a": 1,' * 100_000]
        routes = [("PUT", "/v1/jobs"), ("PUT", "/v1/job/evil"), ("POST", "/v1/job/evil/plan"),
                  ("PUT", "/v1/validate/job"), ("PUT", "/v1/job/web/scale"),
                  ("PUT", "/v1/job/web/revert"), ("POST", "/v1/search"),
                  ("PUT", f"/v1/client/allocation/{self.alloc}/restart"),
                  ("PUT", f"/v1/client/allocation/{self.alloc}/signal"),
                  ("PUT", "/v1/node/x/drain"), ("PUT", "/v1/node/x/eligibility")]
        for method, path in routes:
            for body in bodies:
                with self.subTest(path=path, body=body[:30]):
                    reply = self.agent.ask(method, path, body)
                    self.assertEqual(reply.status, 400, reply.body[:200])

    def test_requests_that_are_too_large(self):
        head = b"PUT /v1/jobs HTTP/1.1\r\nHost: localhost\r\n"
        self.assertEqual(self.answer(head + b"X: " + b"a" * 100_000 + b"\r\n\r\n")[1], 431)
        self.assertEqual(self.answer(head + b"X: a\r\n" * 10_000 + b"\r\n")[1], 431)
        self.assertEqual(self.answer(b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n")[1], 431)
        self.assertEqual(self.answer(head + b"Content-Length: 99999999999999\r\n\r\n")[1], 413)
        chunk = b"100000\r\n" + b"a" * (1 << 20) + b"\r\n"
        self.assertEqual(self.answer(head + b"Transfer-Encoding: chunked\r\n\r\n" + chunk * 64)[1],
                         413)
        # The agent reads each of these whole and refuses it. Together they are larger than the room.
        begun = [self.connect() for _ in range(20)]
        body = b"[" + b" " * (7 * MB)
        for client in begun:
            client.settimeout(0.2)
            with contextlib.suppress(OSError):
                client.sendall(head + b"Content-Length: %d\r\n\r\n" % (8 * MB) + body)
        held = self.resident() - self.before[1]
        for client in begun:
            client.close()
        if SLACK > 2:
            return  # see tearDown
        self.assertLess(held, 64 * MB)

        def returned():
            return self.resident() - self.before[1] < 48 * MB * SLACK
        harness.wait_until(returned, "the memory of the bodies is given back")

    def test_smuggled_requests(self):
        post = b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\n"
        hidden = (b"PUT /v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s")
        spec = json.dumps(job(group(mock("t", run_for="1h")), id="hidden", type="service")).encode()
        hidden = hidden % (len(spec), spec)
        for trick in (b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                      b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
                      b"Content-Length: 0\r\nContent-Length: 40\r\n\r\n",
                      b"Content-Length: +0\r\n\r\n", b"Content-Length: 0x0\r\n\r\n",
                      b"Transfer-Encoding: x\r\n\r\n0\r\n\r\n",
                      b"Transfer-Encoding: chunked, x\r\n\r\n0\r\n\r\n",
                      b"X: a\r\n Content-Length: 40\r\n\r\n", b"Content-Length : 40\r\n\r\n",
                      b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffff1\r\n"):
            got, status = self.answer(post + trick + hidden)
            self.assertIn(status, (400, 413, 501), trick)
            self.assertEqual(got.count(b"HTTP/1.1 "), 1, trick)

    def test_slow_clients(self):
        begun = [self.connect() for _ in range(80)]
        for n, client in enumerate(begun):
            client.sendall([b"G", b"GET /v1/jobs HTTP/1.1\r\nHost: local",
                            b"PUT /v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{"]
                           [n % 3])
        count = self.neighbour.asked
        harness.wait_until(lambda: self.neighbour.asked > count + 30, "others are served")
        for client in begun:
            client.close()

    def websocket(self, **query):
        text = urllib.parse.urlencode({"task": "t", "command": '["cat"]', **query})
        client = self.connect()
        client.sendall(
            f"GET /v1/client/allocation/{self.alloc}/exec?{text} HTTP/1.1\r\nHost: localhost\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Key: {base64.b64encode(b'0' * 16).decode()}\r\n\r\n".encode())
        head = b""
        while b"\r\n\r\n" not in head:
            head += client.recv(1)
        self.assertIn(b" 101 ", head)
        return client

    def test_websockets(self):
        def frame(opcode, data=b"", masked=True, length=None):
            size = len(data) if length is None else length
            head = bytes([opcode])
            mask = 0x80 if masked else 0
            head += (bytes([mask | size]) if size < 126 else
                     bytes([mask | 127]) + struct.pack(">Q", size))
            return head + (b"\0\0\0\0" if masked else b"") + data
        abuses = {
            "not masked": frame(0x81, b"{}", masked=False),
            "reserved": frame(0xf1, b"{}"), "opcode": frame(0x83, b"{}"),
            "not UTF-8": frame(0x81, b"\xff\xfe"), "no JSON": frame(0x81, b"{"),
            "deep": frame(0x81, b"[" * 500_000), "too long": frame(0x81, length=1 << 40),
            "negative": frame(0x81, length=(1 << 63) + 5),
            "more than a message": frame(0x81, b" " * (2 * MB)),
            "endless": frame(0x01, b"{") + frame(0x00, b" " * 60_000) * 30,
            "a long ping": frame(0x89, b"x" * 300), "a broken ping": frame(0x09, b"x"),
            "no beginning": frame(0x80, b"{}"), "stdin": frame(0x81, b'{"stdin": {"data": "***"}}'),
            "input of another type": frame(0x81, b'{"stdin": 7}'),
            "a size of another type": frame(0x81, b'{"tty_size": [[]]}'),
            "a huge size": frame(0x81, b'{"tty_size": {"height": 1e999, "width": 1}}'),
        }
        for name, data in abuses.items():
            with self.subTest(name), self.websocket() as client:
                with contextlib.suppress(OSError):
                    client.sendall(data)
                with contextlib.suppress(ConnectionError):
                    while client.recv(1 << 16):  # until it is closed
                        pass
        # Opened and left, again and again.
        for _ in range(100):
            self.websocket().close()
        with self.websocket() as client, contextlib.suppress(OSError):
            for _ in range(20):  # pings, without reading the answers
                client.settimeout(0.2)
                client.sendall(frame(0x89, b"x" * 100) * 1000)



class AgentPathTest(AbuseTest):
    def test_paths_that_lead_elsewhere(self):
        page = (ROOT / "docs" / "compatibility.md").read_text()
        patterns = re.findall(r"^\| `(/v1/[^`]*\*[^`]*)`", page, re.M)
        self.assertGreater(len(patterns), 50)
        tricks = ["../../../../etc/passwd", "..%2f..%2f..%2fetc%2fpasswd", "%2e%2e/%2e%2e/etc/passwd",
                  "..%5c..%5cetc", "%00", "a%00b", "....//....//etc/passwd", "%zz", "x" * 3000,
                  "%ff%fe", "-", "*", "%0d%0aX-Evil:%201", NONE + "/../" + self.alloc]
        for pattern in patterns:
            for trick in tricks:
                path = re.sub(r"\*\*?", lambda _: trick, pattern)
                for method in ("GET", "PUT", "DELETE") if trick in tricks[:2] else ("GET",):
                    got, status = self.answer(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n"
                                              "Connection: close\r\n\r\n".encode())
                    context = (method, path, got[:300])
                    self.assertNotIn(b"root:", got, context)
                    self.assertNotIn(b"X-Evil", got.partition(b"\r\n\r\n")[0], context)
                    body = got.partition(b"\r\n\r\n")[2]
                    nothing = status == 200 and (body in (b"[]", b"null", b"{}", b"") or
                                                 b'"EvalID":""' in body)
                    self.assertTrue(nothing or 400 <= (status or 0) <= 501, context)

    def test_files_that_lie_elsewhere(self):
        local = self.sandbox.alloc_dirs[0] / self.alloc / "t" / "local"
        (local / "out").symlink_to("/etc/passwd")
        (local / "up").symlink_to("../../..")
        for verb in ("ls", "stat", "cat", "readat", "stream"):
            for path in ("/../../../../etc/passwd", "t/local/out", "t/local/up/agent.json",
                         "t/../../x", "/etc/passwd/../../..", "t/local/\0", "a" * 5000):
                query = urllib.parse.urlencode({"path": path, "offset": 0, "follow": "false"})
                got, status = self.answer(f"GET /v1/client/fs/{verb}/{self.alloc}?{query} HTTP/1.1\r\n"
                                          "Host: localhost\r\nConnection: close\r\n\r\n".encode())
                self.assertNotIn(b"root:", got)
                self.assertIn(status, (400, 404, 414, 431, 500), (verb, path, got[:300]))

if __name__ == "__main__":
    harness.main()
