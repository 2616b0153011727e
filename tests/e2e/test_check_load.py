# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Very many checks of services: what good ones cost, and that bad ones hold up nothing."""
import collections
import os
import socket
import struct
import sys
import time

import harness
from agent_harness import AgentTest
from harness import SLACK, group, job, task

# Counts the connections to its port, in the file that is its argument.
COUNTS = """
import mmap, os, socket, struct, sys
with open(sys.argv[1], "wb") as file:
    file.write(bytes(8))
with open(sys.argv[1], "r+b") as file:
    shown = mmap.mmap(file.fileno(), 8)
server = socket.create_server(("", int(os.environ["NOMAD_PORT_http"])), backlog=1024)
count = 0
while True:
    server.accept()[0].close()
    count += 1
    struct.pack_into("q", shown, 0, count)
"""
# Takes all connections, and says nothing.
SILENT = """
import os, socket, time
server = socket.create_server(("", int(os.environ["NOMAD_PORT_http"])), backlog=1024)
while True:
    time.sleep(1000)
"""
CHECKS = 1000  # of the job whose cost is measured, each once a second
OF_SERVICE = 50
RUNS = 5 * CHECKS  # that are measured
MOST = 3  # times the processor time of a connection that this process makes; from 1.0 to 1.7 on a quiet machine
FAILING = 500
SECOND = 1_000_000_000


def threads(pid):
    """The names of the threads of a process, with their number."""
    return collections.Counter(harness.process_text(pid, f"task/{thread}/comm").decode().strip()
                               for thread in os.listdir(f"/proc/{pid}/task"))


def python(name, script, *arguments, **fields):
    return task(name, config={"command": sys.executable, "args": ["-c", script, *map(str, arguments)]},
                Resources={"CPU": 1, "MemoryMB": 50}, **fields)


def services(count, kind, **check):
    """Services with COUNT checks together, OF_SERVICE each. CHECK: the fields of each check."""
    checks = [{"Name": f"{kind}{n}", "Interval": "1s", "Timeout": "1s", **check} for n in range(count)]
    return [{"Name": f"{kind}-{first}", "PortLabel": "http", "Provider": "nomad",
             "Checks": checks[first:first + OF_SERVICE]} for first in range(0, count, OF_SERVICE)]


def checked(name, one, all_services, **fields):
    fields.setdefault("ShutdownDelay", 0)
    return group(one, name=name, Services=all_services, Networks=[{"DynamicPorts": [{"Label": "http"}]}], **fields)


class CheckCase(AgentTest):
    def statuses(self, alloc):
        return collections.Counter(
            check["Status"] for check in self.agent.get(f"/v1/client/allocation/{alloc}/checks").values())

    def wait_statuses(self, alloc, **wanted):
        harness.wait_until(lambda: self.statuses(alloc) == wanted, f"the checks of {alloc} to be {wanted}")

    def alloc_of(self, job_id, name):
        """The allocation of the group NAME."""
        return next(a["ID"] for a in self.agent.allocs(job_id) if a["TaskGroup"] == name)


class CheckNameTest(CheckCase):
    def test_many_checks_at_once_find_a_server_by_its_name(self):
        named = [{**one, "Address": "localhost"} for one in services(300, "tcp", Type="tcp")]
        server = python("t", COUNTS, self.sandbox.root / "connections")
        self.agent.submit(job(checked("g", server, named), id="named", type="service"))
        alloc = self.agent.wait_allocs("named", 1, "running")[0]["ID"]
        self.wait_statuses(alloc, success=300)


def connection_time(port):
    """The processor time that a connection to a port of this machine takes at least, in seconds."""
    begin = time.process_time()
    for _ in range(RUNS):
        with socket.socket() as one:
            one.connect(("127.0.0.1", port))
    return (time.process_time() - begin) / RUNS


