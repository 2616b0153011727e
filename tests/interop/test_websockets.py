# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Commands beside tasks, through the package `websockets` of the index."""
import asyncio
import base64
import contextlib
import hashlib
import json
import os
import pathlib
import re
import urllib.parse

from websockets.asyncio.client import connect as connect_async
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

import harness
from agent_harness import Agent, AgentTest, agent_config
from harness import group, job, mock, task, wait_until

LONG = "exec sleep 1000"
NONE = "11111111-2222-3333-4444-555555555555"


def encoded(data):
    return base64.b64encode(data).decode()


class Session:
    """One command, and its messages so far."""

    def __init__(self, test, agent, alloc, command, headers=None, first=None, path=None, **query):
        if command is not None:
            query["command"] = json.dumps(command)
        text = urllib.parse.urlencode(query)
        path = path or f"/v1/client/allocation/{alloc}/exec"
        self.socket = connect(f"ws://{agent.address}{path}?{text}", additional_headers=headers,
                              max_size=None, proxy=None)
        test.addCleanup(self.socket.close)
        if first is not None:
            self.send(first)
        self.out = {"stdout": b"", "stderr": b""}
        self.closed = []

    def send(self, message):
        self.socket.send(json.dumps(message))

    def input(self, data):
        self.send({"stdin": {"data": encoded(data)}})

    def end_input(self):
        self.send({"stdin": {"close": True}})

    def message(self):
        message = json.loads(self.socket.recv(timeout=harness.LIMIT))
        for stream in self.out:
            part = message.get(stream, {})
            self.out[stream] += base64.b64decode(part.get("data", ""))
            if part.get("close"):
                self.closed.append(stream)
        return message

    def until(self, text, stream="stdout"):
        while text not in self.out[stream]:
            self.message()
        return self.out[stream]

    def exit_code(self):
        """Reads to the end."""
        while True:
            message = self.message()
            if message.get("exited"):
                break
        with contextlib.suppress(ConnectionClosed):
            raise AssertionError(self.socket.recv(timeout=harness.LIMIT))
        return message["result"]["exit_code"], self.socket.protocol.close_code

    def end(self):
        """The code and the reason with which the agent closes."""
        try:
            raise AssertionError(self.socket.recv(timeout=harness.LIMIT))
        except ConnectionClosed as closed:
            return closed.rcvd.code, closed.rcvd.reason


class TaskTest(AgentTest):
    def start(self, *tasks):
        self.agent.submit(job(group(*tasks), id="web", type="service"))
        self.alloc = self.agent.wait_allocs("web", 1, "running")[0]["ID"]
        names = [t["Name"] for t in tasks if "Lifecycle" not in t]
        self.agent.wait_tasks(self.alloc, lambda t: all(t[n]["State"] == "running" for n in names),
                              "running")

    def session(self, command, task="t", **query):
        return Session(self, self.agent, self.alloc, command, task=task, **query)

    def sh(self, script, **query):
        return self.session(["/bin/sh", "-c", script], **query)

    def local(self, name):
        return self.sandbox.alloc_dirs[0] / self.alloc / "t" / "local" / name


