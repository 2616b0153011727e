#!/usr/bin/env python3
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""testhost_test.py DROVER-TESTHOST MOCK_DRIVER.so RAW_EXEC.so [EXAMPLES]: the program's own rules."""
import glob
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
import unittest

TESTHOST, DRIVER, RAW_EXEC = sys.argv[1:4]
EXAMPLES = sys.argv[4] if len(sys.argv) > 4 else ""
LASTING = {"call": "start", "task": "a", "config": {"run_for": "1h"}}


def signals_end_it():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


class TesthostTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.environment = dict(os.environ, TMPDIR=directory.name)
        self.leftovers = lambda: glob.glob(directory.name + "/*")

    def start(self, *arguments):
        process = subprocess.Popen([TESTHOST, *arguments], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True, env=self.environment,
                                   preexec_fn=signals_end_it)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stdin.close)
        self.addCleanup(process.kill)
        return process

    def start_lasting(self):
        """A host with a task, and a request that waits for it."""
        process = self.start(DRIVER)
        for request in (LASTING, {"call": "wait", "task": "a", "timeout_ms": 600000}):
            process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        for _ in range(2):
            self.assertIn("result", json.loads(process.stdout.readline()))
        return process

    def serve(self, *requests, arguments=(DRIVER,)):
        """The answers to requests that are the whole input, without the first line."""
        process = self.start(*arguments)
        text, _ = process.communicate("".join(
            (r if isinstance(r, str) else json.dumps(r)) + "\n" for r in requests), timeout=60)
        self.assertEqual(process.returncode, 0, text)
        self.assertEqual(self.leftovers(), [])
        return [json.loads(line) for line in text.splitlines()][1:]

    def codes(self, *requests):
        return [a["error"]["code"] if "error" in a else "OK" for a in self.serve(*requests)]

    def test_the_first_line_has_the_offers(self):
        offers = {}
        for arguments in ((DRIVER,), ("--config", '{"enabled": true}', RAW_EXEC)):
            text, _ = self.start(*arguments).communicate(timeout=60)
            first = json.loads(text)["result"]
            offers[first["name"]] = first["offers"]
        self.assertIn("news", offers["mock_driver"])
        self.assertNotIn("news", offers["raw_exec"])

    def test_what_a_driver_can_do(self):
        answer, = self.serve({"call": "capabilities"})
        self.assertEqual(answer["result"]["network_modes"], ["host", "none", "bridge", "cni"])
        self.assertEqual(answer["result"]["sensitive"], ["/secret"])
        self.assertIs(answer["result"]["remote"], False)

    def test_a_pause(self):
        inspect = {"call": "inspect", "task": "a"}
        _, paused, held, resumed, runs, unknown = self.serve(
            LASTING, {"call": "pause", "task": "a"}, inspect,
            {"call": "pause", "task": "a", "paused": False}, inspect,
            {"call": "pause", "task": "b"})
        self.assertEqual((paused["result"], resumed["result"]), ({}, {}))
        self.assertEqual(held["result"]["attributes"].get("paused"), "true")
        self.assertEqual(held["result"]["state"], "running")
        self.assertNotIn("paused", runs["result"]["attributes"])
        self.assertEqual(unknown["error"]["code"], "E_NOT_FOUND")

    @unittest.skipUnless(os.path.exists(EXAMPLES + "/secrets_file.so"), "the examples are not built")
    def test_task_hooks(self):
        config = json.dumps({"commands": {"who": {"command": ["/bin/echo", "me"],
                                                  "namespaces": ["default"]}}})
        ask = {"call": "hook", "stage": "prestart", "task": "a", "meta": {"secrets": "who"}}
        good, other, nothing, unknown, not_offered, typo = self.serve(
            ask, dict(ask, namespace="other"), dict(ask, task="b", meta={}), dict(ask, stage="start"),
            dict(ask, stage="exited", exit_code=3), dict(ask, mata={}),
            arguments=("--config", config, EXAMPLES + "/secrets_file.so"))
        self.assertEqual(good["result"], {"env": {}, "mounts": [], "devices": [], "data": {},
                                          "event": "secrets written: who"})
        self.assertEqual(other["error"]["code"], "E_PERMISSION_DENIED")
        self.assertEqual(nothing["result"]["event"], "")
        self.assertIn("none of prestart, poststart", unknown["error"]["message"])
        self.assertEqual(not_offered["result"]["event"], "")
        self.assertEqual(typo["error"]["code"], "E_INVALID_ARGUMENT")

    @unittest.skipUnless(os.path.exists(EXAMPLES + "/exit_notifier.so"), "the examples are not built")
    def test_the_data_of_hooks_come_back(self):
        with tempfile.TemporaryDirectory() as directory:
            ended = {"call": "hook", "stage": "exited", "task": "a", "exit_code": 3}
            begun = {"call": "hook", "stage": "poststart", "task": "a"}
            answers = self.serve(ended, ended, begun, ended, arguments=(
                "--config", json.dumps({"file": directory + "/exits"}), EXAMPLES + "/exit_notifier.so"))
            self.assertEqual([list(a["result"]["data"]) for a in answers], [["told"]] * 4)
            with open(directory + "/exits", encoding="utf-8") as file:
                lines = file.read().splitlines()
            self.assertEqual(len(lines), 2, "one for each run")
            self.assertIn("exit_code=3", lines[0])

    def test_bad_requests_are_answered_and_change_nothing(self):
        self.assertEqual(
            self.codes("nonsense", {"call": "fly"}, {}, {"call": "wait"},
                       {"call": "wait", "task": "a"},
                       dict(LASTING, tsak=1), dict(LASTING, task="../a"), LASTING, LASTING,
                       {"call": "logs", "task": "a", "stream": "stdin"}),
            ["E_INVALID_ARGUMENT"] * 4 + ["E_NOT_FOUND"] + ["E_INVALID_ARGUMENT"] * 2 +
            ["OK", "E_FAILED_PRECONDITION", "E_INVALID_ARGUMENT"])

    def test_an_async_request_holds_nobody_up(self):
        answers = self.serve(LASTING, {"call": "wait", "task": "a", "async": True, "id": "end"},
                             {"call": "inspect", "task": "a", "id": 1},
                             {"call": "stop", "task": "a", "id": 2},
                             {"call": "wait", "task": "a", "id": 3})
        order = [answer["id"] for answer in answers]
        self.assertCountEqual(order, [None, "end", 1, 2, 3])
        self.assertLess(order.index(1), order.index("end"))

    def test_a_call_ends_with_its_time(self):
        self.assertEqual(self.codes(LASTING, {"call": "wait", "task": "a", "timeout_ms": 50}),
                         ["OK", "E_TIMEOUT"])

    def test_the_end_of_the_input_gives_up_what_is_async(self):
        self.assertEqual(self.codes(LASTING, {"call": "wait", "task": "a", "async": True}),
                         ["OK", "E_CANCELLED"])

    def test_a_signal_ends_it_as_the_end_of_the_input_does(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            process = self.start_lasting()
            process.send_signal(number)
            self.assertEqual(process.wait(60), 0, number)
            for line in process.stdout:  # none, if the signal came before the request was served
                self.assertEqual(json.loads(line)["error"]["code"], "E_CANCELLED")
            self.assertEqual(self.leftovers(), [], number)

    def test_a_kill_leaves_no_directory(self):
        process = self.start_lasting()
        process.kill()
        process.wait(60)
        deadline = time.monotonic() + 30
        while self.leftovers() and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(self.leftovers(), [])

    def test_a_failed_start_leaves_the_name_free(self):
        self.assertEqual(
            self.codes(dict(LASTING, config={"start_error": "no"}), LASTING,
                       {"call": "destroy", "task": "a"},
                       {"call": "destroy", "task": "a", "force": True}, LASTING),
            ["E_INTERNAL", "OK", "E_FAILED_PRECONDITION", "OK", "OK"])

    def test_samples_and_the_network_are_told(self):
        answers = self.serve(
            dict(LASTING, config={"run_for": "1h", "driver_ip": "127.0.0.1",
                                  "driver_port_map": "http:80", "stats_each_interval": True}),
            {"call": "stats", "task": "a", "samples": 2, "interval_ms": 10})
        self.assertEqual(answers[0]["result"]["network"]["ports"], {"http": 80})
        self.assertEqual(len(answers[1]["result"]["samples"]), 2)

    def test_what_is_measured_of_a_process(self):
        answers = self.serve(
            {"call": "start", "task": "a", "config": {"command": "/bin/sleep", "args": ["60"]}},
            {"call": "stats", "task": "a", "samples": 2, "interval_ms": 50},
            arguments=("--config", '{"enabled": true}', RAW_EXEC))
        first, second = answers[1]["result"]["samples"]
        self.assertEqual(first["memory"]["measured"], ["RSS", "Swap"])
        self.assertGreater(first["memory"]["rss"], 0)
        self.assertEqual(second["cpu"]["measured"], ["System Mode", "User Mode", "Percent"])

    def test_calls_reach_a_driver_in_a_process_of_its_own(self):
        answers = self.serve(LASTING, {"call": "inspect", "task": "a"},
                             arguments=("--isolation", "process", DRIVER))
        self.assertEqual(answers[1]["result"]["state"], "running")

    def test_a_file_that_is_no_driver_is_said_in_the_first_line(self):
        process = self.start("/etc/passwd")
        text, _ = process.communicate(timeout=60)
        self.assertIn("not a shared library", json.loads(text)["error"]["message"])
        self.assertEqual(process.returncode, 1)

    def test_a_killed_client_ends_it(self):
        # The client is a shell that holds both pipes; the request would last a minute.
        client = subprocess.Popen(
            ["python3", "-c",
             "import subprocess, sys, json\n"
             "p = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
             f"p.stdin.write({json.dumps(LASTING)!r}.encode() + b'\\n"
             '{"call": "wait", "task": "a", "timeout_ms": 600000}'
             "\\n')\n"
             "p.stdin.flush()\n"
             "p.stdout.readline(), p.stdout.readline()\n"
             "print(p.pid, flush=True)\n"
             "p.wait()", TESTHOST, DRIVER],
            stdout=subprocess.PIPE, text=True, env=self.environment)
        with client.stdout:
            host = os.pidfd_open(int(client.stdout.readline()))
        self.addCleanup(os.close, host)
        client.kill()
        client.wait()
        ready, _, _ = select.select([host], [], [], 60)
        self.assertEqual(ready, [host], "it waits on for a client that is gone")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
