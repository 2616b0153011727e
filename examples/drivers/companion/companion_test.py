#!/usr/bin/env python3
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""companion_test.py DROVER-TESTHOST COMPANION.so: the driver's own tests, in a host without an agent."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
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


def wait_until_dead(pid):
    deadline = time.monotonic() + 30
    while lives(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not lives(pid)


def pid_in(path):
    """The pid that a process writes into a file."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if path.exists() and path.read_text().endswith("\n"):
            return int(path.read_text())
        time.sleep(0.01)
    raise AssertionError(f"nothing has written {path}")


class CompanionTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory(prefix="drover-companion-")
        self.addCleanup(self.directory.cleanup)
        os.chmod(self.directory.name, 0o777)
        self.file = pathlib.Path(self.directory.name) / "pid"

    def config(self, command):
        """A companion that ignores requests to end, beside the command."""
        script = f"trap '' INT TERM HUP; echo $$ > {self.file}; while :; do sleep 1000; done"
        return {"command": ["/bin/sh", "-c", command], "companion": ["/bin/sh", "-c", script]}

    def test_the_companion_ends_with_the_task(self):
        with Host() as host:
            ends = f"while ! [ -s {self.file} ]; do sleep 0.1; done; exit 3"
            host.call("start", task="a", config=self.config(ends))
            pid = pid_in(self.file)
            self.assertEqual(host.call("wait", task="a")["exit_code"], 3)
            self.assertTrue(wait_until_dead(pid))

    def test_the_companion_outlives_the_instance_and_ends_with_a_stop(self):
        with Host() as host:
            host.call("start", task="a", config=self.config("exec sleep 1000"))
            pid = pid_in(self.file)
            for handles in (True, False):
                self.assertEqual(host.call("reload", handles=handles)["tasks"], {"a": {"state": "running"}})
            self.assertTrue(lives(pid))
            host.call("stop", task="a", signal="SIGTERM")
            self.assertTrue(wait_until_dead(pid))
            host.call("destroy", task="a")

    def test_a_task_that_cannot_start_leaves_no_companion(self):
        with Host() as host:
            config = dict(self.config(""), command=["/no/such/program"])
            self.assertIn("error", host.answer("start", task="a", config=config))
            if self.file.exists() and self.file.read_text().endswith("\n"):
                self.assertTrue(wait_until_dead(pid_in(self.file)))

    def test_a_task_without_a_companion_is_a_plain_process(self):
        with Host() as host:
            host.call("start", task="a", config={"command": ["/bin/echo", "hi"]})
            host.call("wait", task="a")
            self.assertEqual(host.call("logs", task="a")["text"], "hi\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
