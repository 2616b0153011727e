# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""An agent that starts with a hanging driver. Its API is up at once, the tasks of other drivers go on, and
new ones start. The bounds come from an agent with healthy drivers."""
import pathlib
import shutil
import threading
import time
import unittest

import harness
from agent_harness import Agent, agent_config
from harness import SLACK, group, job, mock, plugin_file, task
from test_takeover import TakeoverCase

# The calls of an agent's start, with a task of the driver to recover.
HANGING = ("create", "fingerprint", "recover", "restore_complete", "wait", "stats", "inspect")
SILENT = ("recover", "restore_complete", "wait")
# The calls that show whether the driver can be used.
LOADING = ("create", "fingerprint")


def testdata(name):
    return harness.build_dir() / "host/plugin/testdata" / (name + ".so")


HANGS_IN_THE_AGENT = testdata("hangs_in_the_agent")


class SlowDriverTest(TakeoverCase):
    def start(self, isolation="in-process", mock_config=None, **plugins):
        """Starts an agent, and stores in `took` the time until it served."""
        blocks = {"raw_exec": {"file": str(plugin_file("raw_exec")), "config": {"enabled": True}},
                  "mock_driver": {"file": str(plugin_file("mock_driver")),
                                  "config": mock_config or {}, "isolation": isolation}}
        blocks.update(plugins)
        config = agent_config(self.sandbox, plugins=blocks)
        begin = time.monotonic()
        agent = Agent(self.sandbox, dev=False, config=config)
        self.took = time.monotonic() - begin
        return agent

    def driver(self, name):
        node = self.agent.get("/v1/nodes")[0]["ID"]
        return self.agent.get(f"/v1/node/{node}")["Drivers"][name]

    def begin(self):
        """Starts tasks of both drivers, and measures how long an agent with good drivers takes to serve beside
        them."""
        self.untouched = self.submit_witness("web", 2)
        self.agent.submit(job(group(mock("t", run_for="1h")), id="mock", type="service"))
        self.mock = self.agent.wait_allocs("mock", 1, "running")[0]["ID"]
        self.kill()
        self.agent = self.start()
        self.agent.wait_allocs("web", 2, "running")
        self.bound = 5 * self.took + 1 * SLACK

    def check(self, name, **how):
        """Makes one start with a hanging driver."""
        self.kill()
        self.agent = self.start(**how)
        print(f"{name}: the API after {1000 * self.took:.0f} ms", flush=True)
        self.assertLess(self.took, self.bound)
        self.agent.submit(job(group(task("t", "exec sleep 1000")), id=name))
        self.agent.wait_allocs(name, 1, "running")
        self.assert_untouched(self.untouched)
        self.agent.must("DELETE", f"/v1/job/{name}", purge="true")

    def check_next(self, isolation):
        """The next agent has a healthy driver, and finds its task unchanged."""
        self.agent = self.start(isolation=isolation)
        harness.wait_until(lambda: self.driver("mock_driver")["Healthy"], "the health of the driver")
        self.agent.submit(job(group(mock("t", run_for="1h")), id="next", type="service"))
        self.agent.wait_allocs("next", 1, "running")
        state = self.agent.get(f"/v1/allocation/{self.mock}")["TaskStates"]["t"]
        self.assertEqual((state["State"], state["Restarts"]), ("running", 0), state)
        self.assertEqual([e["Type"] for e in state["Events"]].count("Started"), 1,
                         state["Events"])
        self.assert_untouched(self.untouched)

    def check_all(self, isolation):
        self.begin()
        for fault, calls in (("hang_in", HANGING), ("silent_in", SILENT)):
            for call in calls:
                with self.subTest(fault=fault, call=call):
                    self.check(f"{fault}-{call}", isolation=isolation, mock_config={fault: call})
                    if call not in LOADING:
                        continue
                    reported = self.driver("mock_driver")
                    self.assertFalse(reported["Healthy"], reported)
                    self.assertIn("is still being loaded" if call == "create" else "",
                                  reported["HealthDescription"])
                    self.assertTrue(reported["HealthDescription"], reported)
        # The hanging processes were killed.
        self.kill()
        self.check_next(isolation)

    def test_in_the_agents_process(self):
        self.check_all("in-process")

    def test_in_a_process_of_its_own(self):
        self.check_all("process")

    def test_a_job_for_a_driver_that_hangs_is_refused_for_now(self):
        self.kill()
        self.agent = self.start(mock_config={"hang_in": "create"})
        for path in ("/v1/jobs", "/v1/job/mock/plan"):
            reply = self.agent.ask("PUT", path, job(group(mock("t", run_for="1h")), id="mock"))
            self.assertEqual(reply.status, 500, reply)
            self.assertIn("driver \"mock_driver\" is still being loaded: submit the job again",
                          reply.body.decode())
        self.assertEqual(self.agent.get("/v1/jobs"), [])
        # It still ends in order.
        self.agent.stop()
        self.agent = self.start()

    def test_a_stop_while_a_driver_is_being_loaded_leaves_its_tasks_alone(self):
        self.begin()
        self.kill()
        self.agent = self.start(mock_config={"hang_in": "create"})
        self.agent.stop()
        self.check_next("in-process")

    @unittest.skipUnless(testdata("slow_to_load").exists(), "an installation has no test data")
    def test_a_driver_that_comes_late_has_its_tasks(self):
        slow = {"file": str(testdata("slow_to_load"))}
        self.kill()
        self.agent = self.start(test=slow)
        was_ready = self.driver("test")["Healthy"]
        spec = job(group(task("t", driver="test", config={})), id="late",
                   type="service")
        self.agent.submit(spec)
        alloc = self.agent.wait_allocs("late", 1, "running")[0]["ID"]
        self.assertFalse(was_ready, "the test proves nothing: the driver was loaded when the API served")
        self.kill()
        self.agent = self.start(test=slow)
        self.agent.submit(job(*spec["Job"]["TaskGroups"], id="later", type="service"))
        self.agent.wait_allocs("later", 1, "running")
        self.assertTrue(self.driver("test")["Healthy"])
        self.assertEqual(self.agent.wait_allocs("late", 1, "running")[0]["ID"], alloc)

    @unittest.skipUnless(testdata("constructor_hangs").exists(), "an installation has no test data")
    def test_files_that_hang_when_they_are_looked_at(self):
        self.begin()
        bad = {"file": str(testdata("constructor_hangs"))}
        # More than the node's threads for blocking work.
        self.check("probe", **{f"test_{i}": bad for i in range(6)})
        reported = self.driver("test_0")
        self.assertFalse(reported["Healthy"], reported)
        self.assertTrue(reported["HealthDescription"], reported)

    def assert_takes_tasks(self, name, spec):
        self.agent.submit(job(group(spec), id=name, type="service"))
        self.agent.wait_allocs(name, 1, "running")

    def assert_ends(self):
        began = time.monotonic()
        self.agent.stop()
        self.assertLess(time.monotonic() - began, 1 + 1 * SLACK)

    @unittest.skipUnless(HANGS_IN_THE_AGENT.exists(), "an installation has no test data")
    def test_a_file_that_hangs_only_where_it_is_loaded(self):
        """It holds the dynamic loader's lock in the agent for ever, so no other file can be loaded."""
        self.begin()
        contained = {"file": str(plugin_file("raw_exec")), "config": {"enabled": True},
                     "isolation": "process"}
        blocks = {"raw_exec": contained,
                  "hanging": {"file": str(HANGS_IN_THE_AGENT), "isolation": "in-process"},
                  "test": {"file": str(testdata("slow_to_load")), "isolation": "in-process"}}
        self.check("load", isolation="process", **blocks)
        self.assert_takes_tasks("next", mock("t", run_for="1h"))
        waiting = job(group(task("t", driver="test", config={})), id="waiting", type="service")
        refused = self.agent.ask("PUT", "/v1/jobs", waiting)
        self.assertEqual(refused.status, 500, refused)
        self.assertIn("driver \"test\" is still being loaded: submit the job again",
                      refused.body.decode())
        for name, why in (("hanging", "hangs when it is loaded, though it did not in the probe"),
                          ("test", f"cannot be loaded, since {HANGS_IN_THE_AGENT} hangs")):
            self.assertFalse(self.driver(name)["Healthy"])
            harness.wait_until(lambda n=name, w=why: w in self.driver(n)["HealthDescription"],
                               f"the reason of {name}")
        refused = self.agent.ask("PUT", "/v1/jobs", waiting)
        self.assertIn(f"since {HANGS_IN_THE_AGENT} hangs", refused.body.decode())
        self.assert_takes_tasks("later", task("t", "exec sleep 1000"))
        self.assert_untouched(self.untouched)
        self.assert_ends()
        self.agent = self.start()
        self.assert_untouched(self.untouched)

    @unittest.skipUnless(HANGS_IN_THE_AGENT.exists(), "an installation has no test data")
    def test_a_file_that_hangs_when_the_others_are_loaded(self):
        file = self.sandbox.root / "hanging.so"
        self.agent.stop()
        self.agent = self.start(hanging={"file": str(file), "isolation": "in-process"})
        untouched = self.submit_witness("web")
        shutil.copy(HANGS_IN_THE_AGENT, file)
        replies = {}
        reloads = [threading.Thread(target=lambda n=name: replies.update(
            {n: self.agent.ask("PUT", f"/v1/agent/plugins/{n}/reload")}))
            for name in ("hanging", "mock_driver")]
        reloads[0].start()
        maps = pathlib.Path(f"/proc/{self.agent.run.process.pid}/maps")
        harness.wait_until(lambda: "hanging.so" in maps.read_text(), "its code in the agent")
        reloads[1].start()
        # Loaded drivers go on, also one whose new file waits.
        self.assert_takes_tasks("raw", task("t", "exec sleep 1000"))
        self.assert_takes_tasks("mock", mock("t", run_for="1h"))
        self.assertEqual(replies, {})
        self.assert_ends()
        for thread in reloads:
            thread.join()
        self.assertEqual([r.status for r in replies.values()], [500, 500], replies)
        self.agent = self.start()
        self.assert_untouched(untouched)


if __name__ == "__main__":
    harness.main()
