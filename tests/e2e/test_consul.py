# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Services in Consul, which outlives agents, goes away, hangs, and forgets everything. No task notices that."""
import time

import harness
from agent_harness import Agent, agent_config
from fake_consul import FakeConsul
from harness import SLACK, DroverTest, group, job, task

LONG = "exec sleep 1000"
BACK = 5.0  # the time in s after which all is right again when Consul is back


def with_services(id, script=LONG, count=1):
    """A job with a service of the group, which has a script as its check, and one of the task. Neither names a
    provider, and so they are for Consul."""
    check = {"Name": "alive", "Type": "script", "Command": "/bin/true", "TaskName": "t", "Interval": "1s",
             "Timeout": "30s"}
    return job(group(task("t", script, Services=[{"Name": f"{id}-own", "PortLabel": "http"}]),
                     Count=count, ShutdownDelay=0, ReschedulePolicy={"Attempts": 0, "Unlimited": False},
                     Services=[{"Name": f"{id}-all", "PortLabel": "http", "Tags": ["blue"], "Checks": [check]}],
                     Networks=[{"DynamicPorts": [{"Label": "http"}]}]),
               id=id, type="service")


class ConsulCase(DroverTest):
    def setUp(self):
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()
        self.consul = FakeConsul(self)
        self.agent = self.start()

    def tearDown(self):
        if not self._outcome_failed() and self.agent.run.process.poll() is None:
            self.agent.stop()
        super().tearDown()

    def start(self):
        return Agent(self.sandbox, dev=False, config=agent_config(
            self.sandbox, consul={"address": self.consul.address, "timeout": "1s"}))

    def kill(self):
        self.agent.run.process.kill()
        self.agent.run.process.wait()

    def run_services(self, id, count=1, **how):
        self.agent.submit(with_services(id, count=count, **how))
        return self.agent.wait_allocs(id, count, "running")

    def stop_job(self, id, count=1):
        self.agent.must("DELETE", f"/v1/job/{id}")
        self.agent.wait_allocs(id, count, "complete", "stop")

    def assert_names(self, *jobs):
        """Waits until Consul has the services of these jobs, each once for each time that a job is named, and
        nothing else."""
        wanted = sorted(f"{id}-{kind}" for id in jobs for kind in ("all", "own"))
        harness.wait_until(lambda: self.consul.names() == wanted, f"{wanted} in Consul")

    def statuses(self):
        _, checks = self.consul.state()
        return [check["Status"] for check in checks.values()]


class ConsulTest(ConsulCase):
    def test_services_and_their_checks_come_and_go(self):
        allocs = self.run_services("web", count=2)
        self.assert_names("web", "web")
        node = self.agent.get("/v1/nodes")[0]["ID"]
        services, _ = self.consul.state()
        for alloc in allocs:
            ports = self.agent.get(f"/v1/allocation/{alloc['ID']}")["AllocatedResources"]["Shared"]["Ports"]
            place = next((port["HostIP"], port["Value"]) for port in ports if port["Label"] == "http")
            for owner, part, name, tags in (("", "group-g", "all", ["blue"]), ("t", "t", "own", [])):
                found = services[f"_nomad-task-{alloc['ID']}-{part}-web-{name}-http"]
                self.assertEqual((found["Address"], found["Port"]), place)
                self.assertEqual(found["Tags"] or [], tags)
                self.assertEqual((found["Meta"]["drover-node"], found["Meta"]["drover-owner"]), (node, owner))
        harness.wait_until(lambda: self.statuses() == ["passing"] * 2, "the results of the scripts")
        self.assertEqual(self.agent.get("/v1/services"), [], "Consul has them")
        self.stop_job("web", 2)
        self.assert_names()
        self.assertEqual(self.statuses(), [])
        self.agent.forget_all(self.leftovers)

    def test_services_of_others_are_left_alone(self):
        other = "_nomad-task-0a1b2c3d-0000-4000-8000-000000000001-group-g-theirs-http"
        foreign = {"ID": other, "Service": "theirs", "Tags": [], "Meta": {"drover-node": "other", "drover-owner": ""},
                   "Address": "192.0.2.1", "Port": 80, "Weights": {"Passing": 1, "Warning": 1}}
        with self.consul.lock:
            self.consul.services[other] = foreign
        self.run_services("web")
        harness.wait_until(lambda: len(self.consul.names()) == 3, "the services")
        self.kill()
        self.agent = self.start()
        self.stop_job("web")
        harness.wait_until(lambda: self.consul.names() == ["theirs"], "only the others'")
        self.agent.forget_all(self.leftovers)
        self.assertEqual(self.consul.state()[0], {other: foreign})


