# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Drivers fetch what tasks need before they start: mock_driver, with and without a process of its own."""
import harness
from agent_harness import Agent, AgentTest, agent_config
from harness import DroverTest, group, job, mock, plugin_file

NO_RESCHEDULE = {"Attempts": 0, "Unlimited": False}


def needs(name, key, run_for="3600s", **config):
    """A task of mock_driver that needs KEY before its start."""
    return mock(name, run_for=run_for, prepare_key=key, **config)


class PrepareCase:
    """The agent with mock_driver; a part of a test class."""
    isolation = "in-process"
    limits = {}

    def prepare_config(self):
        self.log_file = self.sandbox.root / "prepared"
        plugins = {"mock_driver": {"file": str(plugin_file("mock_driver")), "isolation": self.isolation,
                                   "config": {"prepare_log": str(self.log_file)}, "limits": self.limits}}
        return agent_config(self.sandbox, log_level="info", plugins=plugins)

    def lines(self):
        """What the driver has done: prepare, prepared, fail, cancel or remove, and the key."""
        return self.log_file.read_text().splitlines() if self.log_file.exists() else []

    def wait_line(self, line, count=1):
        harness.wait_until(lambda: self.lines().count(line) >= count, f"{line} in {self.log_file}")

    def messages(self, id, task="t"):
        """The texts of all events of a task."""
        states = [alloc["TaskStates"] or {} for alloc in self.agent.get(f"/v1/job/{id}/allocations")]
        return [event["DisplayMessage"] for state in states for event in state.get(task, {}).get("Events") or []]


class PrepareTest(PrepareCase, AgentTest):
    def start_agent(self):
        return Agent(self.sandbox, config=self.prepare_config())

    def test_two_tasks_with_one_key_wait_for_one_call(self):
        self.agent.submit(job(group(needs("t", "redis", prepare_for="3s"),
                                    needs("u", "redis", prepare_for="3s"),
                                    needs("other", "")), id="e2e"))
        harness.wait_until(lambda: any(text.startswith("Preparing redis: ") and text.endswith(" of 27.0 MiB)")
                                       for text in self.messages("e2e")), "progress of t")
        self.agent.wait_allocs("e2e", 1, "running")
        harness.wait_until(lambda: all("Task started by client" in self.messages("e2e", task)
                                       for task in ("t", "u", "other")), "all starts")
        self.assertEqual(self.lines(), ["prepare redis", "prepared redis"])
        # However often progress was reported, one report is kept, before the start.
        for task in ("t", "u"):
            texts = self.messages("e2e", task)
            self.assertEqual(sum(text.startswith("Preparing redis") for text in texts), 1, texts)
            self.assertEqual(texts[-1], "Task started by client")
        # What is there needs no preparation.
        self.agent.submit(job(group(needs("t", "redis", prepare_for="3600s")), id="second"))
        self.agent.wait_allocs("second", 1, "running")
        self.assertEqual(self.lines(), ["prepare redis", "prepared redis"])

    def test_a_stop_ends_a_preparation_at_once(self):
        self.agent.submit(job(group(needs("t", "slow", prepare_for="3600s")), id="one"))
        self.agent.submit(job(group(needs("t", "slow", prepare_for="3600s")), id="two"))
        self.wait_line("prepare slow")
        self.agent.must("DELETE", "/v1/job/one")
        self.agent.wait_allocs("one", 1, "complete", desired="stop")
        self.assertNotIn("cancel slow", self.lines(), "the other one still waits")
        self.agent.must("DELETE", "/v1/job/two")
        self.agent.wait_allocs("two", 1, "complete", desired="stop")
        self.wait_line("cancel slow")
        self.assertEqual(self.lines(), ["prepare slow", "cancel slow"])

    def test_a_failure_is_that_of_the_start(self):
        spec = job(group(needs("t", "wrong", prepare_for="100ms", prepare_error="no such image"),
                         ReschedulePolicy=NO_RESCHEDULE), id="e2e", type="batch")
        self.agent.submit(spec)
        self.agent.wait_allocs("e2e", 1, "failed")
        texts = self.messages("e2e")
        self.assertIn("preparing the task: no such image", texts)
        self.assertNotIn("Task started by client", texts)
        self.assertEqual(self.lines(), ["prepare wrong", "fail wrong"])


class ContainedPrepareTest(PrepareTest):
    isolation = "process"


class CollectPreparedTest(PrepareCase, AgentTest):
    limits = {"prepared_age": "300ms"}

    def start_agent(self):
        return Agent(self.sandbox, config=self.prepare_config())

    def test_what_no_task_needs_is_removed(self):
        self.agent.submit(job(group(needs("t", "kept")), id="kept"))
        self.agent.submit(job(group(needs("t", "gone")), id="gone"))
        for id in ("kept", "gone"):
            self.agent.wait_allocs(id, 1, "running")
        self.agent.must("DELETE", "/v1/job/gone")
        self.agent.wait_allocs("gone", 1, "complete", desired="stop")
        self.wait_line("remove gone")
        self.agent.must("PUT", "/v1/system/gc")
        self.agent.submit(job(group(needs("t", "next")), id="next"))
        self.agent.wait_allocs("next", 1, "running")
        self.agent.must("DELETE", "/v1/job/next")
        self.wait_line("remove next")
        self.assertNotIn("remove kept", self.lines())


class KeptPrepareTest(PrepareCase, DroverTest):
    """The agent dies during a preparation, and the next one prepares again."""

    def setUp(self):
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()

    def start(self):
        self.agent = Agent(self.sandbox, dev=False, config=self.prepare_config())

    def test_the_next_agent_prepares_again(self):
        self.start()
        self.agent.submit(job(group(needs("t", "redis", prepare_for="2s")), id="e2e"))
        self.wait_line("prepare redis")
        self.agent.run.process.kill()
        self.agent.run.process.wait()
        self.start()
        self.wait_line("prepare redis", 2)
        self.agent.wait_allocs("e2e", 1, "running")
        self.assertEqual(self.lines()[-1], "prepared redis")
        self.agent.must("DELETE", "/v1/job/e2e", purge="true")
        self.agent.forget_all(self.leftovers)
        self.agent.stop()
