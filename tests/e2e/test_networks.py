# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Networks of allocations by real CNI plugins."""
import ipaddress
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time
import unittest
import urllib.request

import cni
import cni_floor
import harness
from agent_harness import Agent
from harness import SLACK, DroverTest, group, job, task
from test_exec import IN_CHROOT

# Answers each request with the environment of its task, from port 8000 of its network.
SERVER = r"""
import http.server, json, os, socketserver

class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps({"env": dict(os.environ), "network": os.readlink("/proc/self/ns/net")}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass

socketserver.TCPServer.allow_reuse_address = True
socketserver.TCPServer(("", 8000), Answer).serve_forever()
"""


# Says to all who ask for an address before they use it that it is taken.
LIAR = r"""
import socket

link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0806))
link.bind(("eth0", 0x0806))
own = link.getsockname()[4]
print("mac", own.hex(":"), flush=True)
while True:
    frame = link.recv(1500)
    if frame[20:22] == b"\0\1" and frame[28:32] == b"\0\0\0\0":
        asker, wanted = frame[22:28], frame[38:42]
        link.send(asker + own + frame[12:20] + b"\0\2" + own + wanted + asker + frame[28:32])
"""


def ask(address, port):
    """What the server says; None if nobody answers."""
    try:
        with urllib.request.urlopen(f"http://{address}:{port}/", timeout=5) as answer:
            return json.load(answer)
    except OSError:
        return None


@unittest.skipIf(cni.MISSING, cni.MISSING)
class NetworkCase(DroverTest):
    """A test with an agent that keeps its state, and a bridge of its own."""

    CLIENT = {}  # further fields of the configuration's client

    def setUp(self):
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()
        self.bridge = cni.Bridge()
        self.addCleanup(self.bridge.remove)
        self.script = self.sandbox.write("server.py", SERVER)
        self.agent = self.start()

    def tearDown(self):
        if not self._outcome_failed() and self.agent.run.process.poll() is None:
            self.agent.forget_all(self.leftovers)
            self.agent.stop()
        super().tearDown()

    def start(self, **more):
        config = self.bridge.config(self.sandbox, **{**self.CLIENT, **more})
        return Agent(self.sandbox, dev=False, config=config)

    def kill(self):
        self.agent.run.process.send_signal(signal.SIGKILL)
        self.agent.run.process.wait()

    def server_job(self, name="web", mode="bridge", count=1, network=None, services=None, **fields):
        server = task("server", config={"command": "/usr/bin/env", "args": ["python3", str(self.script)]})
        port = {"Label": "http", "To": 8000}
        return job(group(server, Count=count, Services=services or [],
                         Networks=[{"Mode": mode, "DynamicPorts": [port], **(network or {})}], **fields),
                   id=name, type="service")

    def run_server(self, **how):
        """Returns the allocation of a server that answers, and what it says."""
        spec = self.server_job(**how)
        self.agent.submit(spec)
        alloc = self.agent.wait_allocs(spec["Job"]["ID"], 1, "running")[0]
        return alloc["ID"], self.wait_answer(alloc["ID"])

    def port(self, alloc_id, label="http"):
        ports = self.agent.get(f"/v1/allocation/{alloc_id}")["AllocatedResources"]["Shared"]["Ports"]
        return next(port for port in ports if port["Label"] == label)

    def status(self, alloc_id):
        return self.agent.get_until(
            f"/v1/allocation/{alloc_id}",
            lambda reply: json.loads(reply.body)["NetworkStatus"]["Address"]) and \
            self.agent.get(f"/v1/allocation/{alloc_id}")["NetworkStatus"]

    def wait_answer(self, alloc_id):
        port = self.port(alloc_id)
        return harness.wait_until(lambda: ask(port["HostIP"], port["Value"]), "an answer on the port of the host")

    def end(self, name="web", limit=harness.LIMIT):
        """Stops a job, and checks that nothing is left of its network."""
        self.agent.must("DELETE", f"/v1/job/{name}")
        allocs = harness.wait_until(
            lambda: (lambda all_of: all_of if all(a["ClientStatus"] in ("complete", "failed") for a in all_of)
                     else None)(self.agent.allocs(name)), f"the end of {name}", limit=limit)
        self.assert_nothing_left(*[alloc["ID"] for alloc in allocs], limit=limit)

    def assert_nothing_left(self, *ids, limit=harness.LIMIT):
        left = []

        def clean():
            left[:] = self.bridge.left(*ids) + self.notes() + [str(path) for path in self.files(*ids)]
            return not left
        try:
            harness.wait_until(clean, "the end of the network", limit=limit)
        except AssertionError:
            self.assertEqual(left, [])
            raise

    def notes(self):
        directory = self.sandbox.root / "data/networks"
        return [path.name for path in directory.iterdir()] if directory.is_dir() else []

    def files(self, *ids):
        """The files of the networks of allocations in the run directory."""
        return [path for directory in self.sandbox.run_dir.glob("networks-*") for path in directory.iterdir()
                if any(path.name.startswith(one) for one in ids)]


