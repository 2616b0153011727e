# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Kills the agent again and again, at any moment, among tasks with services, while jobs come and go. Consul, which has
half of the services, goes away, hangs and forgets meanwhile. Whenever an agent lives long enough, each service is
registered once, here or in Consul, and no other is. Those of jobs that stay were never registered anew.

The seed alone decides the actions, so --seed N repeats them. The machine decides the moments of the kills.
Arguments: --seed, --kills.
"""
import argparse
import collections
import http.client
import itertools
import json
import pathlib
import random
import signal
import sys
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
import harness  # noqa: E402
from agent_harness import Agent, agent_config  # noqa: E402
from fake_consul import FakeConsul  # noqa: E402
from harness import DroverTest, Run, group, job, task  # noqa: E402

PROVIDERS = ("nomad", "consul")  # here, and in Consul
STEADY = 20  # tasks of each provider that stay
SLOTS = 8  # jobs that come and go
TURNS = 3  # of them at each kill
LOOK_EVERY = 5  # kills after which an agent lives until all is right
OPTIONS = argparse.Namespace(seed=1, kills=15)


def options(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--seed", type=int, default=OPTIONS.seed)
    parser.add_argument("--kills", type=int, default=OPTIONS.kills)
    return parser.parse_known_args(arguments, OPTIONS)[1]


class ServiceKillsTest(DroverTest):
    def setUp(self):
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()
        self.consul = FakeConsul(self)
        self.config = agent_config(self.sandbox, consul={"address": self.consul.address, "timeout": "1s"})
        self.chance = random.Random(OPTIONS.seed)
        self.slots = [None] * SLOTS
        self.names = itertools.count()
        self.wanted = {provider: collections.Counter() for provider in PROVIDERS}  # the services, by name
        self.pending = []  # requests for which no agent has lived long enough

    # Requests --------------------------------------------------------------------------------

    def begin_job(self, name, provider, count):
        """Each task is found by one service of its group and one of its own."""
        def one(service):
            return {"Name": service, "PortLabel": "http", "Provider": provider}
        self.wanted[provider].update({f"{name}-all": count, f"{name}-own": count})
        spec = job(group(task("t", "exec sleep 1000", Resources={"CPU": 1, "MemoryMB": 10},
                              Services=[one(f"{name}-own")]),
                         Count=count, ShutdownDelay=0, Services=[one(f"{name}-all")],
                         Networks=[{"DynamicPorts": [{"Label": "http"}]}]), id=name, type="service")
        self.pending.append(("PUT", "/v1/jobs", spec))

    def end_job(self, name, provider):
        for kind in ("all", "own"):
            del self.wanted[provider][f"{name}-{kind}"]
        self.pending.append(("DELETE", f"/v1/job/{name}", None))

    def turn(self):
        """Decides which jobs come and go."""
        for slot in self.chance.sample(range(SLOTS), TURNS):
            if self.slots[slot] is None:
                provider = self.chance.choice(PROVIDERS)
                self.slots[slot] = f"job{next(self.names)}", provider
                self.begin_job(*self.slots[slot], self.chance.randint(1, 3))
            else:
                self.end_job(*self.slots[slot])
                self.slots[slot] = None

    def work(self, agent):
        """Sends what is pending, as long as the agent lives. The next agent is asked again."""
        while self.pending:
            method, path, body = self.pending[0]
            try:
                reply = agent.ask(method, path, body)
            except (OSError, http.client.HTTPException):
                return
            self.assertIn(reply.status, (200, 404), f"{method} {path}: {reply.body}")
            self.pending.pop(0)

    # Agents ----------------------------------------------------------------------------------

    def start(self):
        self.process = Run(self.sandbox, ["agent", "--config", self.config, "--port", "0"], json_lines=False)
        self.sandbox.runs[:] = [self.process]

    def serving(self):
        """The new agent as soon as it serves; None if it was killed before."""
        def ready(run):
            return next((line for line in run.lines if "serving http" in line), None)
        try:
            line = self.process.wait_for(ready, "the API")
        except AssertionError:
            self.check_killed()
            return None
        agent = Agent.__new__(Agent)
        agent.run, agent.address = self.process, line.split("//")[1].strip()
        return agent

    def kill(self):
        self.process.process.kill()
        self.check_killed()

    def check_killed(self):
        self.assertEqual(self.process.wait(), -signal.SIGKILL, self.process.story())

    def live_and_die(self, seconds):
        """Has an agent work that is killed SECONDS after its exec."""
        self.start()
        killer = threading.Timer(seconds, self.process.process.kill)
        killer.start()
        try:
            if agent := self.serving():
                self.work(agent)
        finally:
            killer.join()
        self.check_killed()

    def live(self):
        """An agent that lives, when it has done what is pending."""
        self.start()
        agent = self.serving()
        self.assertIsNotNone(agent)
        self.work(agent)
        return agent

    # Consul ----------------------------------------------------------------------------------

    def trouble(self):
        """What may happen to Consul while an agent lives."""
        def restart():
            self.consul.go_away()
            self.consul.come_back()
        actions = (lambda: None, self.consul.go_away, self.consul.hang, self.consul.wipe, restart)
        self.chance.choices(actions, (6, 1, 1, 1, 1))[0]()

    def heal(self):
        self.consul.go_on()
        if self.consul.server is None:
            self.consul.come_back()

    # Checks ----------------------------------------------------------------------------------

    def here(self, agent):
        """What this agent has registered itself, by name."""
        names = [service["ServiceName"] for of in agent.get("/v1/services", namespace="*") for service in of["Services"]]
        return {name: len(agent.get(f"/v1/service/{name}")) for name in names}

    def check(self, agent):
        """Waits until all is right, and looks at what must not have changed."""
        def is_right():
            return (self.here(agent) == dict(self.wanted["nomad"]) and
                    collections.Counter(self.consul.names()) == self.wanted["consul"])
        try:
            harness.wait_until(is_right, "all services are registered")
        except AssertionError as error:
            raise AssertionError(f"{error}: here {self.here(agent)}, in Consul {self.consul.names()}, wanted "
                                 f"{self.wanted}\n{agent.run.story()}") from None
        return {"registrations": sorted(json.dumps(one, sort_keys=True) for kind in ("all", "own")
                                        for one in agent.get(f"/v1/service/steady-nomad-{kind}")),
                "ids in Consul": sorted(id for id in self.consul.state()[0] if "-steady-consul-" in id),
                "tasks": sorted((a["ID"], a["TaskStates"]["t"]["State"], a["TaskStates"]["t"]["Restarts"])
                                for provider in PROVIDERS for a in agent.allocs(f"steady-{provider}"))}

    def test_no_registration_is_lost_or_doubled(self):
        print(f"seed {OPTIONS.seed}", flush=True)
        began = time.monotonic()
        for provider in PROVIDERS:
            self.begin_job(f"steady-{provider}", provider, STEADY)
        agent = self.live()
        for provider in PROVIDERS:
            agent.wait_allocs(f"steady-{provider}", STEADY, "running")
        first = self.check(agent)
        self.kill()
        for number in range(1, OPTIONS.kills):
            self.turn()
            self.trouble()
            # Some agents die before they serve, most while they take over or work, a few when all is calm.
            ranges = [(0.0, 0.2), (0.1, 0.5), (0.3, 1.0)]
            self.live_and_die(self.chance.uniform(*self.chance.choices(ranges, (3, 4, 3))[0]))
            self.heal()
            if number % LOOK_EVERY == 0:
                self.assertEqual(self.check(self.live()), first)
                self.kill()
        agent = self.live()
        self.assertEqual(self.check(agent), first)
        agent.forget_all(self.leftovers)
        for provider in PROVIDERS:
            self.wanted[provider].clear()
        harness.wait_until(lambda: not self.here(agent) and not self.consul.names(), "no service is left")
        agent.stop()
        print(f"{OPTIONS.kills} kills in {time.monotonic() - began:.0f} s, {next(self.names)} jobs came and went",
              flush=True)


if __name__ == "__main__":
    sys.argv[1:] = options(sys.argv[1:])
    unittest.main(verbosity=2)