class ExecTest(TaskTest):
    def test_output_errors_and_exit_codes(self):
        self.start(task("t", LONG))
        done = self.sh("echo out; echo err >&2; exit 43")
        self.assertEqual(done.exit_code(), (43, 1000))
        self.assertEqual(done.out, {"stdout": b"out\n", "stderr": b"err\n"})
        self.assertEqual(sorted(done.closed), ["stderr", "stdout"])
        killed = self.sh("kill -9 $$")
        self.assertEqual(killed.exit_code(), (137, 1000))
        none = self.session(["no-such-program"])
        self.assertEqual(none.exit_code(), (127, 1000))
        self.assertIn(b"no-such-program", none.out["stderr"])
        where = self.sh("echo $NOMAD_TASK_NAME")
        self.assertEqual(where.exit_code()[0], 0)
        self.assertEqual(where.out["stdout"], b"t\n")

    def test_input_and_its_end(self):
        self.start(task("t", LONG))
        cat = self.session(["cat"])
        cat.input(b"hello ")
        cat.until(b"hello ")
        cat.send({})
        cat.send({"unknown": [1]})
        cat.input(bytes(range(256)))
        cat.end_input()
        self.assertEqual(cat.exit_code(), (0, 1000))
        self.assertEqual(cat.out["stdout"], b"hello " + bytes(range(256)))
        deaf = self.session(["true"])
        with contextlib.suppress(ConnectionClosed):
            for _ in range(100):
                deaf.input(b"x" * 10_000)
        self.assertEqual(self.sh("exec 0<&-; echo done").exit_code(), (0, 1000))

    def test_a_terminal_and_its_size(self):
        self.start(task("t", LONG))
        # A size and the input after it take different ways.
        tty = self.sh("until [ \"$(stty size)\" = '51 101' ]; do sleep 0.01; done; read x; stty size; "
                      "echo err >&2; trap 'stty size; exit 5' WINCH; "
                      "echo ready; while :; do sleep 0.01; done", tty="true")
        tty.send({"tty_size": {"height": 51, "width": 101}})
        tty.input(b"go\n")
        tty.until(b"ready\r\n")
        self.assertIn(b"51 101\r\nerr\r\n", tty.out["stdout"])
        tty.send({"tty_size": {"height": 7, "width": 77}})
        self.assertEqual(tty.exit_code(), (5, 1000))
        self.assertIn(b"7 77\r\n", tty.out["stdout"])
        interrupted = self.sh("echo ready; exec sleep 1000", tty="true")
        interrupted.until(b"ready")
        interrupted.input(b"\x03")
        self.assertEqual(interrupted.exit_code(), (130, 1000))

    def test_who_leaves_ends_the_command(self):
        self.start(task("t", LONG))
        for how in ("close", "drop"):
            with self.subTest(how):
                left = self.sh("sleep 1000 & echo $!; echo $$; exec sleep 1000")
                left.until(b"\n", "stdout")
                while left.out["stdout"].count(b"\n") < 2:
                    left.message()
                pids = [int(pid) for pid in left.out["stdout"].split()]
                if how == "close":
                    left.socket.close()
                else:
                    left.socket.socket.close()
                wait_until(lambda: all(harness.is_gone(pid) for pid in pids), "they are gone")

    def test_what_stays_in_the_background_keeps_no_session(self):
        self.start(task("t", LONG))
        session = self.sh("sleep 1000 & echo ok; exit 3")
        self.assertEqual(session.exit_code(), (3, 1000))
        self.assertEqual(session.out["stdout"], b"ok\n")

    def test_the_end_of_the_task_ends_its_sessions(self):
        self.start(task("t", LONG))
        session = self.sh("echo ready; exec sleep 1000")
        session.until(b"ready")
        self.agent.must("DELETE", "/v1/job/web")
        # The signal that ends the task, or, if the task was faster, the kill of its remaining processes.
        self.assertIn(session.exit_code(), [(130, 1000), (137, 1000)])

    def test_a_stop_of_the_agent_ends_sessions(self):
        self.start(task("t", LONG))
        session = self.sh("echo ready; exec sleep 1000")
        session.until(b"ready")
        self.agent.stop()
        with self.assertRaises(ConnectionClosed):
            while True:
                session.message()

    def test_mistakes_are_reported_by_the_close(self):
        self.start(task("t", LONG), task("ended", "exit 0",
                                         Lifecycle={"Hook": "prestart", "Sidecar": False}),
                   task("later", LONG, Lifecycle={"Hook": "poststop", "Sidecar": False}),
                   mock("mock", run_for="1h"))
        self.agent.wait_tasks(self.alloc, lambda t: t["mock"]["State"] == "running", "running")
        table = [
            (NONE, ["true"], {"task": "t"}, (1008, f'Unknown allocation "{NONE}"')),
            # The protocol has room for 123 bytes.
            ("x" * 200, ["true"], {"task": "t"}, (1008, 'Unknown allocation "' + "x" * 103)),
            (self.alloc, ["true"], {}, (1008, "must provide task name")),
            (self.alloc, None, {"task": "t"}, (1008, "command is not present")),
            (self.alloc, [], {"task": "t"}, (1008, "command is not present")),
            (self.alloc, [1], {"task": "t"}, (1008, "command must be a JSON list of texts")),
            (self.alloc, ["true"], {"task": "none"}, (1011, "task not found")),
            (self.alloc, ["true"], {"task": "later"}, (1008, 'task "later" not started yet.')),
            (self.alloc, ["true"], {"task": "mock"}, (1011, "no exec command is configured")),
            (self.alloc, ["true"], {"task": "ended"}, (1008, 'task "ended" is not running.')),
            (self.alloc, ["true"], {"task": "t", "ws_handshake": "maybe"},
             (1008, "ws_handshake value is not a boolean: maybe")),
        ]
        for alloc, command, query, end in table:
            self.assertEqual(Session(self, self.agent, alloc, command, **query).end(), end)
        plain = self.agent.ask("GET", f"/v1/client/allocation/{self.alloc}/exec", task="t")
        self.assertEqual((plain.status, plain.body),
                         (500, b"websocket connection not found in context"))

    def test_a_message_of_another_type_ends_its_session_only(self):
        self.start(task("t", LONG))
        other = self.session(["cat"])
        table = [
            ([], "a message must be a JSON object"),
            ({"stdin": 7}, "stdin must be an object"),
            ({"stdin": {"data": 7}}, "stdin.data must be a text"),
            ({"stdin": {"data": "***"}}, "stdin is not encoded by base64"),
            ({"stdin": {"close": "yes"}}, "stdin.close must be true or false"),
            ({"tty_size": "x"}, "tty_size must be an object"),
            ({"tty_size": {"height": "x"}}, "tty_size.height must be a whole number"),
        ]
        for message, reason in table:
            broken = self.sh("echo $$; exec cat")
            pid = int(broken.until(b"\n"))
            broken.send(message)
            self.assertEqual(broken.end(), (1008, reason))
            wait_until(lambda: harness.is_gone(pid), "its command is gone")
        broken = self.session(["cat"])
        broken.socket.send("{")
        self.assertEqual(broken.end()[0], 1008)
        # A correct client has noticed nothing.
        other.input(b"hello")
        other.end_input()
        self.assertEqual(other.exit_code(), (0, 1000))
        self.assertEqual(other.out["stdout"], b"hello")

    def test_actions_of_a_job(self):
        actions = [{"Name": "greet", "Command": "/bin/sh",
                    "Args": ["-c", "read x; echo $NOMAD_TASK_NAME ${x}; exit 5"]},
                   # A size and the input after it take different ways.
                   {"Name": "size", "Command": "/bin/sh",
                    "Args": ["-c", "read x; until [ \"$(stty size)\" = '50 100' ]; do sleep 0.01; done; "
                                   "stty size"]}]
        later = {"Lifecycle": {"Hook": "poststop", "Sidecar": False}, "Actions": actions[:1]}
        self.agent.submit(job(group(task("t", LONG, Actions=actions), task("later", LONG, **later)),
                              id="a/b", type="service"))
        self.alloc = self.agent.wait_allocs("a/b", 1, "running")[0]["ID"]
        self.agent.wait_tasks(self.alloc, lambda t: t["t"]["State"] == "running", "running")

        def action(name, job_id="a%2Fb", **query):
            query = {"task": "t", "group": "g", "allocID": self.alloc, "action": name, **query}
            # The Go client sends it so, with a command that means nothing.
            return Session(self, self.agent, None, ["false"], path=f"/v1/job/{job_id}/action", **query)
        greeting = action("greet")
        greeting.input(b"you\n")
        self.assertEqual(greeting.exit_code(), (5, 1000))
        self.assertEqual(greeting.out["stdout"], b"t you\n")
        size = action("size", tty="true")
        size.send({"tty_size": {"height": 50, "width": 100}})
        size.input(b"\n")
        self.assertEqual(size.exit_code(), (0, 1000))
        self.assertIn(b"50 100", size.out["stdout"])
        table = [
            ({"allocID": ""}, "must provide a valid alloc id"),
            ({"allocID": NONE}, f'Unknown allocation "{NONE}"'),
            ({"task": ""}, "must provide task name"),
            ({"job_id": "web"}, f"job web does not have allocation {self.alloc}"),
            ({"namespace": "other"}, f"job a/b does not have allocation {self.alloc}"),
            ({"name": "none"}, "action none not found in task t"),
            ({"task": "none"}, "action greet not found in task none"),
            ({"task": "later"}, 'task "later" not started yet.'),
        ]
        for change, reason in table:
            self.assertEqual(action(**{"name": "greet", **change}).end(), (1008, reason))
        listed = self.agent.get("/v1/job/a%2Fb/actions")
        self.assertEqual(listed[0], {**actions[0], "TaskName": "t", "TaskGroupName": "g"})
        self.assertEqual([(a["Name"], a["TaskName"]) for a in listed],
                         [("greet", "t"), ("size", "t"), ("greet", "later")])


