#!/usr/bin/env python3
"""driver_test.py DROVER-TESTHOST DRIVER.so: the driver's own tests, in a host without an agent."""
import json
import subprocess
import sys
import unittest

TESTHOST, DRIVER = sys.argv[1:3]


class Host:
    """A drover-testhost with the driver in it: one request is one line, and so is its answer."""

    def __init__(self, *options):
        self.process = subprocess.Popen([TESTHOST, *options, DRIVER], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.driver = self.call_result("the load", self.read())

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError("drover-testhost has ended")
        return json.loads(line)

    @staticmethod
    def call_result(name, answer):
        if "error" in answer:
            raise AssertionError(f"{name}: {answer['error']}")
        return answer["result"]

    def answer(self, name, **members):
        self.process.stdin.write(json.dumps({"call": name, **members}) + "\n")
        self.process.stdin.flush()
        return self.read()

    def call(self, name, **members):
        """Returns the result of a call, or raises its error as an AssertionError."""
        return self.call_result(name, self.answer(name, **members))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(timeout=60)


class DriverTest(unittest.TestCase):
    def test_the_host_knows_it_by_its_name(self):
        with Host() as host:
            self.assertEqual(host.driver["name"], "@NAME@")

    def test_a_task_writes_its_text_and_ends(self):
        with Host() as host:
            host.call("start", task="a", config={"text": "good morning", "seconds": 0})
            self.assertEqual(host.call("wait", task="a")["exit_code"], 0)
            self.assertIn("good morning", host.call("logs", task="a")["text"])

    def test_a_default_is_filled_in(self):
        with Host() as host:
            self.assertEqual(host.call("check", config={"text": "x"}), {"text": "x", "seconds": 1})

    def test_wrong_configurations_are_refused_by_name(self):
        with Host() as host:
            for config, said in (({"txt": "x"}, "txt"), ({"text": ["x"]}, "/text"),
                                 ({"text": "x", "seconds": -1}, "/seconds")):
                error = host.answer("start", task="a", config=config)["error"]
                self.assertEqual(error["code"], "E_INVALID_ARGUMENT")
                self.assertIn(said, error["message"])

    def test_a_task_outlives_the_instance_and_can_be_stopped(self):
        with Host() as host:
            host.call("start", task="a", config={"text": "x", "seconds": 1000})
            for handles in (True, False):
                tasks = host.call("reload", handles=handles)["tasks"]
                self.assertEqual(tasks["a"]["state"], "running")
            host.call("stop", task="a", signal="SIGTERM")
            self.assertEqual(host.call("wait", task="a")["signal"], 15)
            host.call("destroy", task="a")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
