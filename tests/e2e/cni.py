# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Real CNI plugins for the end-to-end tests, and what they leave on the machine."""
import pathlib
import random
import re
import shutil
import subprocess

import harness
from agent_harness import agent_config

PLUGINS = pathlib.Path("/usr/lib/cni")  # of Debian's containernetworking-plugins
LEASES = pathlib.Path("/run/drover-leases")


def missing():
    """Why there are no networks of plugins here; empty if there are."""
    if not harness.IS_ROOT:
        return "networks of plugins need root"
    for name in ("bridge", "firewall", "host-local", "portmap"):
        if not (PLUGINS / name).exists():
            return f"{PLUGINS / name} is missing: install containernetworking-plugins"
    for program in ("ip", "iptables"):
        if not shutil.which(program, path="/usr/sbin:/sbin:/usr/bin:/bin"):
            return f"the program {program} is missing"
    if subprocess.run(["iptables", "-w", "10", "-t", "nat", "-S"], capture_output=True).returncode != 0:
        return "iptables has no table nat here"
    probe = "drprobe"
    made = subprocess.run(["ip", "link", "add", probe, "type", "bridge"], capture_output=True)
    subprocess.run(["ip", "link", "delete", probe], capture_output=True)
    return "" if made.returncode == 0 else f"no bridge can be made: {made.stderr.decode().strip()}"


MISSING = missing()


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def remove_rules(program, table, rules, chains=()):
    """Removes RULES, as PROGRAM lists them, and CHAINS, all at once. Another test may remove the same ones of an ended
    test at this moment; then there is nothing left to do."""
    if rules:
        lines = [f"*{table}", *(f":{chain} - [0:0]" for chain in chains),
                 *("-D" + rule.removeprefix("-A") for rule in rules), *(f"-X {chain}" for chain in chains), "COMMIT"]
        subprocess.run([f"{program}-restore", "--noflush", "-w", "10"], input="\n".join(lines) + "\n", text=True,
                       capture_output=True, check=False)


def rules_of(program, table, *beginnings):
    rules = output(program, "-w", "10", "-t", table, "-S").splitlines()
    return [rule for rule in rules if rule.startswith(beginnings)]


class Bridge:
    """A bridge of one test, whose name and addresses no other test has: both follow from its number."""

    def __init__(self, number=None):
        if number is None:
            self.remove_ended()
            number = random.randrange(1 << 16)
        self.name = f"dr{number:04x}"
        self.subnet = f"10.{64 + number % 64}.{number >> 8}.0/24"
        self.subnet_ipv6 = f"fd00:{number:x}::/64"

    def config(self, sandbox, **client):
        """The configuration of an agent that has this bridge and exec."""
        plugins = {"raw_exec": {"file": str(harness.plugin_file("raw_exec")), "config": {"enabled": True}},
                   "exec": {"file": str(harness.plugin_file("exec"))}}
        return agent_config(sandbox, plugins=plugins, client=self.client(**client))

    def client(self, **more):
        return {"bridge_network_name": self.name, "bridge_network_subnet": self.subnet,
                "cni_path": str(PLUGINS), **more}

    def left(self, *words):
        """What is there of allocations: ports of the bridge, leases, and rules that have one of WORDS."""
        links = [line.split(": ")[1] for line in output("ip", "-o", "link", "show", "master", self.name).splitlines()]
        leases = LEASES / self.name
        found = links + ([str(path) for path in leases.iterdir() if path.name[0].isdigit() or ":" in path.name]
                         if leases.is_dir() else [])
        prefix = self.subnet.removesuffix("0/24")
        for program in ("iptables", "ip6tables"):
            for table in ("nat", "filter"):
                rules = output(program, "-w", "10", "-t", table, "-S").splitlines()
                found += [rule for rule in rules if any(word in rule for word in (prefix, *words))]
        return found

    @staticmethod
    def remove_ended():
        """Removes what killed tests have left. Each of their rules may take a port of the machine from a test."""
        rules = "\n".join(rules_of("iptables", "nat", "-A"))
        for number in set(re.findall(r'name: \\"dr([0-9a-f]{4})\\" id: ', rules)):
            if not pathlib.Path(f"/sys/class/net/dr{number}").exists():
                Bridge(int(number, 16)).remove()

    def remove(self):
        addresses = {"iptables": self.subnet.removesuffix("0/24"), "ip6tables": self.subnet_ipv6.removesuffix("/64")}
        for program, prefix in addresses.items():
            nat = [rule for rule in rules_of(program, "nat", "-A POSTROUTING ", "-A CNI-HOSTPORT-DNAT ")
                   if f'name: \\"{self.name}\\" id: ' in rule]
            # The last word is the chain of one allocation.
            remove_rules(program, "nat", nat, chains=dict.fromkeys(rule.split()[-1] for rule in nat))
            remove_rules(program, "filter", rules_of(
                program, "filter", f"-A CNI-FORWARD -s {prefix}", f"-A CNI-FORWARD -d {prefix}"))
        subprocess.run(["ip", "link", "delete", self.name], capture_output=True)
        shutil.rmtree(LEASES / self.name, ignore_errors=True)