class CheckCostTest(CheckCase):
    def test_a_thousand_checks_a_second_take_little_of_a_core(self):
        shown = self.sandbox.root / "connections"
        pid = self.agent.run.pid
        before = threads(pid)
        self.agent.submit(job(checked("g", python("t", COUNTS, shown), services(CHECKS, "tcp", Type="tcp")),
                              id="checked", type="service"))
        alloc = self.agent.wait_allocs("checked", 1, "running")[0]["ID"]
        self.wait_statuses(alloc, success=CHECKS)

        def runs():
            return struct.unpack("q", shown.read_bytes())[0]
        first, used, begin = runs(), harness.processor_time(pid), time.monotonic()
        harness.wait_until(lambda: runs() - first >= RUNS, f"{RUNS} runs of checks", limit=90, step=0.1)
        done, used, took = runs() - first, harness.processor_time(pid) - used, time.monotonic() - begin
        # Per run, so that a busy machine, on which there are fewer a second, changes nothing.
        each = used / done
        placed = self.agent.get(f"/v1/allocation/{alloc}")["AllocatedResources"]
        floor = connection_time(placed["Shared"]["Ports"][0]["Value"])
        print(f"{done} runs in {took:.1f} s: {1e6 * each:.1f} us of a processor each, so 1,000 a second take "
              f"{100_000 * each:.2f} % of a core; a connection takes {1e6 * floor:.1f} us", flush=True)
        self.assertLess(each, MOST * floor * SLACK)
        grown = threads(pid) - before
        self.assertEqual(grown["drover-checks"], 1, grown)
        # Pools make their threads when they need them.
        self.assertLess(sum(grown.values()), 40, grown)
        self.assertEqual(self.statuses(alloc), {"success": CHECKS})
        self.agent.must("DELETE", "/v1/job/checked")
        self.agent.wait_allocs("checked", 1, "complete", "stop")
        self.assertEqual(self.statuses(alloc), {})


class FailingChecksTest(CheckCase):
    """Five hundred checks that fail in every way, and restart their tasks. Those that hang have ten minutes for that,
    so whoever waited for one of them would wait longer than this test does."""

    HANGING, SCRIPTS = 60, 20  # more than may run at a time in one allocation

    def test_they_neither_block_each_other_nor_a_kill(self):
        descriptors = len(os.listdir(f"/proc/{self.agent.run.pid}/fd"))
        policy = {"Attempts": 1000, "Interval": 3600 * SECOND, "Delay": 100_000_000, "Mode": "fail"}
        refused = FAILING - self.HANGING - self.SCRIPTS
        restart = {"Limit": 1, "Grace": 0}
        of_refused = services(refused, "refused", Type="tcp", CheckRestart=restart)
        self.agent.submit(job(
            # Nobody listens at the port of the first.
            checked("refused", task("t", "exec sleep 1000"), of_refused, RestartPolicy=policy),
            checked("hanging", python("t", SILENT),
                    services(self.HANGING, "http", Type="http", Path="/", Timeout="600s", CheckRestart=restart) +
                    services(self.SCRIPTS, "script", Type="script", Command="/bin/sleep", Args=["1000"],
                             TaskName="t", Timeout="600s"), RestartPolicy=policy),
            id="bad", type="service"))
        self.agent.submit(job(checked("g", python("t", COUNTS, self.sandbox.root / "connections"),
                                      services(1, "good", Type="tcp")), id="good", type="service"))
        self.agent.wait_allocs("good", 1, "running")
        good = self.alloc_of("good", "g")
        self.wait_statuses(good, success=1)
        bad, hanging = self.alloc_of("bad", "refused"), self.alloc_of("bad", "hanging")
        self.wait_statuses(bad, failure=refused)
        self.wait_statuses(hanging, pending=self.HANGING + self.SCRIPTS)

        # They restart their task again and again, once for all of them, and each time it is found again.
        def restarts():
            return self.agent.get(f"/v1/allocation/{bad}")["TaskStates"]["t"]["Restarts"]
        for _ in range(3):
            count = restarts()
            harness.wait_until(lambda c=count: restarts() > c, "one more restart")
            harness.wait_until(lambda: len(self.agent.get(f"/v1/allocation/{bad}/services")) ==
                               len(of_refused), "its services")
        # Another check goes on meanwhile.
        shown = self.sandbox.root / "connections"
        seen = shown.read_bytes()
        harness.wait_until(lambda: shown.read_bytes() != seen, "one more run of the good check")
        for name, count in (("good", 1), ("bad", 2)):
            begin = time.monotonic()
            self.agent.must("DELETE", f"/v1/job/{name}")
            self.agent.wait_allocs(name, count, "complete", "stop")
            print(f"{name}: stopped after {time.monotonic() - begin:.2f} s", flush=True)
        for alloc in (good, bad, hanging):
            self.assertEqual(self.statuses(alloc), {})
        self.agent.must("PUT", "/v1/system/gc")
        harness.wait_until(lambda: len(os.listdir(f"/proc/{self.agent.run.pid}/fd")) <= descriptors + 16,
                           "all connections are closed")


if __name__ == "__main__":
    harness.main()
