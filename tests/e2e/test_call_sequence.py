# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The exact calls that a driver gets for one run, in a running agent and in the agent that takes the run
over. docs/drivers.md promises them to authors of drivers. DROVER_TRACE=abi prints the calls."""
import os
import re
import signal
import unittest

import harness
from agent_harness import Agent, agent_config
from harness import DroverTest, group, job, mock, task, wait_until

CALL = re.compile(r"^abi (\S+) (return|complete) (\w+) id=\d+ run=(\S+) \S+ms (\w+)$", re.M)
VERBS = {"start", "recover", "wait", "stats", "signal", "stop", "destroy", "restore_complete"}


class CallSequenceTest(DroverTest):
    def setUp(self):
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()
        self.sandbox.config_file = agent_config(self.sandbox)
        self.agent = self.start()

    def tearDown(self):
        if not self._outcome_failed():
            for each in self.agent.get("/v1/jobs"):
                self.agent.must("DELETE", f"/v1/job/{each['ID']}", purge="true")
            wait_until(lambda: all(a["ClientStatus"] not in ("pending", "running")
                                   for a in self.agent.get("/v1/allocations")), "all ends")
            self.agent.must("PUT", "/v1/system/gc")
            self.agent.stop()
        super().tearDown()

    def start(self):
        return Agent(self.sandbox, dev=False, env={"DROVER_TRACE": "abi"})

    def next_agent(self):
        self.agent.run.process.send_signal(signal.SIGKILL)
        self.agent.run.process.wait()
        self.agent = self.start()

    def trace(self, driver):
        """[(word, verb, run, status)] of this agent's life."""
        return [(what, verb, run, status) for name, what, verb, run, status in
                CALL.findall(self.agent.run.err) if name == driver and verb in VERBS]

    def called(self, driver, run=None):
        """The called verbs, of one run or of all, in their order."""
        return [verb for what, verb, of, _ in self.trace(driver)
                if what == "return" and run in (None, of)]

    def answers(self, driver, verb):
        """[(run, status)]: the completion of each call, or the error that it returned."""
        return [(run, status) for what, each, run, status in self.trace(driver)
                if each == verb and (what == "complete" or status != "OK")]

    def wait_answer(self, driver, verb):
        return wait_until(lambda: self.answers(driver, verb), f"{verb} of {driver}")

    def assert_calls(self, driver, run, verbs):
        """The lines of the trace come later than their calls."""
        wait_until(lambda: len(self.called(driver, run)) >= len(verbs), f"{verbs} of {run}")
        self.assertEqual(self.called(driver, run), verbs)

    def submit(self, name, each, **fields):
        self.agent.submit(job(group(each, **fields), id=name, type="service"))

    def alloc(self, name):
        return self.agent.allocs(name)[0]["ID"]

    def look_at(self, name):
        """Waits until statistics have a sample."""
        wait_until(lambda: self.agent.get(
            f"/v1/client/allocation/{self.alloc(name)}/stats")["Tasks"].get("t"), "a sample")

    def test_a_run_from_its_start_to_its_end(self):
        self.submit("web", task("t", "exec sleep 1000"))
        self.agent.wait_allocs("web", 1, "running")
        self.look_at("web")
        (run, status), = self.wait_answer("raw_exec", "start")
        self.assertEqual(status, "OK")
        self.agent.must("DELETE", "/v1/job/web")
        self.wait_answer("raw_exec", "destroy")
        self.assert_calls("raw_exec", run, ["start", "wait", "stats", "stop", "destroy"])
        # Once, before any start.
        self.assertEqual(self.called("raw_exec")[0], "restore_complete")
        self.assertEqual(self.called("raw_exec").count("restore_complete"), 1)

    def test_a_run_that_is_taken_over(self):
        self.submit("web", task("t", "exec sleep 1000"))
        self.agent.wait_allocs("web", 1, "running")
        (run, _), = self.wait_answer("raw_exec", "start")
        self.next_agent()
        self.wait_answer("raw_exec", "restore_complete")
        self.look_at("web")
        self.assertEqual(self.wait_answer("raw_exec", "recover"), [(run, "OK")])
        self.submit("new", task("t", "exec sleep 1000"))
        self.wait_answer("raw_exec", "start")
        calls = self.called("raw_exec")
        self.assertLess(calls.index("recover"), calls.index("restore_complete"))
        self.assertLess(calls.index("restore_complete"), calls.index("start"))
        self.assertEqual(calls.count("restore_complete"), 1)
        self.agent.must("DELETE", "/v1/job/web")
        self.wait_answer("raw_exec", "destroy")
        self.assert_calls("raw_exec", run, ["recover", "wait", "stats", "stop", "destroy"])

    def test_a_run_that_has_ended_meanwhile(self):
        pid = self.sandbox.root / "pid"
        self.submit("web", task("t", f"echo $$ > {pid}; exec sleep 1000"))
        self.agent.wait_allocs("web", 1, "running")
        (run, _), = self.wait_answer("raw_exec", "start")
        wait_until(lambda: pid.exists() and pid.read_text().endswith("\n"), "it has begun")
        self.agent.run.process.send_signal(signal.SIGKILL)
        self.agent.run.process.wait()
        os.kill(int(pid.read_text()), signal.SIGKILL)
        self.agent = self.start()
        self.agent.wait_allocs("web", 1, "failed")
        self.wait_answer("raw_exec", "destroy")
        self.wait_answer("raw_exec", "restore_complete")
        # recover has returned how it ended: nobody waits for it, stops it or measures it.
        self.assert_calls("raw_exec", run, ["recover", "destroy"])
        self.assertEqual(self.answers("raw_exec", "start"), [])

    def test_a_start_that_was_not_answered(self):
        """No handle was stored, so recover without a handle answers that nothing was started."""
        self.submit("web", mock("t", start_block_for="1h", run_for="1h"))
        wait_until(lambda: "start" in self.called("mock_driver"), "the start is asked for")
        (run,) = [of for _, verb, of, _ in self.trace("mock_driver") if verb == "start"]
        self.next_agent()
        self.assertEqual(self.wait_answer("mock_driver", "recover"), [(run, "E_NOT_FOUND")])
        wait_until(lambda: "start" in self.called("mock_driver"), "it is started again")
        # The host makes no more calls for the old run, not even a destroy.
        self.assert_calls("mock_driver", None, ["recover", "restore_complete", "start"])
        self.assert_calls("mock_driver", run, ["recover"])

    def test_a_start_that_fails(self):
        self.submit("web", mock("t", start_error="no"))
        self.agent.wait_allocs("web", 1, "failed")
        (run, status), = self.wait_answer("mock_driver", "start")
        self.assertEqual(status, "E_INTERNAL")
        self.wait_answer("mock_driver", "destroy")
        self.assert_calls("mock_driver", run, ["start", "destroy"])


if __name__ == "__main__":
    harness.main()