class ConsulTroubleTest(ConsulCase):
    def tasks(self, id):
        return {alloc["ID"]: {name: (state["State"], state["Restarts"], len(state["Events"]))
                              for name, state in alloc["TaskStates"].items()}
                for alloc in self.agent.allocs(id)}

    def assert_right(self, trouble, *jobs):
        begin = time.monotonic()
        self.assert_names(*jobs)
        took = time.monotonic() - begin
        print(f"{trouble}: right again after {took:.2f} s", flush=True)
        self.assertLess(took, BACK * SLACK)

    def test_whatever_happens_to_it_is_right_again_and_no_task_notices(self):
        consul = self.consul
        self.run_services("steady", count=2)
        self.run_services("job0")
        self.assert_names("steady", "steady", "job0")
        before = self.tasks("steady")

        def restarts():
            consul.go_away()
            consul.come_back()

        def restarts_empty():
            consul.go_away()
            consul.wipe()
            consul.come_back()
        troubles = (("away", consul.go_away, consul.come_back), ("hanging", consul.hang, consul.go_on),
                    ("restarted", restarts, lambda: None), ("restarted without its state", restarts_empty, lambda: None),
                    ("wiped", consul.wipe, lambda: None))
        for number, (trouble, begin, end) in enumerate(troubles):
            with self.subTest(trouble):
                begin()
                # A service comes meanwhile and another one goes, and neither task waits for Consul.
                self.run_services(f"job{number + 1}")
                self.stop_job(f"job{number}")
                end()
                self.assert_right(trouble, "steady", "steady", f"job{number + 1}")
                harness.wait_until(lambda: self.statuses() == ["passing"] * 3, "the results of the scripts")
                self.assertEqual(self.tasks("steady"), before)
        # Nothing that was carried out late is left.
        self.assert_names("steady", "steady", f"job{len(troubles)}")
        self.agent.forget_all(self.leftovers)
        self.assert_names()


class ConsulRestartTest(ConsulCase):
    """The agent dies, and the next one finds in Consul what is there."""

    def test_nothing_is_registered_once_more(self):
        self.run_services("web", count=2)
        self.assert_names("web", "web")
        harness.wait_until(lambda: self.statuses() == ["passing"] * 2, "the results of the scripts")
        services, _ = self.consul.state()
        for _ in range(3):
            self.kill()
            registered, updates = self.consul.count("register"), self.consul.count("update")
            self.agent = self.start()
            # Its results come after its services.
            harness.wait_until(lambda: self.consul.count("update") > updates + 2, "results of the next agent")
            self.assertEqual(self.consul.count("register"), registered)
            self.assertEqual(self.consul.state()[0], services)
        self.assertEqual(self.consul.count("deregister"), 0)
        self.agent.forget_all(self.leftovers)
        self.assert_names()

    def test_what_has_changed_without_an_agent(self):
        flag = self.sandbox.root / "end"
        self.run_services("ends", script=f"while [ ! -e {flag} ]; do sleep 0.05; done; exit 3")
        self.run_services("web")
        self.assert_names("ends", "web")
        self.kill()
        flag.touch()
        self.consul.wipe()
        self.agent = self.start()
        self.agent.wait_allocs("ends", 1, "failed")
        self.assert_names("web")
        self.agent.forget_all(self.leftovers)

    def test_an_agent_starts_without_consul(self):
        flag = self.sandbox.root / "end"
        self.run_services("ends", script=f"while [ ! -e {flag} ]; do sleep 0.05; done; exit 3")
        self.run_services("web")
        self.assert_names("ends", "web")
        self.kill()
        flag.touch()
        self.consul.go_away()
        self.agent = self.start()
        self.agent.wait_allocs("ends", 1, "failed")
        self.run_services("late")
        # What this agent could not tell is not lost with it.
        self.kill()
        self.agent = self.start()
        self.agent.wait_allocs("late", 1, "running")
        self.consul.come_back()
        self.assert_names("late", "web")
        self.agent.forget_all(self.leftovers)
        self.assert_names()


if __name__ == "__main__":
    harness.main()
