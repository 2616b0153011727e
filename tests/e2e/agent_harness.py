# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""`drover agent` for the end-to-end tests: the real binary on a real port."""
import collections
import http.client
import json
import re
import urllib.parse

import harness
from harness import DroverTest, Run

Reply = collections.namedtuple("Reply", "status headers body")


class Agent:
    """A running agent of a sandbox, on a port of its own. DEV: its tasks end with it. CONFIG: the
    file, or False for an agent without one."""

    def __init__(self, sandbox, *options, config=None, env=None, command=None, dev=True):
        file = [] if config is False else ["--config", config or agent_config(sandbox)]
        self.run = Run(sandbox, ["agent", *file, "--port", "0", *(["--dev"] if dev else []),
                                 *options], json_lines=False, env=env, command=command)
        sandbox.runs.append(self.run)
        line = self.run.wait_for(
            lambda run: next((l for l in run.lines if "serving http" in l), None), "the API")
        self.address = re.search(r"//(\S+)", line).group(1)
        self.get_until("/v1/agent/health", lambda reply: reply.status == 200)

    @property
    def url(self):
        return "http://" + self.address

    def ask(self, method, path, /, body=None, headers=None, limit=harness.LIMIT, **query):
        """Sends one request on a connection of its own. BODY: an object, a text, bytes or None."""
        if query:
            path += "?" + urllib.parse.urlencode(query)
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        connection = http.client.HTTPConnection(self.address, timeout=limit)
        try:
            connection.request(method, path, body=body, headers=headers or {})
            answer = connection.getresponse()
            return Reply(answer.status, answer.headers, answer.read())
        finally:
            connection.close()

    def must(self, method, path, body=None, **query):
        """Sends a request that must succeed, and returns its JSON; None for an empty body."""
        reply = self.ask(method, path, body, **query)
        if reply.status != 200:
            raise AssertionError(f"{method} {path}: {reply.status} {reply.body.decode()}\n"
                                 f"{self.run.story()}")
        return json.loads(reply.body) if reply.body else None

    def get(self, path, **query):
        return self.must("GET", path, **query)

    def get_until(self, path, condition, **query):
        """Repeats the request until CONDITION(reply) holds."""
        return harness.wait_until(
            lambda: (lambda reply: reply if condition(reply) else None)(
                self.ask("GET", path, **query)), path)

    def submit(self, job):
        """Registers a job, and returns the answer."""
        return self.must("PUT", "/v1/jobs", job)

    def allocs(self, job_id, **query):
        return self.get(f"/v1/job/{job_id}/allocations", **query)

    def wait_allocs(self, job_id, count, status, desired="run"):
        """Waits until COUNT allocations of a job with the desired status DESIRED have STATUS."""
        def those():
            found = [a for a in self.allocs(job_id)
                     if (a["ClientStatus"], a["DesiredStatus"]) == (status, desired)]
            return found if len(found) == count else None
        return harness.wait_until(those, f"{count} {status} allocations of {job_id}")

    def wait_tasks(self, alloc_id, condition, what):
        """Waits until CONDITION(task states) of an allocation holds, and returns them."""
        def states():
            tasks = self.get(f"/v1/allocation/{alloc_id}")["TaskStates"]
            return tasks if condition(tasks) else None
        return harness.wait_until(states, what)

    def wait_restarts(self, alloc_id, **restarts):
        """Waits until the named tasks were restarted the given number of times, and run again."""
        self.wait_tasks(
            alloc_id, lambda tasks: all((tasks[name]["Restarts"], tasks[name]["State"]) ==
                                        (count, "running") for name, count in restarts.items()),
            f"restarts of {alloc_id}: {restarts}")

    def forget_all(self, leftovers):
        """Ends all jobs, and returns when nothing is left of them. Without --dev, the end of the agent does not."""
        for one in self.get("/v1/jobs", namespace="*"):
            self.must("DELETE", f"/v1/job/{one['ID']}", namespace=one["Namespace"], purge="true")

        def named():
            try:
                return any(line.startswith(("run ", "alloc "))
                           for file in leftovers.sandbox.run_dir.glob("*.ledger")
                           for line in file.read_text().splitlines())
            except FileNotFoundError:  # an agent has just removed the ledger of an earlier one
                return True

        def forgotten():
            self.must("PUT", "/v1/system/gc")
            return not leftovers.allocations() and not named()
        harness.wait_until(forgotten, "all jobs to be forgotten")

    def stop(self, code=0):
        """Ends the agent in order."""
        self.run.interrupt()
        got = self.run.wait()
        if got != code:
            raise AssertionError(f"the agent has ended with {got}\n{self.run.story()}")


def agent_config(sandbox, file_name="agent.json", **fields):
    return sandbox.write_config(file_name, **{"data_dir": str(sandbox.root / "data"), **fields})


class AgentTest(DroverTest):
    """A test with an agent, which ends in order and leaves nothing behind."""

    def setUp(self):
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()
        self.agent = self.start_agent()

    def start_agent(self):
        """Returns the agent of the test. A class whose agent needs options has a function of its own."""
        return Agent(self.sandbox)

    def tearDown(self):
        if not self._outcome_failed() and self.agent.run.process.poll() is None:
            self.agent.stop()
        super().tearDown()