class ExecLoadTest(TaskTest):
    def test_bytes_do_not_pile_up(self):
        self.start(task("t", LONG))
        size, block = 100_000_000, bytes(range(250)) * 400
        before = self.resident()
        # A command stands still when nobody takes its output. A client stands still when its command
        # takes no input.
        stuck = self.sh("echo $$; while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done")
        full = self.sh("echo $$; exec sleep 1000")
        pids = [int(session.until(b"\n").split()[0]) for session in (stuck, full)]
        with self.assertRaises((TimeoutError, ConnectionClosed)):
            full.socket.socket.settimeout(0.5)
            while True:
                full.input(block)
        # 100 MB in and out at the same time.
        count = size // len(block)
        total, digest, grown = asyncio.run(self.cat(block, count, before))
        self.assertEqual(total, size)
        self.assertEqual(digest, hashlib.sha256(block * count).digest())
        self.assertLess(grown, 40_000, "kB")
        stuck.socket.socket.close()
        full.socket.socket.close()
        # The next heartbeats find clients that have gone and left unread bytes.
        wait_until(lambda: all(harness.is_gone(pid) for pid in pids), "their commands are gone")

    async def cat(self, block, count, before):
        """Sends COUNT blocks through cat. Returns the bytes that come back, their digest, and the growth of
        the agent in kB. The client with threads cannot send and receive at once."""
        query = urllib.parse.urlencode({"task": "t", "command": '["cat"]'})
        path = f"/v1/client/allocation/{self.alloc}/exec?{query}"
        digest, total, grown = hashlib.sha256(), 0, 0
        async with connect_async(f"ws://{self.agent.address}{path}", max_size=None, proxy=None,
                                 ping_interval=None) as socket:
            async def write():
                message = json.dumps({"stdin": {"data": encoded(block)}})
                for _ in range(count):
                    await socket.send(message)
                await socket.send(json.dumps({"stdin": {"close": True}}))
            writer = asyncio.create_task(write())
            while True:
                message = json.loads(await socket.recv())
                if message.get("exited"):
                    break
                data = base64.b64decode(message.get("stdout", {}).get("data", ""))
                total += len(data)
                digest.update(data)
                grown = max(grown, self.resident() - before)
            await writer
        return total, digest.digest(), grown

    def resident(self):
        text = pathlib.Path(f"/proc/{self.agent.run.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", text).group(1))

    def test_sessions_leave_no_descriptor(self):
        self.start(task("t", LONG))
        fds = pathlib.Path(f"/proc/{self.agent.run.pid}/fd")
        self.assertEqual(self.sh("exit 0").exit_code()[0], 0)
        count = []

        def settled():
            count.append(len(os.listdir(fds)))
            return len(count) > 5 and len(set(count[-5:])) == 1
        wait_until(settled, "the number of descriptors")
        for i in range(30):
            self.assertEqual(self.sh("exit 0", tty="true" if i % 2 else "false").exit_code()[0], 0)
        wait_until(lambda: len(os.listdir(fds)) <= count[-1], f"{count[-1]} descriptors")


