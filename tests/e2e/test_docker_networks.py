# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The driver docker in the network of an allocation, which CNI plugins have made: for each engine."""
import contextlib
import os
import pathlib
import unittest

import cni
import engines
import harness
from harness import group, job
from test_docker import FOREVER, DockerCase, container
from test_networks import NetworkCase

INSIDE = {"one": 8080, "two": 8081}  # where the tasks listen in their network


def member(name, other):
    """A task that has a page, and prints that of the OTHER one as soon as it is there."""
    return container(name, f"echo page of {name} >/local/index.html; httpd -f -p {INSIDE[name]} -h /local & "
                     f"until wget -q -O - http://127.0.0.1:{INSIDE[other]}/; do sleep 0.1; done; {FOREVER}")


class NetworkTests:
    """Two containers share the network of their allocation; for each engine."""

    PAUSES = 0  # containers that hold the network

    notes = NetworkCase.notes
    files = NetworkCase.files
    assert_nothing_left = NetworkCase.assert_nothing_left

    def setUp(self):
        self.bridge = cni.Bridge()
        self.addCleanup(self.bridge.remove)
        self.CLIENT = self.bridge.client()
        super().setUp()

    def networks(self, kind="task"):
        """The network namespaces of the containers of a kind."""
        found = []
        for one in self.engine.containers(drover_kind=kind):
            with contextlib.suppress(OSError):  # it has ended meanwhile
                found.append(os.readlink(f"/proc/{one['State']['Pid']}/ns/net"))
        return found

    def begin(self):
        """Returns the allocation whose tasks have reached each other, and its network namespace."""
        self.wait_health(True)
        network = {"Mode": "bridge", "DynamicPorts": [{"Label": "http", "To": INSIDE["one"]}]}
        self.agent.submit(job(group(member("one", "two"), member("two", "one"), Networks=[network]),
                              id="net", type="service"))
        alloc, = self.agent.wait_allocs("net", 1, "running")
        self.agent.wait_tasks(
            alloc["ID"], lambda tasks: all(tasks.get(name, {}).get("State") == "running" for name in INSIDE),
            "both tasks to run")
        for name, other in (("one", "two"), ("two", "one")):
            harness.wait_until(lambda n=name, o=other: self.logs(alloc, n) == f"page of {o}\n",
                               f"the page of {other} in the network of {name}")
        names = self.networks()
        self.assertEqual((len(names), len(set(names))), (2, 1), names)
        self.assertNotEqual(names[0], os.readlink("/proc/self/ns/net"))
        self.assertEqual(self.networks("pause"), names[:1] * self.PAUSES)
        return self.agent.get(f"/v1/allocation/{alloc['ID']}"), names[0]

    def hold(self, network):
        """Keeps NETWORK from going, so that no other one gets its number."""
        pid = next(one["State"]["Pid"] for one in self.engine.tasks())
        held = os.open(f"/proc/{pid}/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        self.addCleanup(os.close, held)
        self.assertEqual(os.readlink(f"/proc/self/fd/{held}"), network)

    def users(self, network):
        """The processes in a network namespace, and its mounts."""
        found = []
        for link in pathlib.Path("/proc").glob("[0-9]*/ns/net"):
            with contextlib.suppress(OSError):  # the process has ended
                found += [str(link)] if os.readlink(link) == network else []
        mounts = pathlib.Path("/proc/self/mountinfo").read_text().splitlines()
        return found + [line for line in mounts if network in line.split()]

    def end(self, alloc, network):
        """Stops the job, and checks that nothing is left of its network."""
        self.hold(network)
        self.agent.must("DELETE", "/v1/job/net")
        self.agent.wait_allocs("net", 1, "complete", desired="stop")
        self.assert_no_containers()
        self.assert_nothing_left(alloc["ID"])  # ports of the bridge, addresses, rules, files
        harness.wait_until(lambda: not self.users(network), "the end of the namespace")

    def test_tasks_share_a_network_that_ends_with_them(self):
        alloc, network = self.begin()
        self.assertEqual(self.page(alloc), "page of one\n")
        self.end(alloc, network)

    def test_the_network_stays_when_agent_and_task_begin_again(self):
        alloc, network = self.begin()
        pauses = [one["Id"] for one in self.engine.containers(drover_kind="pause")]
        self.agent.run.process.kill()
        self.agent.run.process.wait()
        self.agent = self.start_agent()
        self.wait_health(True)
        self.agent.wait_allocs("net", 1, "running")
        path = f"/v1/client/allocation/{alloc['ID']}/restart"
        harness.wait_until(lambda: self.agent.ask("PUT", path, {"TaskName": "two"}).status == 200, path)
        self.agent.wait_restarts(alloc["ID"], two=1)
        harness.wait_until(lambda: self.logs(alloc, "two") == "page of one\n" * 2, "the page of one again")
        self.assertEqual(self.networks(), [network] * 2)
        self.assertEqual([one["Id"] for one in self.engine.containers(drover_kind="pause")], pauses)
        self.assertEqual(self.page(alloc), "page of one\n")
        self.end(alloc, network)


@unittest.skipIf(cni.MISSING or engines.MISSING_DOCKERD, cni.MISSING or engines.MISSING_DOCKERD)
class DockerdNetworkTest(NetworkTests, DockerCase):
    KIND = engines.Dockerd
    PAUSES = 1


@unittest.skipIf(cni.MISSING or engines.MISSING_PODMAN, cni.MISSING or engines.MISSING_PODMAN)
class PodmanNetworkTest(NetworkTests, DockerCase):
    KIND = engines.Podman


if __name__ == "__main__":
    harness.main()