class BridgeTest(NetworkCase):
    def test_a_server_has_its_own_address_and_a_port_of_the_host(self):
        alloc, said = self.run_server()
        network = self.status(alloc)
        self.assertEqual((network["InterfaceName"], network["AddressIPv6"], network["DNS"]), ("eth0", "", None))
        self.assertIn(ipaddress.ip_address(network["Address"]), ipaddress.ip_network(self.bridge.subnet))
        self.assertNotEqual(said["network"], os.readlink("/proc/self/ns/net"))
        self.assertEqual(ask(network["Address"], 8000)["network"], said["network"])
        port, env = self.port(alloc), said["env"]
        self.assertEqual(
            {name: value for name, value in env.items() if name.endswith("_http")},
            {"NOMAD_IP_http": port["HostIP"], "NOMAD_PORT_http": "8000",
             "NOMAD_ADDR_http": f"{port['HostIP']}:{port['Value']}",
             "NOMAD_HOST_IP_http": port["HostIP"], "NOMAD_HOST_PORT_http": str(port["Value"]),
             "NOMAD_HOST_ADDR_http": f"{port['HostIP']}:{port['Value']}",
             "NOMAD_ALLOC_PORT_http": "8000", "NOMAD_ALLOC_IP_http": network["Address"],
             "NOMAD_ALLOC_ADDR_http": f"{network['Address']}:8000", "NOMAD_ALLOC_INTERFACE_http": "eth0"})
        self.end()

    def test_two_groups_may_listen_on_one_port(self):
        spec = self.server_job(count=2)
        self.agent.submit(spec)
        allocs = [alloc["ID"] for alloc in self.agent.wait_allocs("web", 2, "running")]
        self.assertEqual(len({self.wait_answer(alloc)["network"] for alloc in allocs}), 2)
        self.assertEqual(len({self.status(alloc)["Address"] for alloc in allocs}), 2)
        self.end()

    def test_services_and_checks_may_use_the_address_of_the_allocation(self):
        check = {"Name": "up", "Type": "http", "Path": "/", "Interval": 10**9, "Timeout": 10**9}
        service = {"Name": "api", "PortLabel": "http", "Provider": "nomad", "AddressMode": "alloc", "Checks": [check]}
        alloc, _ = self.run_server(services=[service])
        found = harness.wait_until(lambda: self.agent.get("/v1/service/api"), "the service")
        self.assertEqual([(one["Address"], one["Port"]) for one in found], [(self.status(alloc)["Address"], 8000)])
        harness.wait_until(
            lambda: [one for one in self.agent.get(f"/v1/client/allocation/{alloc}/checks").values()
                     if one["Status"] == "success"], "a check of the address of the allocation")
        self.end()

    def test_the_network_survives_the_agent(self):
        alloc, before = self.run_server()
        address = self.status(alloc)
        self.kill()
        self.assertEqual(ask(address["Address"], 8000), before)
        self.agent = self.start()
        self.agent.wait_allocs("web", 1, "running")
        self.assertEqual(self.status(alloc), address)
        self.assertEqual(self.wait_answer(alloc), before)
        # A task that starts now joins the same network.
        path = f"/v1/client/allocation/{alloc}/restart"
        harness.wait_until(lambda: self.agent.ask("PUT", path, {"TaskName": "server"}).status == 200 or None, path)
        self.agent.wait_restarts(alloc, server=1)
        self.assertEqual(self.wait_answer(alloc)["network"], before["network"])
        self.end()

    def test_another_configuration_removes_what_the_one_before_has_made(self):
        self.run_server()
        self.kill()
        self.agent = self.start(bridge_network_name=self.bridge.name + "x", bridge_network_subnet="10.200.0.0/24",
                                cni_path=f"/nonexistent:{cni.PLUGINS}")
        self.agent.wait_allocs("web", 1, "running")
        self.end()

    def test_another_subnet_waits_for_the_allocations_that_use_the_bridge(self):
        first, before = self.run_server()
        self.kill()
        other = f"10.{128 + int(self.bridge.subnet.split('.')[1]) % 64}.77.0/24"
        self.agent = self.start(bridge_network_subnet=other)
        self.agent.wait_allocs("web", 1, "running")
        self.agent.submit(self.server_job(name="second", RestartPolicy={"Attempts": 0, "Mode": "fail"},
                                          ReschedulePolicy={"Attempts": 0, "Unlimited": False}))
        failed = self.agent.wait_allocs("second", 1, "failed")[0]
        self.assertIn(f"which is not in client.bridge_network_subnet {other}",
                      str(failed["TaskStates"]["server"]["Events"]))
        self.assertEqual(self.wait_answer(first), before)
        self.end()
        # The kernel removes the port of the bridge in the background.
        ports = pathlib.Path(f"/sys/class/net/{self.bridge.name}/brif")
        harness.wait_until(lambda: not list(ports.iterdir()), "a bridge that nobody uses")
        third, _ = self.run_server(name="third")
        self.assertIn(ipaddress.ip_address(self.status(third)["Address"]), ipaddress.ip_network(other))
        self.end("third")

    def test_after_a_reboot_nothing_is_left_of_the_old_network(self):
        policy = {"Attempts": 3, "Delay": 50_000_000, "Interval": 60_000_000_000, "Mode": "fail"}
        alloc, _ = self.run_server(RestartPolicy=policy)
        self.kill()
        # The reboot: the processes, the namespaces and the run directory are gone. The rules stay here, which is
        # more than a reboot leaves.
        for pid in self.leftovers.processes():
            os.kill(pid, signal.SIGKILL)
        for path in harness.mounts_below(self.sandbox.root):
            subprocess.run(["umount", "-l", path], check=True)
        shutil.rmtree(self.sandbox.run_dir)
        self.agent = self.start()
        harness.wait_until(  # of the same allocation or of the one that replaces it
            lambda: any(ask(port["HostIP"], port["Value"]) for port in
                        (self.port(one["ID"]) for one in self.agent.allocs("web"))) or None, "an answer")
        self.end()
        self.assertEqual([rule for rule in self.bridge.left(alloc) if alloc in rule], [])

    def test_a_lost_state_leaves_nothing(self):
        self.run_server()
        self.kill()
        shutil.rmtree(self.sandbox.root / "data/state")
        self.agent = self.start()
        self.assert_nothing_left()
        # Directories that no state knows are left to the operator.
        for path in harness.mounts_below(self.sandbox.root):
            subprocess.run(["umount", path], check=True)
        for path in self.leftovers.allocations():
            shutil.rmtree(path)

    def test_a_task_that_removes_its_address_leaves_nothing(self):
        hostile = task("t", "ip address flush dev eth0 && ip link delete eth0; echo done; exec sleep 1000")
        self.agent.submit(job(group(hostile, Networks=[{"Mode": "bridge", "DynamicPorts": [{"Label": "x"}]}]),
                              id="hostile", type="service"))
        alloc = self.agent.wait_allocs("hostile", 1, "running")[0]["ID"]
        self.agent.get_until(f"/v1/client/fs/logs/{alloc}", lambda reply: b"done" in reply.body, task="t",
                             type="stdout", plain="true")
        self.end("hostile")

    def test_a_server_whose_plugin_hangs_is_stopped_with_the_agent(self):
        hangs = self.sandbox.root / "hangs"
        hangs.mkdir()
        for name in ("bridge", "firewall", "host-local", "portmap"):
            (hangs / name).symlink_to(cni.PLUGINS / name)
        (hangs / "firewall").unlink()
        called = self.sandbox.root / "called"
        self.sandbox.write("hangs/firewall", f'#!/bin/sh\n[ "$CNI_COMMAND" = ADD ] || exit 0\ntouch {called}\n'
                           "exec sleep 1000\n").chmod(0o755)
        self.agent.stop()
        self.agent = self.start(cni_path=str(hangs))
        self.agent.submit(self.server_job())
        harness.wait_until(called.exists, "the call of the plugin")
        began = time.monotonic()
        self.agent.stop()
        self.assertLess(time.monotonic() - began, 10 * SLACK)
        self.agent = self.start()
        alloc = self.agent.wait_allocs("web", 1, "running")[0]["ID"]
        self.wait_answer(alloc)
        self.end()

    def test_a_plugin_that_does_not_say_its_version_delays_nothing(self):
        hangs = self.sandbox.root / "hangs"
        hangs.mkdir()
        self.sandbox.write("hangs/aaa", "#!/bin/sh\nexec sleep 1000\n").chmod(0o755)
        self.sandbox.write("hangs/zzz", "#!/bin/sh\necho CNI zzz plugin v1.2.3 >&2\n").chmod(0o755)
        self.agent.stop()
        self.agent = self.start(cni_path=f"{hangs}:{cni.PLUGINS}")
        self.run_server()
        node = f"/v1/node/{self.agent.get('/v1/nodes')[0]['ID']}"
        harness.wait_until(lambda: "plugins.cni.version.zzz" in self.agent.get(node)["Attributes"],
                           "the version of the last plugin")
        attributes = self.agent.get(node)["Attributes"]
        self.assertEqual(attributes["plugins.cni.version.zzz"], "v1.2.3")
        self.assertNotIn("plugins.cni.version.aaa", attributes)
        harness.wait_until(lambda: 'the CNI plugin "aaa" took longer than 2s to say its version' in self.agent.run.err,
                           "a line of the log")
        self.end()
        self.agent.stop()
        self.agent = self.start(cni_path=f"{hangs}:{cni.PLUGINS}")
        began = time.monotonic()  # while the first plugin hangs
        self.agent.stop()
        self.assertLess(time.monotonic() - began, 2 * SLACK)
        self.agent = self.start()

    def test_a_port_that_is_taken_is_told(self):
        with socket.socket() as taken:
            taken.bind(("0.0.0.0", 0))
            taken.listen()
            port = taken.getsockname()[1]
            spec = self.server_job(network={"DynamicPorts": [], "ReservedPorts": [
                {"Label": "http", "Value": port, "To": 8000}]})
            self.agent.submit(spec)
            reason = harness.wait_until(lambda: [
                failure["DimensionExhausted"] for one in self.agent.get("/v1/job/web/evaluations")
                for failure in (one["FailedTGAllocs"] or {}).values()], "a blocked evaluation")
            self.assertIn(f"port {port} is taken on this machine", str(reason))
        self.agent.wait_allocs("web", 1, "running")
        self.end()

    def test_a_network_that_is_not_there_is_refused(self):
        for spec, reason in (
                (self.server_job(mode="cni/absent"), 'this machine has no network "cni/absent"'),
                (self.server_job(network={"DynamicPorts": [{"Label": "http", "HostNetwork": "moon"}]}),
                 'the port "http" wants the host network "moon"')):
            reply = self.agent.ask("PUT", "/v1/jobs", spec)
            self.assertEqual(reply.status, 500, reply.body)
            self.assertIn(reason, reply.body.decode())

    def test_an_address_that_is_in_use_is_not_given_twice(self):
        first, before = self.run_server()
        address = ipaddress.ip_address(self.status(first)["Address"])
        # The lease is lost, so the plugin host-local gives the address again.
        leases = cni.LEASES / self.bridge.name
        (leases / str(address)).unlink()
        (leases / "last_reserved_ip.0").unlink()
        second, after = self.run_server(name="second")
        self.assertEqual(self.status(second)["Address"], str(address + 1))
        self.assertIn(f"the address {address}, which the CNI plugins of the network", self.agent.run.err)
        self.assertNotEqual(after["network"], before["network"])
        # The first one still has its address, and the rules that let its traffic pass.
        self.assertEqual(ask(str(address), 8000), before)
        self.assertEqual(self.wait_answer(first), before)
        passes = [rule for rule in cni.output("iptables", "-w", "10", "-S").splitlines() if f"{address}/32" in rule]
        self.assertEqual(len(passes), 2, passes)
        self.agent.must("DELETE", "/v1/job/second")
        self.end()

    def test_a_task_that_claims_all_addresses_is_named(self):
        script = self.sandbox.write("liar.py", LIAR)
        liar = task("liar", config={"command": "/usr/bin/env", "args": ["python3", str(script)]})
        self.agent.submit(job(group(liar, Networks=[{"Mode": "bridge"}]), id="liar", type="service"))
        alloc = self.agent.wait_allocs("liar", 1, "running")[0]["ID"]
        mac = self.agent.get_until(f"/v1/client/fs/logs/{alloc}", lambda reply: reply.body.startswith(b"mac "),
                                   task="liar", type="stdout", plain="true").body.decode().split()[1]
        self.agent.submit(self.server_job(name="victim", RestartPolicy={"Attempts": 0, "Mode": "fail"},
                                          ReschedulePolicy={"Attempts": 0, "Unlimited": False}))
        failed = self.agent.wait_allocs("victim", 1, "failed")[0]
        self.assertIn(f"is in use already: {mac} answers for it", str(failed["TaskStates"]["server"]["Events"]))
        self.end("liar")
        self.run_server()
        self.end()

    def test_a_name_that_a_driver_does_not_set_is_warned_of(self):
        network = {"Hostname": "web", "DNS": {"Servers": ["192.0.2.53"]}}
        spec = self.server_job(network=network)
        at = "/Job/TaskGroups/0/Networks/0/"
        warnings = (f'{at}Hostname: is not the name of the task "server": its driver "raw_exec" gives it no root of '
                    "its own, so it sees the name of the host",
                    f'{at}DNS: is not the look-up of names of the task "server": its driver "raw_exec" gives it no '
                    "root of its own, so it sees the resolv.conf of the host")
        for path in ("/v1/validate/job", "/v1/job/web/plan", "/v1/jobs"):
            reply = self.agent.must("PUT", path, spec)
            for warning in warnings:
                self.assertIn(warning, reply["Warnings"], path)
        self.agent.wait_allocs("web", 1, "running")
        self.end()
        isolated = self.server_job(name="isolated", network=network)
        isolated["Job"]["TaskGroups"][0]["Tasks"][0]["Driver"] = "exec"
        self.assertEqual(self.agent.must("PUT", "/v1/validate/job", isolated)["Warnings"], "")

    def test_jobs_choose_by_networks_and_versions_of_plugins(self):
        node = f"/v1/node/{self.agent.get('/v1/nodes')[0]['ID']}"
        harness.wait_until(lambda: "plugins.cni.version.bridge" in self.agent.get(node)["Attributes"],
                           "the versions of the plugins")
        for name in ("firewall", "host-local", "loopback", "portmap"):
            self.assertIn(f"plugins.cni.version.{name}", self.agent.get(node)["Attributes"])
        for name, version, runs in (("old", ">= 0.4.0", True), ("new", ">= 99.0.0", False)):
            spec = self.server_job(name=name)
            spec["Job"]["Constraints"] = [
                {"LTarget": "${attr.plugins.cni.version.bridge}", "Operand": "semver", "RTarget": version},
                {"LTarget": "${attr.network.mode.bridge}", "Operand": "=", "RTarget": self.bridge.name}]
            self.agent.submit(spec)
            if runs:
                self.agent.wait_allocs(name, 1, "running")
                self.end(name)
                continue
            reason = harness.wait_until(lambda name=name: [
                failure["ConstraintFiltered"] for one in self.agent.get(f"/v1/job/{name}/evaluations")
                for failure in (one["FailedTGAllocs"] or {}).values()], "a blocked evaluation")
            self.assertIn("plugins.cni.version.bridge", str(reason))

    def test_the_node_tells_of_its_networks(self):
        node = self.agent.get(f"/v1/node/{self.agent.get('/v1/nodes')[0]['ID']}")
        self.assertEqual(node["Attributes"]["network.mode.bridge"], self.bridge.name)
        self.assertIn(("bridge", self.bridge.name),
                      [(one["Mode"], one["Device"]) for one in node["NodeResources"]["NodeNetworks"]])


