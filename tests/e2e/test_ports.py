# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The ports of tasks."""
import socket
import subprocess

import harness
from agent_harness import Agent
from harness import DroverTest, group, job, one, task

# Binds each of its ports, and keeps them until all allocations have theirs, or one of them has none.
BIND = r'''
import os, socket, time

def mark(word):
    path = os.environ["NOMAD_ALLOC_DIR"] + "/../../" + word + os.environ["NOMAD_ALLOC_INDEX"]
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY))

def marked(word, index):
    return os.path.exists(f"{os.environ['NOMAD_ALLOC_DIR']}/../../{word}{index}")

held = []
for name in ("HTTP", "admin"):
    ip, port = os.environ["NOMAD_IP_" + name], int(os.environ["NOMAD_PORT_" + name])
    assert os.environ["NOMAD_ADDR_" + name] == f"{ip}:{port}"
    assert os.environ["NOMAD_HOST_PORT_" + name] == str(port)
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        s.bind((ip, port))
        s.listen()
    except OSError:
        mark("failed")
        raise
    held.append(s)
    print(f"{name} {ip} {port}", flush=True)
mark("up")
while not all(marked("up", i) for i in range(3)) and not any(marked("failed", i) for i in range(3)):
    time.sleep(0.02)
'''


class PortTest(DroverTest):
    def test_ports_are_real_and_distinct(self):
        script = self.sandbox.write("bind.py", BIND)
        run = self.run_job(one(
            task("t", config={"command": "/usr/bin/env", "args": ["python3", str(script)]}),
            Count=3, Networks=[{"DynamicPorts": [{"Label": "HTTP"}, {"Label": "admin"}]}]))
        placed = {line["AllocName"]: {p["Label"]: p["Value"] for p in line["Ports"]}
                  for line in run.placed()}
        self.assertEqual(sorted(placed), ["e2e.g[0]", "e2e.g[1]", "e2e.g[2]"])
        values = [port for ports in placed.values() for port in ports.values()]
        self.assertEqual(len(set(values)), 6, placed)
        for line in run.of_type("Log"):
            label, ip, port = line["Line"].split()
            self.assertEqual(placed[line["AllocName"]][label], int(port))
            self.assertEqual(ip, "127.0.0.1")
        for index in range(3):
            (self.sandbox.alloc_dirs[0] / f"up{index}").unlink()

    def test_port_that_is_taken_is_reported(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            run = self.sandbox.run(one(task("t", "true"), Networks=[
                {"ReservedPorts": [{"Label": "x", "Value": port}]}]))
            self.assertIn(run.wait(), (1, 2), run.story())
            said = run.err + str(run.lines)
            self.assertIn(f"port {port} is taken on this machine", said)
            self.assertIn("e2e.g[0]", said)
        self.assertEqual(run.event_types("t"), [])

    def test_port_that_is_wanted_twice_is_reported(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        run = self.sandbox.run(one(task("t", "exec sleep 60"), Count=2, Networks=[
            {"ReservedPorts": [{"Label": "x", "Value": port}]}]))
        self.assertIn(run.wait(), (1, 2), run.story())
        self.assertIn(f"port {port} is taken", run.err + str(run.lines))

    def test_reserved_port_is_given(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        run = self.run_job(one(task("t", "echo $NOMAD_PORT_x"), Networks=[
            {"ReservedPorts": [{"Label": "x", "Value": port}]}]))
        self.assertEqual(run.logs("t"), [str(port)])


def address_that_leads_out():
    """The address from which this machine sends to other networks."""
    for family, far in ((socket.AF_INET, "203.0.113.1"), (socket.AF_INET6, "2001:db8::1")):
        with socket.socket(family, socket.SOCK_DGRAM) as out:
            try:
                out.connect((far, 9))  # sends nothing
            except OSError:
                continue
            return out.getsockname()[0]
    return "127.0.0.1"


class AgentPortTest(DroverTest):
    """The address of the machine that has the ports of an agent's tasks."""

    def config(self, name, interface):
        """The configuration of an agent with directories of its own."""
        data = self.sandbox.root / name
        self.sandbox.alloc_dirs.append(data / "alloc")
        client = {"alloc_dir": None}
        if interface is not None:
            client["network_interface"] = interface
        return self.sandbox.write_config(f"{name}.json", data_dir=str(data), client=client)

    def start(self, name, interface):
        agent = Agent(self.sandbox, dev=False, config=self.config(name, interface))
        agent.alloc_dir = self.sandbox.root / name / "alloc"
        return agent

    def submit(self, agent, value=0):
        """Runs a job with the static port VALUE, or with a dynamic port."""
        port = {"ReservedPorts": [{"Label": "x", "Value": value}]} if value else {
            "DynamicPorts": [{"Label": "x"}]}
        agent.submit(job(group(task("t", "echo $NOMAD_IP_x $NOMAD_PORT_x $NOMAD_ADDR_x; exec sleep 600"),
                               Networks=[port]), id="ports", type="service"))
        return agent.wait_allocs("ports", 1, "running")[0]["ID"]

    def assert_on(self, agent, alloc, address):
        allotted, = agent.get(f"/v1/allocation/{alloc}")["AllocatedResources"]["Shared"]["Ports"]
        self.assertEqual((allotted["Label"], allotted["HostIP"]), ("x", address))
        value = allotted["Value"]
        whole = f"[{address}]:{value}" if ":" in address else f"{address}:{value}"
        said = harness.wait_until(
            lambda: agent.ask("GET", f"/v1/client/fs/logs/{alloc}", task="t", type="stdout",
                              plain="true").body.decode() or None, "the task's output")
        self.assertEqual(said, f"{address} {value} {whole}\n")

    def end(self, agent):
        agent.must("DELETE", "/v1/job/ports", purge="true")
        harness.wait_until(lambda: not agent.get("/v1/allocations") or
                           agent.must("PUT", "/v1/system/gc"), "the job to be forgotten")
        harness.wait_until(lambda: not list(agent.alloc_dir.iterdir()), "its directory to be removed")
        agent.stop()

    def another_address(self, agent):
        """An address of this machine other than 127.0.0.1."""
        node = agent.get("/v1/nodes")[0]["ID"]
        for network in agent.get(f"/v1/node/{node}")["NodeResources"]["NodeNetworks"]:
            for address in network["Addresses"] or []:
                if address["Address"] not in ("127.0.0.1", "::1"):
                    return address["Address"]
        self.skipTest("this machine has one address")
        return None

    def test_ports_are_on_the_interface_that_is_named(self):
        agent = self.start("lo", "lo")
        self.assert_on(agent, self.submit(agent), "127.0.0.1")
        self.end(agent)

    def test_ports_are_on_the_address_that_is_named_and_on_another_the_same_port_is_free(self):
        """Two jobs with one static port, each on an address of its own. A node has one address, so this needs
        two nodes."""
        first = self.start("first", "127.0.0.1")
        address = self.another_address(first)
        second = self.start("second", address)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        for agent, where in ((first, "127.0.0.1"), (second, address)):
            self.assert_on(agent, self.submit(agent, port), where)
        for agent in (first, second):
            self.end(agent)

    def test_without_a_name_ports_are_on_the_address_of_the_default_route(self):
        agent = self.start("none", None)
        self.assert_on(agent, self.submit(agent), address_that_leads_out())
        self.end(agent)

    def test_an_unknown_name_is_refused(self):
        done = subprocess.run([harness.binary(), "agent", "--config", self.config("wrong", "nothing0"),
                               "--port", "0"], capture_output=True, text=True,
                              timeout=harness.LIMIT, env=self.sandbox.environment())
        self.assertNotEqual(done.returncode, 0)
        self.assertIn('client/network_interface: this machine has no interface and no address '
                      '"nothing0": it has ', done.stderr)


if __name__ == "__main__":
    harness.main()
