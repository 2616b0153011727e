# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The time that CNI plugins take without an agent: nobody who calls them can make networks sooner."""
import concurrent.futures
import json
import subprocess
import time

import cni

WIDTH = 4  # networks that the agent makes at the same time: kPluginThreads in host/node/node_networks.cc
FIRST_PORT = 20000


def for_all(function, items):
    """Calls FUNCTION for each of ITEMS, also after one has failed."""
    with concurrent.futures.ThreadPoolExecutor(WIDTH) as pool:
        calls = [pool.submit(function, item) for item in items]
    for call in calls:
        call.result()


class Network:
    """A namespace, attached by the plugins of NOTE, which is what the agent notes of the network of an allocation."""

    def __init__(self, note, number):
        self.list = json.loads(note["network"])
        self.name = f"{self.list['name']}-{number}"  # of the namespace and of the container
        ports = [{**port, "hostPort": FIRST_PORT + number} for port in note["runtime"]["portMappings"]]
        self.runtime = {**note["runtime"], "portMappings": ports}
        self.environment = {"CNI_CONTAINERID": self.name, "CNI_NETNS": f"/run/netns/{self.name}",
                            "CNI_IFNAME": note["interface"], "CNI_ARGS": note["args"], "CNI_PATH": note["path"],
                            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
        self.result = None  # of the last plugin

    def make_namespace(self):
        subprocess.run(["ip", "netns", "add", self.name], check=True)

    def call(self, command, plugin):
        config = {**plugin, "name": self.list["name"], "cniVersion": self.list["cniVersion"]}
        runtime = {key: value for key, value in self.runtime.items() if plugin.get("capabilities", {}).get(key)}
        if runtime:
            config["runtimeConfig"] = runtime
        if self.result:
            config["prevResult"] = self.result
        return subprocess.run([cni.PLUGINS / plugin["type"]], input=json.dumps(config), text=True, timeout=60,
                              env={**self.environment, "CNI_COMMAND": command}, capture_output=True, check=False)

    def attach(self):
        for plugin in self.list["plugins"]:
            done = self.call("ADD", plugin)
            if done.returncode != 0:
                raise AssertionError(f"{plugin['type']} of {self.name}: {done.stdout}{done.stderr}")
            self.result = json.loads(done.stdout)

    def remove(self):
        try:
            for plugin in reversed(self.list["plugins"]):
                self.call("DEL", plugin)  # what it leaves, the test finds
        finally:
            subprocess.run(["ip", "netns", "delete", self.name], check=True)


def seconds(note, count):
    """How long the plugins of NOTE take to attach COUNT namespaces, which are removed again. The processor time of
    this process is not counted."""
    networks = [Network(note, number) for number in range(count)]
    try:
        for_all(Network.make_namespace, networks)
        began, own = time.monotonic(), time.process_time()
        for_all(Network.attach, networks)
        return (time.monotonic() - began) - (time.process_time() - own)
    finally:
        for_all(Network.remove, networks)