class Ipv6BridgeTest(NetworkCase):
    def start(self, **more):
        return super().start(bridge_network_subnet_ipv6=self.bridge.subnet_ipv6, **more)

    @unittest.skipUnless(pathlib.Path("/proc/net/if_inet6").exists(), "this kernel has no IPv6")
    def test_an_allocation_has_an_address_of_each_family(self):
        alloc, _ = self.run_server()
        network = self.status(alloc)
        self.assertIn(ipaddress.ip_address(network["Address"]), ipaddress.ip_network(self.bridge.subnet))
        self.assertIn(ipaddress.ip_address(network["AddressIPv6"]), ipaddress.ip_network(self.bridge.subnet_ipv6))
        # An address of which only the lease is lost is not given again.
        leases = cni.LEASES / self.bridge.name
        (leases / network["AddressIPv6"]).unlink()
        (leases / "last_reserved_ip.1").unlink()
        second, _ = self.run_server(name="second")
        self.assertEqual(ipaddress.ip_address(self.status(second)["AddressIPv6"]),
                         ipaddress.ip_address(network["AddressIPv6"]) + 1)
        self.assertIn(f"the address {network['AddressIPv6']}, which the CNI plugins", self.agent.run.err)
        self.agent.must("DELETE", "/v1/job/second")
        self.end()


