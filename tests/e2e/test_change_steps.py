# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The agent dies before and after each write of a change, or the write fails: a rollout that goes back, a reschedule,
launches, dispatches, restarts of jobs. In each case the change comes to its end, once. What becomes of tasks and
directories at such a moment, test_steps shows."""
import base64
import http.client
import json
import unittest

import harness
from harness import group, job, task
from test_steps import FAIL_ONCE, POLICY, STAY, StepCase, Steps

NO_RESTART = {"Attempts": 0, "Interval": 60_000_000_000, "Delay": 0, "Mode": "fail"}
NO_ROLLOUT = {"MaxParallel": 0}
SECOND = 1_000_000_000


class ChangeStepCase(StepCase):
    """A life of which only the writes count."""

    BY_CHANCE = 6
    STATUS, RESTARTS = [], []
    # How many there are depends on how the writes fall together.
    WRITES = {"commit": (4, 400), "sync": (1, 400)}

    def points(self):
        """(step, number) of the writes of a life without faults, evenly over it."""
        allocs, lines = self.live("plain")
        self.assert_lived(allocs, lines)
        seen = self.traced()
        points = []
        for name, (least, most) in self.WRITES.items():
            self.assertIn(seen[name], range(least, most + 1), name)
            count = seen[name] if harness.LONG else min(seen[name], self.BY_CHANCE)
            points += [(name, 1 + index * seen[name] // count) for index in range(count)]
        return points

    def assert_lived(self, allocs, lines):
        self.assertEqual(lines, self.LINES, self.fault_text())
        self.assertEqual(sorted(a["ClientStatus"] for a in allocs), self.STATUS)

    def check_kill(self, point, way):
        name, number = point
        with self.subTest(f"{name} {number} {way}"):
            self.assert_lived(*self.live_or_clear(f"{name}-{number}-{way}", f"{name} {number} {way}"))
            self.revive()

    def check_error(self, point, way):
        name, number = point
        with self.subTest(f"{name} {number} {way}"):
            self.assert_lived(*self.live_or_clear(f"{name}-{number}-{way}", f"{name} {number} {way}"))
            self.assertFalse(self.died, self.agent.run.story())

    def live_or_clear(self, name, fault):
        """A life that fails leaves no jobs for which the next ones wait."""
        try:
            return self.live(name, fault)
        except AssertionError:
            self.arm(None)
            for one in self.read("/v1/jobs"):
                self.insist("DELETE", f"/v1/job/{one['ID']}", purge="true")
            raise

    def put(self, name, script, type="service", **fields):
        """Registers a version of the job NAME with one task. A start that could not be stored is tried again, unless
        the version has another RestartPolicy. A version that was stored although the answer was an error is not
        registered once more: the job may have gone back meanwhile."""
        of_job = {key: fields.pop(key) for key in ("Periodic", "ParameterizedJob") if key in fields}
        of_task = {key: fields.pop(key) for key in ("DispatchPayload",) if key in fields}
        env = {"OUT": str(self.out), **fields.pop("Env", {})}
        spec = job(group(task("t", script, Env=env, **of_task), **{"RestartPolicy": POLICY, **fields}),
                   id=name, type=type, **of_job)
        reply = self.insist("GET", f"/v1/job/{name}")
        index = json.loads(reply.body)["JobModifyIndex"] if reply.status == 200 else 0
        self.insist("PUT", "/v1/jobs", {**spec, "EnforceIndex": True, "JobModifyIndex": index},
                    done=b"Enforcing job modify index")

    def begin(self, name):
        self.out = self.sandbox.root / f"{name}.out"
        self.out.touch()

    def children(self, name):
        return sorted(one["ID"] for one in self.read("/v1/jobs", prefix=f"{name}/"))

    def wait(self, condition, what):
        return harness.wait_until(condition, f"{what}, {self.fault_text()}", limit=2 * harness.LIMIT)


@unittest.skipUnless(harness.IS_ROOT, "cgroups need root")
class RolloutStepTest(Steps, ChangeStepCase):
    """A version takes over. The next one fails, and the job goes back: counted from the first of these on."""

    LINES = ["successful 1", "failed 2", "successful 3"]
    STATUS = ["complete", "complete", "complete", "failed"]
    # A task that fails at once must not have been healthy, however slow its machine is.
    QUICK = {"MaxParallel": 1, "HealthCheck": "task_states", "MinHealthyTime": "300ms",
             "HealthyDeadline": "30s", "ProgressDeadline": 0, "AutoRevert": True}

    def version(self, name, number, script=STAY, **fields):
        self.put(name, script, Env={"VERSION": str(number)}, Update=self.QUICK, **fields)

    def ended(self, name, version):
        """Waits until the deployment of a version has ended. Returns its line."""
        def found():
            for one in self.read(f"/v1/job/{name}/deployments"):
                if one["JobVersion"] == version and one["Status"] not in ("running", "pending"):
                    return f"{one['Status']} {version}"
            return None
        return self.wait(found, f"the end of the deployment of version {version}")

    def live(self, name, fault=None):
        self.begin(name)
        self.arm(None)
        self.version(name, 0)
        self.ended(name, 0)
        self.arm(fault)
        self.version(name, 1)
        lines = [self.ended(name, 1)]
        self.version(name, 2, "exit 1", RestartPolicy=NO_RESTART)
        lines += [self.ended(name, 2), self.ended(name, 3)]
        newest = self.read(f"/v1/job/{name}")
        self.assertEqual((newest["Version"], newest["Stable"]), (3, True))
        self.assertEqual(newest["TaskGroups"][0]["Tasks"][0]["Env"]["VERSION"], "1")
        allocs = self.end(name)
        self.forget(name)
        return allocs, lines


@unittest.skipUnless(harness.IS_ROOT, "cgroups need root")
class RescheduleStepTest(Steps, ChangeStepCase):
    """An allocation fails, waits, and is replaced by one that stays until it is stopped."""

    BY_CHANCE = 4
    LINES = ["start", "start", "ready", "stop"]
    STATUS = ["complete", "failed"]
    SOON = {"Delay": "5s", "DelayFunction": "constant", "Unlimited": True, "Attempts": 0}

    def assert_lived(self, allocs, lines):
        """One whose start could not be stored has failed, too. It says why, and is replaced like the other."""
        reported = [a for a in allocs if a["ClientStatus"] == "failed" and "step " in str(a["TaskStates"])]
        self.assertLessEqual(len(reported), 1)
        super().assert_lived([a for a in allocs if a not in reported] if len(allocs) > 2 else allocs, lines)

    def live(self, name, fault=None):
        self.begin(name)
        self.arm(fault)
        self.put(name, FAIL_ONCE, Update=NO_ROLLOUT, RestartPolicy=NO_RESTART, ReschedulePolicy=self.SOON)

        def ready():
            self.revive()
            return "ready" in self.out.read_text() and [
                a for a in self.allocs(name) if a["ClientStatus"] == "running"]
        after, = self.wait(ready, "the replacement")
        alloc = self.read(f"/v1/allocation/{after['ID']}")
        event = alloc["RescheduleTracker"]["Events"][-1]
        self.assertEqual((event["PrevAllocID"], event["Delay"]), (alloc["PreviousAllocation"], 5 * SECOND))
        before = self.read(f"/v1/allocation/{event['PrevAllocID']}")
        self.assertEqual(before["NextAllocation"], alloc["ID"])
        # It has waited, whatever happened meanwhile.
        self.assertGreaterEqual(alloc["CreateTime"], before["CreateTime"] + 5 * SECOND)
        open_evals = [e for e in self.read(f"/v1/job/{name}/evaluations")
                      if e["Status"] in ("pending", "blocked")]
        self.assertEqual(open_evals, [])
        allocs = self.end(name)
        self.forget(name)
        return allocs, self.out.read_text().split()


@unittest.skipUnless(harness.IS_ROOT, "cgroups need root")
class PeriodicStepTest(Steps, ChangeStepCase):
    """A job starts children each second until it is stopped. Each of them runs once."""

    LINES = ["once"]

    def live(self, name, fault=None):
        self.begin(name)
        self.arm(fault)
        self.put(name, 'echo "$NOMAD_JOB_ID" >> "$OUT"', type="batch",
                 Periodic={"Specs": ["* * * * * * *"]})
        self.wait(lambda: len(self.children(name)) >= 3, "three children")
        self.insist("DELETE", f"/v1/job/{name}")
        self.assertTrue(self.read(f"/v1/job/{name}")["Stop"])
        children = self.children(name)

        def over():
            return all([a["ClientStatus"] for a in self.allocs(child)] == ["complete"]
                       for child in children)
        self.wait(over, "the end of all children")
        self.assertEqual(self.children(name), children, "a stopped job starts no more")
        self.assertEqual(sorted(self.out.read_text().split()), children)
        for child in children:
            self.insist("DELETE", f"/v1/job/{child}", purge="true")
        self.forget(name)
        return [], ["once"]


@unittest.skipUnless(harness.IS_ROOT, "cgroups need root")
class DispatchStepTest(Steps, ChangeStepCase):
    """A client dispatches a job, and repeats the request with its token until it is answered. There is one child, which
    has the payload."""

    BY_CHANCE = 12
    LINES = ["hello"]
    STATUS = ["complete"]

    def live(self, name, fault=None):
        self.begin(name)
        self.arm(None)
        self.put(name, 'cat "local/input" >> "$OUT"', type="batch", ParameterizedJob={"Payload": "required"},
                 DispatchPayload={"File": "input"})
        self.arm(fault)
        body = {"Payload": base64.b64encode(b"hello\n").decode()}
        reply = self.insist("PUT", f"/v1/job/{name}/dispatch", body, known=(200,), idempotency_token=name)
        child = json.loads(reply.body)["DispatchedJobID"]

        def over():
            allocs = self.allocs(child)
            return allocs if [a["ClientStatus"] for a in allocs] == ["complete"] else None
        allocs = self.wait(over, "the end of the child")
        self.assertEqual(self.children(name), [child])
        self.insist("DELETE", f"/v1/job/{child}", purge="true")
        self.forget(name)
        return allocs, self.out.read_text().split()


@unittest.skipUnless(harness.IS_ROOT, "cgroups need root")
class JobRestartStepTest(Steps, ChangeStepCase):
    """The agent restarts the allocations of a job, one after the other: counted from the request on. One whose restart
    was not stored may be restarted twice."""

    LINES = ["complete"]
    STATUS = ["complete", "complete"]

    def restarts(self, name):
        return self.read(f"/v1/job/{name}/restart")

    def live(self, name, fault=None):
        self.begin(name)
        self.arm(None)
        self.put(name, STAY, Count=2, Update=NO_ROLLOUT)
        self.wait(lambda: self.out.read_text().count("ready") == 2 and
                  [a["ClientStatus"] for a in self.allocs(name)] == ["running"] * 2, "both of them")
        ids = {a["ID"] for a in self.allocs(name)}
        self.arm(fault)

        def asked():
            """A client that got no answer looks first whether its request was stored."""
            found = self.restarts(name)
            if not found:
                self.revive()
                try:
                    self.agent.ask("PUT", f"/v1/job/{name}/restart", {"BatchSize": 1})
                except (OSError, http.client.HTTPException):
                    pass
            return found
        self.wait(asked, "the restart to begin")

        def done():
            found = self.restarts(name)
            return found[0] if found[0]["Status"] != "running" else None
        restart = self.wait(done, "the restart to end")
        self.assertEqual((set(restart["Allocations"]), restart["Done"], restart["Errors"]), (ids, 2, {}))

        def again():
            """The node's update follows the restart. One that could not be stored comes once more."""
            tasks = [a["TaskStates"]["t"] for a in self.allocs(name)]
            counts = [task["Restarts"] for task in tasks]
            return counts if [task["State"] for task in tasks] == ["running"] * 2 and sum(counts) >= 2 else None
        counts = self.wait(again, "both to have started again")
        self.assertIn(sum(counts), (2, 3), counts)
        self.assertEqual({a["ID"] for a in self.allocs(name)}, ids)
        self.assertEqual(len(self.restarts(name)), 1)
        allocs = self.end(name)
        self.forget(name)
        return allocs, [restart["Status"]]


if __name__ == "__main__":
    harness.main()
