#!/usr/bin/env python3
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""hello_test.py DROVER-TESTHOST HELLO.so: the driver's own tests, in a host without an agent."""
import json
import subprocess
import sys
import time
import unittest

TESTHOST, DRIVER = sys.argv[1:3]


class Host:
    """A drover-testhost with the driver in it: one request is one line, and so is its answer."""

    def __init__(self, *options):
        self.process = subprocess.Popen([TESTHOST, *options, DRIVER], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.driver = self.read()["result"]

    def read(self):
        return json.loads(self.process.stdout.readline())

    def call(self, name, **members):
        """Returns the result of a call, or raises its error as an AssertionError."""
        answer = self.answer(name, **members)
        if "error" in answer:
            raise AssertionError(f"{name}: {answer['error']}")
        return answer["result"]

    def answer(self, name, **members):
        self.process.stdin.write(json.dumps({"call": name, **members}) + "\n")
        self.process.stdin.flush()
        return self.read()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(timeout=60)


def lives(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


class HelloTest(unittest.TestCase):
    def test_a_task_greets_and_ends(self):
        with Host() as host:
            host.call("start", task="a", config={"name": "world", "times": 2})
            self.assertEqual(host.call("wait", task="a")["exit_code"], 0)
            self.assertEqual(host.call("logs", task="a")["text"], "Hello, world\nHello, world\n")

    def test_the_operator_chooses_the_greeting(self):
        with Host("--config", '{"greeting": "Good morning"}') as host:
            host.call("start", task="a", config={"name": "world"})
            host.call("wait", task="a")
            self.assertEqual(host.call("logs", task="a")["text"], "Good morning, world\n")

    def test_defaults_are_filled_in(self):
        with Host() as host:
            self.assertEqual(host.call("check", config={"name": "x"}),
                             {"name": "x", "times": 1, "pause": 0})

    def test_wrong_configurations_are_refused_by_name(self):
        with Host() as host:
            for config, said in (({"nam": "x"}, "/name: is missing"),
                                 ({"name": ["x"]}, "/name"),
                                 ({"name": "x", "times": 0}, "/times: choose 1 to 1000")):
                error = host.answer("start", task="a", config=config)["error"]
                self.assertEqual(error["code"], "E_INVALID_ARGUMENT")
                self.assertIn(said, error["message"])

    def test_a_task_outlives_the_instance_and_can_be_stopped(self):
        with Host() as host:
            host.call("start", task="a", config={"name": "world", "times": 1000, "pause": 1})
            for handles in (True, False):
                self.assertEqual(host.call("reload", handles=handles)["tasks"],
                                 {"a": {"state": "running"}})
            host.call("stop", task="a", signal="SIGTERM")
            self.assertEqual(host.call("wait", task="a")["signal"], 15)
            host.call("destroy", task="a")

    def test_a_command_runs_beside_the_task(self):
        with Host() as host:
            host.call("start", task="a", config={"name": "Ada", "times": 1000, "pause": 1})
            end = host.call("exec", task="a", command=["/bin/sh", "-c", 'echo "$NAME"; exit 3'])
            self.assertEqual((end["stdout"], end["exit_code"]), ("Ada\n", 3))

    def test_a_task_is_measured(self):
        with Host() as host:
            host.call("start", task="a", config={"name": "Ada", "times": 1000, "pause": 1})
            samples = host.call("stats", task="a", samples=2, interval_ms=50)["samples"]
            self.assertGreater(samples[0]["memory"]["rss"], 0)
            self.assertIn("Percent", samples[1]["cpu"]["measured"])

    def test_nothing_that_a_task_has_started_outlives_it(self):
        with Host() as host:
            host.call("start", task="a", config={"name": "Ada", "times": 1000, "pause": 1})
            escape = "setsid sleep 1000 >/dev/null 2>&1 & echo $!"
            pid = int(host.call("exec", task="a", command=["/bin/sh", "-c", escape])["stdout"])
            self.assertTrue(lives(pid))
            host.call("destroy", task="a", force=True)
            deadline = time.monotonic() + 30
            while lives(pid) and time.monotonic() < deadline:
                time.sleep(0.01)
            self.assertFalse(lives(pid))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
