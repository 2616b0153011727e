# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""What a container costs beyond the time that its engine takes."""
import json
import statistics
import time
import unittest

import engines
import harness
from harness import SLACK, group, job
from test_agent_streams import Stream
from test_docker import FOREVER, DockerCase, container

ROUNDS = 10
TRIES = 3  # a pause of the machine may fall into the rounds
MOST = 0.030  # seconds that the submission of a job may add
# What the driver sends to its engine, without the labels by which it finds its containers.
OPTIONS = ("Image", "Cmd", "Env")
HOST_OPTIONS = ("Mounts", "CpuShares", "Memory", "MemorySwap", "CapDrop", "CapAdd", "LogConfig",
                "CgroupParent", "NetworkMode", "RestartPolicy")


@unittest.skipIf(engines.MISSING_DOCKERD, engines.MISSING_DOCKERD)
class DockerCostTest(DockerCase):
    KIND = engines.Dockerd

    def spec(self, id):
        return job(group(container("t", FOREVER)), id=id, type="service")

    def body_of(self, model):
        """What makes another container like MODEL, with the directories of its task."""
        host = {name: model["HostConfig"][name] for name in HOST_OPTIONS if model["HostConfig"].get(name)}
        return {**{name: model["Config"][name] for name in OPTIONS}, "HostConfig": host}

    def post(self, connection, path, body=None):
        connection.request("POST", path, body=body, headers={"Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read()
        self.assertIn(answer.status, (201, 204), text)
        return json.loads(text) if text else None

    def seconds_of_engine(self, body):
        """The seconds of a create and a start, on a connection that is there."""
        connection = engines.SocketConnection(self.engine.socket)
        try:
            connection.connect()
            begin = time.monotonic()
            made = self.post(connection, "/containers/create?name=own", body)
            self.post(connection, f"/containers/{made['Id']}/start")
            took = time.monotonic() - begin
        finally:
            connection.close()
            self.engine.ask("DELETE", "/containers/own?force=true&v=true")
        return took

    def seconds_of_job(self):
        """The seconds from the submission of a job to the event that its task runs."""
        self.count += 1
        id = f"cost-{self.count}"

        def state(event):
            states = event["Payload"].get("Allocation", {}).get("TaskStates") or {}
            return states.get("t", {}).get("State")
        stream = Stream(self.agent, "/v1/event/stream", [("topic", f"Allocation:{id}")])
        try:
            self.assertEqual(stream.line(), "{}\n")
            begin = time.monotonic()
            self.agent.submit(self.spec(id))
            last = stream.events_until(lambda event: state(event) in ("running", "dead"))[-1]
            took = time.monotonic() - begin
        finally:
            stream.close()
        self.assertEqual(state(last), "running", last)
        self.agent.must("DELETE", f"/v1/job/{id}", purge="true")
        self.agent.wait_allocs(id, 1, "complete", desired="stop")
        harness.wait_until(lambda: len(self.engine.tasks()) == 1, "the end of the container")
        return took

    def added(self, body):
        """The seconds that the submission adds, as medians of rounds that alternate."""
        engine, whole = [], []
        for _ in range(ROUNDS):
            engine.append(self.seconds_of_engine(body))
            whole.append(self.seconds_of_job())
        engine, whole = statistics.median(engine), statistics.median(whole)
        print(f"create and start by the engine: {1e3 * engine:.1f} ms, from submit to running: "
              f"{1e3 * whole:.1f} ms, so the agent adds {1e3 * (whole - engine):.1f} ms", flush=True)
        return whole - engine

    def test_a_job_runs_soon_after_its_submission(self):
        self.count = 0
        self.run_job(container("t", FOREVER), id="model", status="running", type="service")
        body = json.dumps(self.body_of(self.engine.tasks()[0]))
        self.seconds_of_engine(body)  # the first of each is slower
        self.seconds_of_job()
        for _ in range(TRIES):
            added = self.added(body)
            if added <= MOST * SLACK:
                break
        self.assertLessEqual(added, MOST * SLACK)


if __name__ == "__main__":
    harness.main()
