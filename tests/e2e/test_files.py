# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Files and logs of allocations, through the API of an agent."""
import base64
import contextlib
import http.client
import json
import os
import pathlib
import time
import urllib.parse

import harness
from agent_harness import AgentTest
from harness import SLACK, group, job, task, wait_until

LONG = "exec sleep 1000"


def service(*tasks, id="web", **fields):
    return job(group(*tasks, **fields), id=id, type="service")


class Follower:
    """A continuing answer. It has a source address of its own, since an agent bounds the connections of
    each address."""

    def __init__(self, agent, path, /, source="127.0.0.1", **query):
        host, port = agent.address.split(":")
        self.connection = http.client.HTTPConnection(host, int(port), timeout=harness.LIMIT,
                                                     source_address=(source, 0))
        self.connection.request("GET", path + "?" + urllib.parse.urlencode(query))
        self.answer = self.connection.getresponse()
        self.status = self.answer.status
        self.text = b""
        self.decoder = json.JSONDecoder()

    def more(self):
        some = self.answer.read1(1 << 16)
        self.text += some
        return some

    def until(self, text):
        """Returns all bytes up to TEXT, including it."""
        while text not in self.text:
            if not self.more():
                raise AssertionError(f"ended without {text}: {self.text[-500:]}")
        end = self.text.index(text) + len(text)
        before, self.text = self.text[:end], self.text[end:]
        return before

    def frame(self):
        """Returns the next frame; None at the end."""
        while True:
            with contextlib.suppress(ValueError):
                frame, end = self.decoder.raw_decode(self.text.decode())
                self.text = self.text[end:]
                return frame
            if not self.more():
                return None

    def frames_until(self, condition):
        """Returns the frames up to the first that satisfies CONDITION, without heartbeats."""
        frames = []
        while not frames or not condition(frames[-1]):
            frame = self.frame()
            if frame is None:
                raise AssertionError(f"ended after {frames}")
            if frame:
                frames.append(frame)
        return frames

    def close(self):
        self.answer.close()
        self.connection.close()


