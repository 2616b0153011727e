# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""What drivers say of their tasks: what they can do, and what changes in running tasks."""
import harness
from agent_harness import AgentTest
from harness import group, job, mock


class NewsTest(AgentTest):
    def start(self, *tasks, **fields):
        self.agent.submit(job(group(*tasks, **fields), id="web", type="service"))
        return self.agent.wait_allocs("web", 1, "running")[0]["ID"]

    def wait_message(self, alloc, text):
        def messages(tasks):
            return any(text in event["DisplayMessage"] for event in tasks["t"]["Events"])
        self.agent.wait_tasks(alloc, messages, text)

    def test_news_of_a_task_are_shown(self):
        alloc = self.start(mock("t", run_for="1h", news_after="10ms", news_ip="10.9.8.7",
                                news_health="unhealthy", news_text="no heartbeat"))
        self.wait_message(alloc, "Task network changed to 10.9.8.7")
        self.wait_message(alloc, "Task became unhealthy: no heartbeat")
        state = self.agent.get(f"/v1/allocation/{alloc}")["TaskStates"]["t"]
        self.assertEqual(state["State"], "running")

    def test_news_of_nobody_harm_nobody(self):
        alloc = self.start(mock("t", run_for="1h", news_after="10ms", news_text="here I am",
                                news_of_nobody=True))
        self.wait_message(alloc, "here I am")
        self.agent.must("DELETE", "/v1/job/web")
        self.agent.wait_allocs("web", 1, "complete", "stop")

    def test_a_secret_of_a_task_is_not_shown(self):
        self.agent.submit(job(group(mock("t", secret="hunter2", start_error="denied: hunter2")),
                              id="web"))
        alloc = self.agent.wait_allocs("web", 1, "failed")[0]["ID"]
        self.wait_message(alloc, "denied: <redacted>")
        events = self.agent.get(f"/v1/allocation/{alloc}")["TaskStates"]["t"]["Events"]
        self.assertNotIn("hunter2", str(events))

    def test_a_node_shows_what_its_drivers_can_do(self):
        node = self.agent.get("/v1/nodes")[0]["ID"]

        def attributes():
            found = self.agent.get(f"/v1/node/{node}")["Attributes"]
            return found if found.get("driver.mock_driver.can.users") == "true" else None
        found = harness.wait_until(attributes, "the attributes of the driver")
        self.assertEqual(found["driver.mock_driver.can.network_modes"], "host,none,bridge,cni")


if __name__ == "__main__":
    harness.main()
