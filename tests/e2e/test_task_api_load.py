# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""A task that sends bad requests of every kind to its socket, as fast as it can. It takes a part of a core from the
agent, and others notice nothing."""
import http.client
import os
import subprocess
import sys
import time

import harness
from agent_harness import Agent
from harness import SLACK, DroverTest, group, job, processor_time, task
from test_access import UnixConnection

LONG = "exec sleep 1000"
SECONDS = 4  # of the flood, at least
REQUESTS = 10_000 * SECONDS  # of it, at least: a busy machine takes longer for them
MOST = 0.5  # of a core, for the flood and those who ask meanwhile
MOST_OF_CONTROL = 0.1
MIB = 1 << 20

# Sends bad requests to api.sock in a directory, for at least so many seconds, and at least so many. Prints how many the
# socket has taken, and how long that took. %d makes each request another one.
FLOOD = r"""
import os, select, socket, sys, time
os.chdir(sys.argv[1])
seconds, least = float(sys.argv[2]), int(sys.argv[3])
head = b"GET /v1/jobs?%d HTTP/1.1\r\nHost: a\r\n"
kinds = [head + b"\r\n", head + b"X-Nomad-Token: wrong%d\r\n\r\n", head + b"X-Nomad-Token: a.b.%d\r\n\r\n",
         b"\0%d garbage\r\n\r\n", b"GET /v1/jobs?%d HTTP/1.1\r\nX: " + b"x" * 20000,
         b"PUT /v1/jobs?%d HTTP/1.1\r\nHost: a\r\nContent-Length: 8000000\r\n\r\n", b""]
poll = select.poll()
held = {}  # descriptor: [socket, kind, what is left of its batch]
waiting = [kind for kind in kinds for _ in range(8)]
number = taken = 0

def batch(kind):
    global number
    size = 1 if len(kind) > 10000 else 100
    number += size
    return b"".join(kind.replace(b"%d", b"%d" % (number + n)) for n in range(size)), size

def begin(kind):
    # Returns whether the queue of the socket has room.
    global taken
    one = socket.socket(socket.AF_UNIX)
    one.setblocking(False)
    try:
        one.connect("api.sock")
    except BlockingIOError:
        one.close()
        return False
    if not kind:
        one.close()
        taken += 1
        waiting.append(kind)
        return True
    held[one.fileno()] = [one, kind, b"", 0]
    poll.register(one, select.POLLIN | select.POLLOUT)
    return True

def end(fd):
    one, kind, _, _ = held.pop(fd)
    poll.unregister(fd)
    one.close()
    waiting.append(kind)

began = time.monotonic()
while time.monotonic() - began < seconds or taken < least:
    for _ in range(len(waiting)):
        kind = waiting.pop(0)
        if not begin(kind):
            waiting.append(kind)
            break
    for fd, events in poll.poll(5):
        entry = held[fd]
        try:
            if events & (select.POLLIN | select.POLLHUP | select.POLLERR) and not entry[0].recv(1 << 16):
                end(fd)
                continue
            if events & select.POLLOUT:
                if not entry[2]:
                    entry[2], entry[3] = batch(entry[1])
                sent = entry[0].send(entry[2])
                entry[2] = entry[2][sent:]
                taken += 0 if entry[2] else entry[3]
        except BlockingIOError:
            pass
        except OSError:
            end(fd)
print(taken, time.monotonic() - began)
"""


class BadRequestTest(DroverTest):
    def setUp(self):
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()
        self.agent = Agent(self.sandbox)

    def tearDown(self):
        if not self._outcome_failed():
            self.agent.stop()
        super().tearDown()

    def run_job(self, id):
        """Returns the id of its allocation."""
        self.agent.submit(job(group(task("t", LONG, Identity={"Env": True, "File": True}), ShutdownDelay=0),
                              id=id, type="service"))
        return self.agent.wait_allocs(id, 1, "running")[0]["ID"]

    def secrets(self, alloc):
        return self.sandbox.alloc_dirs[0] / alloc / "t" / "secrets"

    def status(self, alloc, token=None):
        """Asks for an allocation through its own socket. Returns None if the connection is closed instead."""
        connection = UnixConnection(self.secrets(alloc) / "api.sock")
        try:
            connection.request("GET", f"/v1/allocation/{alloc}",
                               headers={"Authorization": f"Bearer {token}"} if token else {})
            answer = connection.getresponse()
            answer.read()
            return answer.status
        except (ConnectionError, http.client.HTTPException):
            return None
        finally:
            connection.close()

    def memory(self):
        return int(next(line.split()[1] for line in harness.process_text(self.agent.run.pid, "status").splitlines()
                        if line.startswith(b"VmRSS:"))) << 10

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.agent.run.pid}/fd"))

    def test_ten_thousand_a_second_harm_nobody_else(self):
        pid = self.agent.run.pid
        noisy, quiet = self.run_job("noisy"), self.run_job("quiet")
        tokens = {alloc: (self.secrets(alloc) / "nomad_token").read_text() for alloc in (noisy, quiet)}
        self.assertEqual(self.status(noisy, tokens[noisy]), 200)
        memory, descriptors = self.memory(), self.descriptors()
        used, of_control = processor_time(pid), processor_time(pid, pid)
        with subprocess.Popen([sys.executable, "-c", FLOOD, str(self.secrets(noisy)), str(SECONDS), str(REQUESTS)],
                              stdout=subprocess.PIPE) as flood:
            try:
                longest, turns = 0, 0
                while flood.poll() is None:
                    begin = time.monotonic()
                    self.assertEqual(self.status(quiet), 401)
                    self.assertEqual(self.status(quiet, tokens[quiet]), 200)
                    self.assertEqual(self.agent.ask("GET", "/v1/jobs").status, 200)
                    longest, turns = max(longest, time.monotonic() - begin), turns + 1
                    if turns % 20 == 0:  # jobs start and stop
                        self.run_job(f"job{turns}")
                        self.agent.must("DELETE", f"/v1/job/job{turns}")
                        self.agent.wait_allocs(f"job{turns}", 1, "complete", "stop")
                    time.sleep(0.02)
                used, of_control = processor_time(pid) - used, processor_time(pid, pid) - of_control
                taken, took = map(float, flood.stdout.read().split())
            finally:
                flood.kill()
        print(f"{taken / took:.0f} bad requests a second for {took:.1f} s: {100 * used / took:.1f} % of a core, of "
              f"which {100 * of_control / took:.1f} % on the control thread; {turns} times others asked, in at most "
              f"{1000 * longest:.0f} ms; {(self.memory() - memory) / MIB:.1f} MiB", flush=True)
        self.assertGreater(turns, 0)
        self.assertLess(used / took, MOST * SLACK)
        self.assertLess(of_control / took, MOST_OF_CONTROL * SLACK)
        if SLACK <= 2:  # a sanitizer keeps freed memory for a while
            self.assertLess(self.memory() - memory, 16 * MIB)
        # Nor did it lock itself out for good.
        harness.wait_until(lambda: self.status(noisy, tokens[noisy]) == 200, "its own allocation")
        harness.wait_until(lambda: self.descriptors() <= descriptors + 8, "all connections are closed")
        self.agent.wait_allocs("noisy", 1, "running")


if __name__ == "__main__":
    harness.main()
