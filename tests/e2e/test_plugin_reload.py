# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""A plugin gets another file while its tasks run: by the API, the command line and SIGHUP."""
import json
import os
import shutil
import signal

import harness
from agent_harness import Agent, agent_config
from harness import DroverTest, Run, group, job, mock, plugin_file, task

# Each task is its own witness: it writes a line for each start, and then a line all the time.
WITNESS = 'echo "begun $$" >>"$NOMAD_TASK_DIR/w"; while :; do echo "beat $$" >>"$NOMAD_TASK_DIR/w"; sleep 0.2; done'
EXEC_TASKS = 20
MOCK_TASKS = 80


class PluginReloadTest(DroverTest):
    def setUp(self):
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()
        self.files = {name: self.sandbox.root / f"{name}.so" for name in ("raw_exec", "mock_driver")}
        for name, path in self.files.items():
            shutil.copyfile(plugin_file(name), path)
            path.chmod(0o755)
        self.replaced = 0

    def blocks(self, **more):
        return {"raw_exec": {"file": str(self.files["raw_exec"]), "isolation": "in-process",
                             "config": {"enabled": True}},
                "mock_driver": {"file": str(self.files["mock_driver"]), "isolation": "process",
                                **more}}

    def config(self, **more):
        return agent_config(self.sandbox, log_level="info", plugins=self.blocks(**more))

    def replace(self, name):
        """Another content that is the same driver: the loader ignores bytes behind the tables."""
        self.replaced += 1
        new = self.files[name].with_suffix(".new")
        new.write_bytes(plugin_file(name).read_bytes() + b"x" * self.replaced)
        new.chmod(0o755)
        os.rename(new, self.files[name])

    def sha256(self, name):
        return self.agent.get(f"/v1/agent/plugins/{name}")["SHA256"]

    def reload(self, name):
        return self.agent.ask("PUT", f"/v1/agent/plugins/{name}/reload")

    def cli(self, *arguments):
        return self.sandbox.command(*arguments, env={"DROVER_ADDR": self.agent.url})

    def witnesses(self):
        return [(self.sandbox.alloc_dirs[0] / alloc / f"t{i}" / "local" / "w")
                for alloc in self.allocs[:1] for i in range(EXEC_TASKS)]

    def assert_nothing_lost(self):
        """Checks that all tasks run on, none was started twice, and each goes on to write."""
        for alloc in self.allocs:
            states = self.agent.get(f"/v1/allocation/{alloc}")["TaskStates"]
            self.assertEqual({(s["State"], s["Failed"], s["Restarts"]) for s in states.values()},
                             {("running", False, 0)}, self.agent.run.story())
        lengths = [path.stat().st_size for path in self.witnesses()]
        harness.wait_until(lambda: all(path.stat().st_size > length for path, length
                                       in zip(self.witnesses(), lengths)), "heartbeats")
        for path in self.witnesses():
            lines = path.read_text().splitlines()
            self.assertEqual(sum(line.startswith("begun") for line in lines), 1, path)
            self.assertEqual(len({line.split()[1] for line in lines}), 1, path)

    def start(self):
        self.agent = Agent(self.sandbox, config=self.config())
        little = {"Resources": {"CPU": 1, "MemoryMB": 10}}
        self.agent.submit(job(
            group(*[task(f"t{i}", WITNESS, **little) for i in range(EXEC_TASKS)], name="real"),
            group(*[mock(f"m{i}", run_for="1h", **little) for i in range(MOCK_TASKS)],
                  name="mocked"),
            id="many", type="service"))
        allocs = self.agent.wait_allocs("many", 2, "running")
        self.allocs = [a["ID"] for a in sorted(allocs, key=lambda a: a["TaskGroup"], reverse=True)]
        harness.wait_until(lambda: all(path.exists() for path in self.witnesses()), "witnesses")
        for alloc in self.allocs:
            self.agent.wait_tasks(alloc, lambda tasks: all(t["State"] == "running" for t in
                                                           tasks.values()), "all of its tasks")

    def test_no_task_notices(self):
        self.start()
        # A command and a log's follower outlive two reloads.
        session = Run(self.sandbox, ["alloc", "exec", "-task", "t0", self.allocs[0], "sh", "-c",
                                     "echo begun; while [ ! -e $NOMAD_TASK_DIR/go ]; do sleep 0.1; "
                                     "done; echo over; exit 43"],
                      json_lines=False, env={"DROVER_ADDR": self.agent.url})
        self.sandbox.runs.append(session)
        session.wait_for(lambda run: "begun" in run.lines, "the command")
        for name in ("raw_exec", "mock_driver"):
            for _ in range(2):
                before = self.sha256(name)
                process = self.agent.get(f"/v1/agent/plugins/{name}")["PID"]
                self.replace(name)
                reply = self.reload(name)
                self.assertEqual(reply.status, 200, reply)
                self.assertNotEqual(json.loads(reply.body)["SHA256"], before)
                self.assert_nothing_lost()
                if process:  # the process of the old instance has ended
                    harness.wait_until(lambda pid=process: not os.path.exists(f"/proc/{pid}"),
                                       "its end")
        # A file that is overwritten in place harms nothing, and is refused.
        for name, path in self.files.items():
            good = path.read_bytes()
            path.write_bytes(b"\0" * len(good))
            before = self.sha256(name)
            reply = self.reload(name)
            self.assertGreaterEqual(reply.status, 400, reply)
            for text in (str(path), "was not reloaded", "stays in charge"):
                self.assertIn(text, reply.body.decode())
            self.assertEqual(self.sha256(name), before)
            path.write_bytes(good)
        self.assert_nothing_lost()
        (self.sandbox.alloc_dirs[0] / self.allocs[0] / "t0" / "local" / "go").touch()
        self.assertEqual(session.wait(), 43, session.story())
        self.assertIn("over", session.lines)
        # New tasks start, statistics flow, and a task that ends is reported with its true exit code.
        self.agent.submit(job(group(task("e", "exit 7")), id="ends"))
        alloc = self.agent.wait_allocs("ends", 1, "failed")[0]["ID"]
        events = self.agent.get(f"/v1/allocation/{alloc}")["TaskStates"]["e"]["Events"]
        self.assertIn(7, [event["ExitCode"] for event in events])
        harness.wait_until(lambda: self.agent.get(f"/v1/client/allocation/{self.allocs[0]}/stats")
                           ["Tasks"], "statistics")
        self.agent.stop()

    def test_a_hangup_reloads_what_has_changed(self):
        self.start()
        before = {name: self.sha256(name) for name in self.files}

        def hang_up():
            at = len(self.agent.run.err)
            self.agent.run.signal(signal.SIGHUP)
            return self.agent.run.wait_for(
                lambda run: next((l for l in run.err[at:].splitlines()
                                  if "configuration reloaded" in l), None),
                "the reload")

        self.assertIn("applied: nothing", hang_up())
        self.replace("mock_driver")
        self.assertIn("applied: plugin mock_driver", hang_up())
        self.assertEqual(self.sha256("raw_exec"), before["raw_exec"])
        self.assertNotEqual(self.sha256("mock_driver"), before["mock_driver"])
        self.config(config={"fail_in": "configure"})
        self.assertIn("applied: plugin mock_driver", hang_up())
        self.config()
        self.assertIn("applied: nothing", hang_up())
        self.assertIn("plugin mock_driver was not reloaded", self.agent.run.err)
        self.assert_nothing_lost()
        self.agent.stop()

    def test_the_last_crash_is_reported(self):
        self.agent = Agent(self.sandbox, config=self.config())
        self.assertEqual(self.agent.ask("GET", "/v1/agent/plugins/none").status, 404)
        crash = "/v1/agent/plugins/mock_driver/last_crash"
        self.assertEqual(self.agent.ask("GET", crash).status, 404)
        self.agent.submit(job(group(mock("m", run_for="1h", crash_in="start", crash_by="throw")),
                              id="crash"))
        self.agent.get_until(crash, lambda reply: reply.status == 200)
        answer = self.agent.get(crash)
        self.assertEqual((answer["Plugin"], answer["Function"], answer["Signal"]),
                         ("mock_driver", "start", signal.SIGABRT))
        self.assertIn("crashed in start (signal 6", answer["Message"])
        self.assertIn("mock exception", answer["Output"])
        self.assertTrue(answer["Backtrace"])
        self.agent.run.wait_for(lambda run: "crashed in start (signal 6" in run.err, "the log")
        shown = self.cli("plugin", "status", "mock_driver")
        self.assertEqual(shown.code, 0, shown)
        for text in ("crashed in start", "mock exception", "process"):
            self.assertIn(text, shown.out)
        self.assertIn("mock exception",
                      self.cli("plugin", "status", "--output", "mock_driver").out)
        self.agent.must("DELETE", "/v1/job/crash")
        harness.wait_until(lambda: self.agent.get("/v1/agent/plugins/mock_driver")["Health"] ==
                           "healthy", "the plugin is back")
        self.replace("mock_driver")
        done = self.cli("plugin", "reload", "mock_driver")
        self.assertEqual(done.code, 0, done)
        self.assertIn("is in charge", done.out)
        self.files["mock_driver"].write_text("junk")
        done = self.cli("plugin", "reload", "mock_driver")
        self.assertEqual(done.code, 1, done)
        self.assertIn("stays in charge", done.err)
        self.agent.stop()


if __name__ == "__main__":
    harness.main()
