# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The ports that tasks are given."""
import socket

import harness
from harness import DroverTest, one, task

# Binds every port that it was given, keeps them until all allocations have theirs.
BIND = r'''
import os, socket, time
held = []
for name in ("HTTP", "admin"):
    ip, port = os.environ["NOMAD_IP_" + name], int(os.environ["NOMAD_PORT_" + name])
    assert os.environ["NOMAD_ADDR_" + name] == f"{ip}:{port}"
    assert os.environ["NOMAD_HOST_PORT_" + name] == str(port)
    s = socket.socket()
    s.bind((ip, port))
    s.listen()
    held.append(s)
    print(f"{name} {ip} {port}", flush=True)
os.close(os.open(os.environ["NOMAD_ALLOC_DIR"] + "/../../up" + os.environ["NOMAD_ALLOC_INDEX"],
                 os.O_CREAT | os.O_WRONLY))
while not all(os.path.exists(f"{os.environ['NOMAD_ALLOC_DIR']}/../../up{i}") for i in range(3)):
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

    def test_port_that_is_taken_is_told(self):
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

    def test_port_that_is_wanted_twice_is_told(self):
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


if __name__ == "__main__":
    harness.main()