class ConflistTest(NetworkCase):
    """Networks that the operator describes."""

    def start(self, **more):
        directory = self.sandbox.root / "conflists"
        directory.mkdir(exist_ok=True)
        ipam = {"type": "host-local", "dataDir": str(cni.LEASES), "subnet": self.bridge.subnet,
                "routes": [{"dst": "0.0.0.0/0"}]}
        bridge = {"type": "bridge", "bridge": self.bridge.name, "isGateway": True, "ipMasq": True, "ipam": ipam}
        ports = {"type": "portmap", "snat": True, "capabilities": {"portMappings": True}}
        liar = {"type": "liar"}
        for name, version, plugins in (("mesh", "1.0.0", [bridge, ports]), ("older", "0.4.0", [bridge, ports]),
                                       ("broken", "1.0.0", [bridge, liar])):
            self.sandbox.write(f"conflists/{name}.conflist", {
                "cniVersion": version, "name": name, "plugins": plugins})
        plugins = self.sandbox.root / "plugins"
        plugins.mkdir(exist_ok=True)
        script = self.sandbox.write("plugins/liar", "#!/bin/sh\n[ $CNI_COMMAND = DEL ] || echo garbage\n")
        script.chmod(0o755)
        return super().start(cni_config_dir=str(directory), cni_path=f"{plugins}:{cni.PLUGINS}", **more)

    def tearDown(self):
        for name in ("mesh", "older", "broken", "added"):
            shutil.rmtree(cni.LEASES / name, ignore_errors=True)
        super().tearDown()

    def test_both_versions_of_the_interface_work(self):
        for mode in ("cni/mesh", "cni/older"):
            with self.subTest(mode):
                alloc, _ = self.run_server(name=mode.replace("/", "-"), mode=mode)
                self.assertIn(ipaddress.ip_address(self.status(alloc)["Address"]),
                              ipaddress.ip_network(self.bridge.subnet))
                self.end(mode.replace("/", "-"))
                self.assertEqual([path.name for path in (cni.LEASES / mode[4:]).iterdir()
                                  if path.name[0].isdigit()], [])

    def test_a_network_that_the_operator_adds_is_found_by_a_reload(self):
        self.assertEqual(self.agent.ask("PUT", "/v1/jobs", self.server_job(mode="cni/added")).status, 500)
        directory = self.sandbox.root / "conflists"
        added = {**json.loads((directory / "mesh.conflist").read_text()), "name": "added"}
        self.sandbox.write("conflists/added.conflist", added)
        self.agent.run.process.send_signal(signal.SIGHUP)
        node = f"/v1/node/{self.agent.get('/v1/nodes')[0]['ID']}"
        harness.wait_until(lambda: "network.mode.cni/added" in self.agent.get(node)["Attributes"],
                           "the attribute of the added network")
        self.run_server(mode="cni/added")
        self.end()

    def test_a_plugin_that_prints_garbage_fails_the_allocation_and_leaves_nothing(self):
        self.agent.submit(self.server_job(mode="cni/broken", RestartPolicy={"Attempts": 0, "Mode": "fail"},
                                          ReschedulePolicy={"Attempts": 0, "Unlimited": False}))
        alloc = self.agent.wait_allocs("web", 1, "failed")[0]
        events = str(alloc["TaskStates"]["server"]["Events"])
        self.assertIn('the CNI plugin "liar" of the network "broken" failed at ADD: its result is no JSON object, '
                      "but garbage", events.replace('\\"', '"'))
        self.end()
        self.assertEqual([path.name for path in (cni.LEASES / "broken").iterdir() if path.name[0].isdigit()], [])

    @unittest.skipIf(IN_CHROOT, "exec does not work in a chroot")
    def test_a_task_with_its_own_root_has_the_files_of_its_network(self):
        look = task("look", driver="exec", Resources={"MemoryMB": 64}, config={
            "command": "/bin/sh", "args": ["-c", "cat /etc/hosts /etc/resolv.conf; uname -n; sleep 1000"]})
        network = {"Mode": "cni/mesh", "Hostname": "web-${NOMAD_ALLOC_INDEX}",
                   "DNS": {"Servers": ["192.0.2.53"], "Searches": ["svc.example"], "Options": ["ndots:2"]}}
        self.agent.submit(job(group(look, Networks=[network]), id="files", type="service"))
        alloc = self.agent.wait_allocs("files", 1, "running")[0]["ID"]
        status = self.status(alloc)
        self.assertEqual(status["DNS"], network["DNS"])
        path = f"/v1/client/fs/logs/{alloc}"
        said = self.agent.get_until(path, lambda reply: b"\nweb-0\n" in reply.body, task="look", type="stdout",
                                    plain="true") and self.agent.ask("GET", path, task="look", type="stdout",
                                                                     plain="true").body.decode()
        self.assertIn(f"\n{status['Address']} web-0\n", said)
        self.assertIn("\nnameserver 192.0.2.53\nsearch svc.example\noptions ndots:2\n", said)
        self.end("files")