class ExecDriverTest(harness.DroverTest):
    def test_a_driver_that_runs_no_commands(self):
        self.sandbox.alloc_dirs[0].mkdir()
        file = harness.build_dir() / "examples" / "hello_c.so"
        agent = Agent(self.sandbox, config=agent_config(
            self.sandbox, plugins={"hello_c": {"file": str(file)}}))
        # Its task ends after a second, and starts again.
        again = {"Attempts": 100, "Interval": "5m", "Delay": "10ms", "Mode": "delay"}
        agent.submit(job(group({"Name": "t", "Driver": "hello_c", "Config": {}},
                               RestartPolicy=again), id="web", type="service"))
        alloc = agent.wait_allocs("web", 1, "running")[0]["ID"]

        def end():
            code, reason = Session(self, agent, alloc, ["true"], task="t").end()
            return None if "is not running" in reason else (code, reason)
        self.assertEqual(wait_until(end, "it runs"), (1011, "task driver does not support exec"))
        agent.stop()


class ExecTokenTest(harness.DroverTest):
    def test_the_token_is_in_a_header_or_the_first_message(self):
        token = self.sandbox.write("token", "0123456789abcdef-secret")
        token.chmod(0o600)
        self.sandbox.alloc_dirs[0].mkdir()
        agent = Agent(self.sandbox, config=agent_config(self.sandbox, token_file=str(token)))
        header = {"X-Nomad-Token": "0123456789abcdef-secret"}
        first = {"version": 1, "auth_token": header["X-Nomad-Token"]}
        unknown = (1008, f'Unknown allocation "{NONE}"')

        def end(**how):
            return Session(self, agent, NONE, ["true"], task="t", **how).end()
        self.assertEqual(end(), (1011, "Permission denied"))
        self.assertEqual(end(headers={"X-Nomad-Token": "wrong"}), (1011, "ACL token not found"))
        self.assertEqual(end(headers=header), unknown)
        two = {**header, "Authorization": "Bearer other"}
        both = (1011, "two different tokens are given")
        self.assertEqual(end(headers=two), both)
        self.assertEqual(end(first=first, ws_handshake="true", headers=two), both)
        self.assertEqual(end(first=first, ws_handshake="true"), unknown)
        self.assertEqual(end(first=first, ws_handshake="true", headers=header), unknown)
        self.assertEqual(end(first={"version": 1, "auth_token": "wrong"}, ws_handshake="true"),
                         (1011, "ACL token not found"))
        self.assertEqual(end(first={"version": 2}, ws_handshake="true"),
                         (1008, "unexpected handshake value: 2"))
        self.assertEqual(end(first={"version": 1, "auth_token": "x"}, ws_handshake="true",
                             headers=header),
                         (1008, "handshake auth token mismatched auth header token"))
        agent.stop()