def processor_seconds(pid):
    """The processor time that all threads of a process have used so far."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def data(frames):
    return b"".join(base64.b64decode(frame.get("Data", "")) for frame in frames)


class FilesTest(AgentTest):
    def start(self, *tasks, count=1):
        self.agent.submit(service(*tasks, Count=count))
        alloc = self.agent.wait_allocs("web", 1, "running")[0]["ID"]
        self.root = self.sandbox.alloc_dirs[0] / alloc
        return alloc

    def fs(self, verb, alloc, **query):
        text = urllib.parse.urlencode(query)
        return self.agent.ask("GET", f"/v1/client/fs/{verb}/{alloc}?{text}")

    def follow(self, verb, alloc, **query):
        follower = Follower(self.agent, f"/v1/client/fs/{verb}/{alloc}", **query)
        self.addCleanup(follower.close)
        self.assertEqual(follower.status, 200, follower.answer.read() if follower.status != 200
                         else "")
        return follower

    def finish(self):
        """Ends the allocation and all open streams."""
        self.agent.must("DELETE", "/v1/job/web")
        self.agent.wait_allocs("web", 1, "complete", "stop")


class FileTest(FilesTest):
    def test_files_are_listed_looked_at_and_read(self):
        alloc = self.start(task("t", LONG))
        local = self.root / "t" / "local"
        (local / "page.html").write_text("<html><script>x</script>")
        (local / "data.json").write_text("[1]")
        (local / "big").write_bytes(bytes(range(256)) * 4096)
        listed = json.loads(self.fs("ls", alloc).body)
        self.assertEqual([f["Name"] for f in listed], ["alloc", "t"])
        in_task = {f["Name"]: f for f in json.loads(self.fs("ls", alloc, path="t").body)}
        self.assertEqual(set(in_task), {"local", "private", "secrets", "tmp"})
        self.assertEqual(in_task["tmp"]["FileMode"], "dtrwxrwxrwx")
        self.assertTrue(in_task["tmp"]["IsDir"])
        page = json.loads(self.fs("stat", alloc, path="/t/local/page.html").body)
        self.assertEqual((page["Name"], page["Size"], page["ContentType"]),
                         ("page.html", 24, "text/html; charset=utf-8"))
        self.assertRegex(page["ModTime"], r"^20\d\d-\d\d-\d\dT[\d:.]+Z$")
        self.assertEqual(json.loads(self.fs("stat", alloc, path="t/local/data.json").body)
                         ["ContentType"], "application/json")
        self.assertNotIn("ContentType", json.loads(self.fs("stat", alloc, path="t").body))

        page = self.fs("cat", alloc, path="t/local/page.html")
        self.assertEqual(page.body, b"<html><script>x</script>")
        at = self.fs("readat", alloc, path="t/local/page.html", offset=0, limit=6)
        self.assertEqual(at.body, b"<html>")
        for head in (page.headers, at.headers):
            self.assertEqual(head["Content-Type"], "text/plain; charset=utf-8")
            self.assertEqual(head["X-Content-Type-Options"], "nosniff")
            self.assertEqual(head["X-XSS-Protection"], "1; mode=block")
            self.assertEqual(head["Content-Security-Policy"],
                             "default-src 'none'; style-src 'unsafe-inline'; sandbox")
        whole = (local / "big").read_bytes()
        self.assertEqual(self.fs("cat", alloc, path="t/local/big").body, whole)
        for offset, limit in ((0, 10), (1000, 100_000), (len(whole) - 5, 100), (len(whole) + 5, 1)):
            got = self.fs("readat", alloc, path="t/local/big", offset=offset, limit=limit)
            self.assertEqual(got.body, whole[offset:offset + limit])
        self.assertEqual(self.fs("readat", alloc, path="t/local/big", offset=7).body, whole[7:])
        self.assertEqual(self.fs("ls", alloc, path="/").body, self.fs("ls", alloc).body)
        secret = self.root / "t" / "secrets" / "token"
        secret.write_text("secret")
        self.assertEqual([f["Name"] for f in json.loads(self.fs("ls", alloc, path="t/secrets").body)
                          if f["Name"] == "token"], ["token"])
        looked = json.loads(self.fs("stat", alloc, path="t/secrets/token").body)
        self.assertEqual((looked["Size"], looked["Name"]), (6, "token"))
        self.assertNotIn("ContentType", looked)
        # Frames have at most 64 KiB, and each has the offset after its bytes.
        frames = self.follow("stream", alloc, path="t/local/big", follow="false")
        got, read = [], b""
        while (frame := frames.frame()) is not None:
            got.append(frame)
            read += data([frame])
            self.assertEqual((frame["Offset"], list(frame)), (len(read), ["Data", "File", "Offset"]))
            self.assertLessEqual(len(data([frame])), 64 << 10)
        self.assertEqual((read, len(got)), (whole, 16))
        self.assertEqual(self.agent.ask("HEAD", f"/v1/client/fs/stream/{alloc}",
                                        path="t/local/big").status, 200)

    def test_head_reads_nothing_and_keeps_no_agent(self):
        alloc = self.start(task("t", f"truncate -s 15T $NOMAD_TASK_DIR/big; echo up; {LONG}"))
        wait_until(lambda: self.fs("stat", alloc, path="t/local/big").status == 200, "the file")
        for verb, query in (("cat", "path=t/local/big"), ("readat", "path=t/local/big&offset=0"),
                            ("stream", "path=t/local/big&follow=false"),
                            ("logs", "task=t&type=stdout&follow=true&plain=true")):
            with self.subTest(verb):
                # The connection serves the next request, so this answer has ended completely.
                host, port = self.agent.address.split(":")
                client = http.client.HTTPConnection(host, int(port), timeout=harness.LIMIT)
                self.addCleanup(client.close)
                client.request("HEAD", f"/v1/client/fs/{verb}/{alloc}?{query}")
                head = client.getresponse()
                self.assertEqual((head.status, head.read()), (200, b""))
                client.request("GET", "/v1/agent/self")
                self.assertEqual(client.getresponse().status, 200)
                client.close()
        # A client that still reads does not delay the agent either, and sees that the answer is incomplete.
        reader = self.follow("cat", alloc, path="t/local/big")
        self.assertEqual((reader.status, reader.more()[:8]), (200, bytes(8)))
        self.agent.run.interrupt()
        with self.assertRaises(http.client.IncompleteRead):
            while reader.more():
                pass
            raise AssertionError(f"the answer looks complete after {len(reader.text)} bytes: "
                                 f"{reader.text[-200:]}")
        self.assertEqual(self.agent.run.wait(), 0)

    def test_bad_requests_and_their_answers(self):
        alloc = self.start(task("t", LONG), task("waits", LONG,
                           Lifecycle={"Hook": "poststop", "Sidecar": False}),
                           task("mute", LONG, LogConfig={"Disabled": True}))
        local = self.root / "t" / "local"
        self.agent.wait_tasks(alloc, lambda t: t["t"]["State"] == "running", "it has started")
        (self.root / "t" / "secrets" / "token").write_text("secret")
        (self.root / "t" / "private" / "key").write_text("private")
        (local / "up").symlink_to("../../../../agent.json")
        (local / "etc").symlink_to("/etc")
        (local / "hidden").symlink_to("../secrets/token")
        os.mkfifo(local / "pipe")
        (local / "f").write_text("x")
        os.link(local / "f", local / "second")
        none = "11111111-2222-3333-4444-555555555555"
        escapes = "Path escapes the alloc directory"
        self.sandbox.write("outside", "x")
        table = [
            ("ls/", {}, 400, "must provide a valid alloc id"),
            ("cat", {}, 400, "must provide a valid alloc id"),
            (f"move/{alloc}", {}, 404, "Invalid method"),
            ("ls/xyz", {}, 500, "alloc lookup failed"),
            (f"ls/{none}", {}, 404, f'Unknown allocation "{none}"'),
            (f"ls/{alloc}", {"path": "../.."}, 500, escapes),
            (f"stat/{alloc}", {"path": "t/local/up"}, 500, escapes),
            (f"ls/{alloc}", {"path": "t/local/f"}, 500, "not a directory"),
            (f"ls/{alloc}", {"path": "none"}, 404, "none: No such file"),
            (f"stat/{alloc}", {"path": "t/none"}, 404, "t/none: No such file"),
            (f"readat/{alloc}", {"path": "t/local/f"}, 500, "error parsing offset: "),
            (f"readat/{alloc}", {"path": "t/local/f", "offset": "x"}, 500,
             "error parsing offset: "),
            (f"readat/{alloc}?path=t/local/f&offset=0&limit=x", {}, 500, "error parsing limit: "),
            (f"stream/{alloc}", {"path": "t/local/f", "origin": "middle"}, 400,
             "origin must be start or end"),
            (f"stream/{alloc}", {"path": "t/local/f", "follow": "maybe"}, 400, "follow"),
            (f"stream/{alloc}", {"path": "t/local"}, 400, 'file "t/local" is a directory'),
            (f"logs/{alloc}", {"type": "stdout"}, 400, "must provide task name"),
            (f"logs/{alloc}", {"task": "t"}, 400, "must provide log type (stdout/stderr)"),
            (f"logs/{alloc}", {"task": "t", "type": "both"}, 400,
             "must provide log type (stdout/stderr)"),
            (f"logs/{alloc}", {"task": "t", "type": "stdout", "origin": "x"}, 400,
             "origin must be start or end"),
            (f"logs/{alloc}", {"task": "x", "type": "stdout"}, 400, 'unknown task name "x"'),
            (f"logs/{alloc}", {"task": "waits", "type": "stdout"}, 404,
             'task "waits" not started yet. No logs available'),
            (f"logs/{alloc}", {"task": "mute", "type": "stdout", "follow": "true"}, 404,
             'task "mute" keeps no logs'),
        ]
        for verb in ("stat", "cat", "readat", "stream"):
            table.append((f"{verb}/{alloc}", {"offset": 0}, 400, "must provide a file name"))
        for verb in ("cat", "readat", "stream"):
            for path, code, text in (
                    ("none", 400, "none: No such file"),
                    ("../../outside", 400, escapes),
                    ("t/local/up", 400, escapes),
                    ("t/local/etc/passwd", 400, escapes),
                    ("t/secrets/token", 500, "Reading secret file prohibited: t/secrets/token"),
                    ("t/local/hidden", 500, "Reading secret file prohibited: t/local/hidden"),
                    ("t/private/key", 500, "Reading private file prohibited: t/private/key"),
                    ("t/private/x", 400, "t/private/x: No such file"),
                    ("t/local/pipe", 400, "is no regular file"),
                    ("t/local/second", 400, "has a second name")):
                table.append((f"{verb}/{alloc}", {"path": path, "offset": 0}, code, text))
        for path, query, code, text in table:
            reply = self.agent.ask("GET", "/v1/client/fs/" + path, **query)
            self.assertEqual((reply.status, reply.headers["Content-Type"].split(";")[0]),
                             (code, "text/plain"), (path, query, reply.body))
            self.assertIn(text, reply.body.decode(), (path, query))
        self.assertEqual(self.agent.ask("POST", f"/v1/client/fs/ls/{alloc}").status, 405)

    def test_a_file_is_followed_through_its_life(self):
        alloc = self.start(task("t", LONG))
        path = self.root / "t" / "local" / "f"
        path.write_text("0123456789")
        frames = self.follow("stream", alloc, path="t/local/f", follow="false")
        self.assertEqual(frames.frame(), {"Data": base64.b64encode(b"0123456789").decode(),
                                          "File": "t/local/f", "Offset": 10})
        self.assertIsNone(frames.frame())
        frames = self.follow("stream", alloc, path="t/local/f", origin="end", offset=3)
        self.assertEqual(data(frames.frames_until(lambda f: f["Offset"] == 10)), b"789")
        self.assertEqual(frames.frame(), {}, "a heartbeat")
        with path.open("a") as file:
            file.write("more")
        self.assertEqual(data(frames.frames_until(lambda f: f["Offset"] == 14)), b"more")
        os.truncate(path, 0)
        self.assertEqual(frames.frames_until(lambda f: "FileEvent" in f)[-1]["FileEvent"],
                         "file truncated")
        path.write_text("again")
        self.assertEqual(data(frames.frames_until(lambda f: f["Offset"] == 5)), b"again")
        path.unlink()
        self.assertEqual(frames.frames_until(lambda f: "FileEvent" in f)[-1]["FileEvent"],
                         "file deleted")
        while (frame := frames.frame()) is not None:
            self.assertEqual(frame, {})


class LogsTest(FilesTest):
    def logs(self, alloc, **query):
        return self.follow("logs", alloc, task="t", type="stdout", **query)

    def wait_output(self, alloc, text, kind="stdout"):
        def there():
            reply = self.fs("logs", alloc, task="t", type=kind, plain="true")
            return reply.status == 200 and text in reply.body
        wait_until(there, f"the output {text}")


class LogFollowTest(LogsTest):
    def test_logs_plain_and_framed_from_either_end(self):
        alloc = self.start(task("t", f"printf 0123456789; printf oops >&2; {LONG}"))
        self.wait_output(alloc, b"0123456789")
        self.wait_output(alloc, b"oops", "stderr")
        for query, text in (({}, b"0123456789"), ({"offset": 4}, b"456789"),
                            ({"origin": "end", "offset": 3}, b"789"), ({"origin": "end"}, b""),
                            ({"offset": 99}, b"")):
            reply = self.fs("logs", alloc, task="t", type="stdout", plain="true", **query)
            self.assertEqual((reply.body, reply.headers["Content-Type"]), (text, "text/plain"),
                             query)
        framed = self.fs("logs", alloc, task="t", type="stderr")
        self.assertEqual(framed.headers["Content-Type"], "application/json")
        self.assertEqual(json.loads(framed.body), {"Data": "b29wcw==", "Offset": 4,
                                                   "File": "alloc/logs/t.stderr.0"})

    def test_a_task_that_says_nothing_has_both_logs(self):
        alloc = self.start(task("t", LONG))
        self.agent.wait_tasks(alloc, lambda t: t["t"]["State"] == "running", "it has started")
        for kind in ("stdout", "stderr"):
            path = f"alloc/logs/t.{kind}.0"
            for verb, query in (("cat", {"path": path}), ("readat", {"path": path, "offset": 0}),
                                ("logs", {"task": "t", "type": kind, "plain": "true"})):
                reply = self.fs(verb, alloc, **query)
                self.assertEqual((reply.status, reply.body), (200, b""), (verb, kind))
            done = self.sandbox.command("alloc", "logs", "-" + kind, alloc,
                                        env={"DROVER_ADDR": self.agent.url})
            self.assertEqual((done.code, done.out, done.err), (0, "", ""))
            (self.root / path).unlink()
            reply = self.fs("logs", alloc, task="t", type=kind, plain="true")
            self.assertEqual(reply.status, 404)
            self.assertIn(f'log type "{kind}" not found', reply.body.decode())

    def test_following_ends_with_the_directory(self):
        alloc = self.start(task("t", f"echo up; {LONG}"))
        self.wait_output(alloc, b"up")
        follower = self.logs(alloc, follow="true", plain="true")
        follower.until(b"up\n")
        self.finish()
        self.agent.must("PUT", "/v1/system/gc")
        self.assertEqual(follower.more(), b"")

    def test_a_stop_of_the_agent_ends_followers(self):
        alloc = self.start(task("t", f"echo up; {LONG}"))
        self.wait_output(alloc, b"up")
        follower = self.logs(alloc, follow="true", plain="true")
        follower.until(b"up\n")
        self.agent.stop()
        self.assertEqual(follower.more(), b"")


class LogFollowLoadTest(LogsTest):
    def test_a_rotation_while_it_is_followed(self):
        lines = 40_000
        count = f"i=0; while [ $i -lt {lines} ]; do i=$((i+1)); echo \"$i {'x' * 80}\"; done"
        wait = "while [ ! -e $NOMAD_TASK_DIR/go ]; do sleep 0.05; done"
        alloc = self.start(task("t", f"echo up; {wait}; {count}; {LONG}",
                                LogConfig={"MaxFiles": 10, "MaxFileSizeMB": 1}))
        self.wait_output(alloc, b"up")
        framed = self.logs(alloc, follow="true")
        plain = self.logs(alloc, follow="true", plain="true")
        (self.root / "t" / "local" / "go").write_text("now\n")
        text = plain.until(f"\n{lines} ".encode())
        numbers = [int(line.split()[0]) for line in text.splitlines()[1:]]
        self.assertEqual(numbers, list(range(1, lines + 1)), "nothing is lost, doubled or split")
        seen, files = b"", []
        while f"\n{lines} ".encode() not in seen[-4096:]:
            frame = framed.frame()
            seen += base64.b64decode(frame.get("Data", ""))
            files.append(frame.get("File", files[-1] if files else ""))
        self.assertEqual(seen[:len(text)], text)
        self.assertGreaterEqual(len(set(files)), 4, "it has been rotated")
        # The last bytes begin in an earlier file than the current one.
        everything = wait_until(
            lambda: (lambda body: body if body.endswith(b"x\n") and text in body else None)(
                self.fs("logs", alloc, task="t", type="stdout", plain="true").body), "all of it")
        last = self.fs("logs", alloc, task="t", type="stdout", plain="true", origin="end",
                       offset=2_000_000)
        self.assertEqual(last.body, everything[-2_000_000:])

    def test_two_hundred_followers_cost_little_and_leave_nothing_behind(self):
        alloc = self.start(task("t", f"echo up; {LONG}"))
        self.wait_output(alloc, b"up")
        fds = pathlib.Path(f"/proc/{self.agent.run.pid}/fd")
        before = len(os.listdir(fds))
        followers = []
        for i in range(200):
            source = f"127.0.0.{2 + i % 4}"
            followers.append(Follower(self.agent, f"/v1/client/fs/logs/{alloc}", source=source,
                                      task="t", type="stdout", follow="true"))
            self.assertEqual(followers[-1].status, 200)
        for follower in followers:
            self.assertEqual(data([follower.frame()]), b"up\n")
        self.assertGreaterEqual(len(os.listdir(fds)), before + 200)
        begin, used = time.monotonic(), processor_seconds(self.agent.run.pid)
        for _ in range(4):
            self.assertEqual(followers[0].frame(), {}, "heartbeats, one a second")
        share = (processor_seconds(self.agent.run.pid) - used) / (time.monotonic() - begin)
        print(f"200 followers of an idle task: {share:.2%} of a core", flush=True)
        self.assertLess(share, 0.05 * SLACK)
        for follower in followers:
            follower.close()
        wait_until(lambda: len(os.listdir(fds)) <= before, f"{before} descriptors, as before",
                   limit=2 * SLACK)