class HostNetworkTest(NetworkCase):
    CLIENT = {"host_network": {"near": {"cidr": "127.0.0.0/8"}, "nowhere": {"cidr": "198.51.100.0/24"},
                               "loop": {"interface": "lo"}, "both": {"cidr": "127.0.0.0/8", "interface": "lo"},
                               "neither": {"cidr": "198.51.100.0/24", "interface": "lo"}}}

    def test_a_port_is_on_the_address_of_its_network(self):
        for network in ("near", "loop", "both"):
            with self.subTest(network):
                alloc, said = self.run_server(name=network, network={"DynamicPorts": [
                    {"Label": "http", "To": 8000, "HostNetwork": network}]})
                port = self.port(alloc)
                self.assertEqual(port["HostIP"], "127.0.0.1")
                self.assertEqual(said["env"]["NOMAD_HOST_IP_http"], "127.0.0.1")
                self.end(network)

    def test_a_network_without_an_address_gives_no_place(self):
        for network in ("nowhere", "neither"):
            self.agent.submit(self.server_job(name=network, network={"DynamicPorts": [
                {"Label": "http", "To": 8000, "HostNetwork": network}]}))
            reason = harness.wait_until(lambda network=network: [
                failure["DimensionExhausted"] for one in self.agent.get(f"/v1/job/{network}/evaluations")
                for failure in (one["FailedTGAllocs"] or {}).values()], "a blocked evaluation")
            self.assertIn(f'missing host network "{network}" for port "http"', str(reason).replace('\\"', '"'))


class NetworkLoadTest(NetworkCase):
    """Many networks at once: what the agent adds to the time of the plugins, and that nothing is left."""

    COUNT = 200 if harness.LONG else 24
    ROUNDS = 1 if harness.LONG else 3  # a pause of the machine weighs more on a few networks
    OWN_SECONDS = 0.040  # of the agent, per allocation

    def note(self):
        """What the agent notes of the network of an allocation: the plugins that it calls, and what they get."""
        self.run_server()
        name, = self.notes()
        note = json.loads((self.sandbox.root / "data/networks" / name).read_text())
        self.end()
        return note

    def own_seconds(self, note):
        """What the agent adds to each of COUNT networks, which have addresses of their own and leave nothing."""
        floor = cni_floor.seconds(note, self.COUNT)
        self.assert_nothing_left()
        stay = task("t", "exec sleep 1000", Resources={"MemoryMB": 10, "CPU": 1})
        began = time.monotonic()
        network = {"Mode": "bridge", "DynamicPorts": [{"Label": "http", "To": 80}]}
        self.agent.submit(job(group(stay, Count=self.COUNT, Networks=[network]), id="many", type="service"))

        def running():
            found = [one for one in self.agent.allocs("many") if one["ClientStatus"] == "running"]
            return found if len(found) == self.COUNT else None
        allocs = harness.wait_until(running, f"{self.COUNT} networks", limit=200, step=0.2)
        took = time.monotonic() - began
        own = (took - floor) / self.COUNT
        print(f"{self.COUNT} networks: {took:.2f} s, the plugins alone {floor:.2f} s, so the agent adds "
              f"{1e3 * own:.1f} ms to each")
        addresses = {self.status(alloc["ID"])["Address"] for alloc in allocs}
        self.assertEqual(len(addresses), self.COUNT)
        self.end("many", limit=200)
        return own

    def test_many_start_soon_and_leave_nothing(self):
        note = self.note()
        for _ in range(self.ROUNDS):
            own = self.own_seconds(note)
            if own < self.OWN_SECONDS * SLACK:
                break
        self.assertLess(own, self.OWN_SECONDS * SLACK)


@unittest.skipIf(cni.MISSING, cni.MISSING)
class RunNetworkTest(DroverTest):
    """A job in the foreground, whose network ends with it."""

    def setUp(self):
        super().setUp()
        self.bridge = cni.Bridge()
        self.addCleanup(self.bridge.remove)
        self.config = self.bridge.config(self.sandbox)

    def spec(self, script):
        return job(group(task("t", script), Networks=[{"Mode": "bridge", "DynamicPorts": [{"Label": "x"}]}]))

    def test_it_leaves_nothing(self):
        run = self.sandbox.run(self.spec("echo $NOMAD_ALLOC_IP_x"), config=self.config)
        self.assertEqual(run.wait(), 0, run.story())
        self.assertIn(ipaddress.ip_address(run.logs("t")[0]), ipaddress.ip_network(self.bridge.subnet))
        self.assertEqual(self.bridge.left(), [])

    def test_its_job_may_ask_for_versions_of_plugins(self):
        for version, code in ((">= 0.4.0", 0), (">= 99.0.0", 2)):
            spec = self.spec("true")
            spec["Job"]["Constraints"] = [
                {"LTarget": "${attr.plugins.cni.version.bridge}", "Operand": "semver", "RTarget": version}]
            run = self.sandbox.run(spec, config=self.config)
            self.assertEqual(run.wait(), code, run.story())
        self.assertIn("does not meet the constraint", run.err)

    def test_a_name_that_its_driver_does_not_set_is_warned_of(self):
        spec = self.spec("true")
        spec["Job"]["TaskGroups"][0]["Networks"][0]["Hostname"] = "web"
        run = self.sandbox.run(spec, config=self.config)
        self.assertEqual(run.wait(), 0, run.story())
        warning, = run.of_type("Note")
        self.assertIn('is not the name of the task "t": its driver "raw_exec"', warning["Message"])

    def test_the_next_run_removes_what_a_killed_one_has_left(self):
        run = self.sandbox.run(self.spec("echo up; sleep 1000"), config=self.config)
        run.wait_log("t", "up")
        run.process.send_signal(signal.SIGKILL)
        run.process.wait()
        self.assertNotEqual(self.bridge.left(), [])
        after = self.sandbox.run(self.spec("true"), config=self.config)
        self.assertEqual(after.wait(), 0, after.story())
        # The kernel removes the ports of a namespace in the background.
        harness.wait_until(lambda: not self.bridge.left(), "the end of the network")


if __name__ == "__main__":
    unittest.main()
