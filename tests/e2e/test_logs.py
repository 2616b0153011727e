# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The output of tasks, on the disk and in views."""
import errno
import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import threading
import time
import unittest

import harness
from agent_harness import Agent, agent_config
from harness import IS_ROOT, SLACK, DroverTest, group, job, mock, one, task, wait_until
from test_files import Follower, data

MB = 1 << 20


def python_task(name, code, **fields):
    return task(name, config={"command": "/usr/bin/env", "args": ["python3", "-c", code]},
                **fields)


def memory_kb(pid, field):
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(field + r":\s+(\d+) kB", text).group(1))


class LogTest(DroverTest):
    def log_dir(self, run):
        return self.sandbox.alloc_dirs[0] / run.placed()[0]["AllocID"] / "alloc" / "logs"

    def files(self, run):
        directory = self.log_dir(run)
        return {name: directory / name for name in sorted(os.listdir(directory))}

    def test_rotation_keeps_the_newest_files_and_whole_lines(self):
        self.leaves_allocations = True
        count = 3_500_000 // 100
        code = f"for i in range({count}): print('%09d %s' % (i, 'x' * 89))"
        run = self.run_job(
            one(python_task("t", code, LogConfig={"MaxFiles": 2, "MaxFileSizeMB": 1})),
            "--keep", "--no-logs")
        files = self.files(run)
        self.assertEqual(sorted(files), ["t.stderr.0", "t.stdout.2", "t.stdout.3"])
        self.assertEqual(files.pop("t.stderr.0").read_text(), "")
        numbers = []
        for path in files.values():
            data = path.read_bytes()
            self.assertLessEqual(len(data), MB)
            self.assertTrue(data.endswith(b"\n"))
            numbers += [int(line[:9]) for line in data.decode().splitlines()]
            self.assertTrue(all(len(line) == 99 for line in data.decode().splitlines()))
        self.assertEqual(numbers, list(range(numbers[0], count)), "no line is lost in between")
        self.assertEqual(os.stat(files["t.stdout.3"]).st_mode & 0o777, 0o644)

    def test_the_kernel_tells_of_new_lines(self):
        run = self.sandbox.run(one(task("t", "echo up; exec sleep 60")))
        run.wait_log("t", "up")
        watched = f"ino:{os.stat(self.log_dir(run)).st_ino:x} "

        def is_watched():
            return any(watched in harness.process_text(run.pid, f"fdinfo/{number}").decode()
                       for number in os.listdir(f"/proc/{run.pid}/fd"))
        wait_until(is_watched, "the watch of the log directory")
        run.interrupt()
        self.assertEqual(run.wait(), 130, run.story())

    def test_lines_are_shown_in_their_order(self):
        run = self.run_job(one(python_task(
            "t", "import sys\nfor i in range(3000): print(i)\n"
                 "for i in range(3000): print(i, file=sys.stderr)")))
        self.assertEqual(run.logs("t", "stdout"), [str(i) for i in range(3000)])
        self.assertEqual(run.logs("t", "stderr"), [str(i) for i in range(3000)])

    def test_output_is_shown_while_the_task_runs(self):
        run = self.sandbox.run(one(task("t", "echo early; exec sleep 60")))
        run.wait_log("t", "early", limit=5 * SLACK)
        run.interrupt()
        self.assertEqual(run.wait(), 130)

    def test_last_words_are_shown(self):
        run = self.run_job(one(task("t", "printf 'no line break'"), Count=5))
        self.assertEqual(run.logs("t"), ["no line break"] * 5)

    def test_streams_of_two_tasks_are_kept_apart(self):
        self.leaves_allocations = True
        run = self.run_job(one(task("a", "echo a1; echo a2 >&2"), task("b", "echo b1")), "--keep")
        self.assertEqual((run.logs("a", "stdout"), run.logs("a", "stderr"), run.logs("b")),
                         (["a1"], ["a2"], ["b1"]))
        self.assertEqual({name: path.read_text() for name, path in self.files(run).items()},
                         {"a.stdout.0": "a1\n", "a.stderr.0": "a2\n", "b.stdout.0": "b1\n",
                          "b.stderr.0": ""})

    def test_restarted_task_appends(self):
        self.leaves_allocations = True
        run = self.run_job(one(task("t", "echo again; exit 1"), RestartPolicy={
            "Attempts": 2, "Interval": "10m", "Delay": "10ms", "Mode": "fail"}), "--keep", code=1)
        self.assertEqual(run.logs("t"), ["again"] * 3)
        self.assertEqual(self.files(run)["t.stdout.0"].read_text(), "again\n" * 3)

    def test_disabled_logs_leave_no_file(self):
        self.leaves_allocations = True
        run = self.run_job(one(task("t", "echo x", LogConfig={"Disabled": True})), "--keep")
        self.assertEqual(self.files(run), {})
        self.assertEqual(run.logs(), [])

    def test_the_older_form_of_disabled(self):
        self.leaves_allocations = True
        run = self.run_job(one(task("t", "echo x", LogConfig={"Enabled": False})), "--keep")
        self.assertEqual(self.files(run), {})

    def test_logs_that_do_not_fit_on_the_disk(self):
        self.refused(one(task("t", "true", LogConfig={"MaxFiles": 11, "MaxFileSizeMB": 10}),
                         EphemeralDisk={"SizeMB": 100}),
                     "LogConfig: the log storage of 110 MB is more than the group's ephemeral disk of 100 MB")

    def test_no_logs(self):
        run = self.run_job(one(task("t", "echo x")), "--no-logs")
        self.assertEqual(run.logs(), [])

    def test_bytes_that_are_no_text(self):
        run = self.run_job(one(task("t", r"printf '\377\376 \033[31mred\033[0m \000end\n'")))
        line = run.logs("t")[0]
        self.assertIn("red", line)
        self.assertIn("end", line)

    def test_very_long_line(self):
        run = self.run_job(one(python_task("t", "print('y' * 300000); print('end')")))
        lines = run.logs("t")
        self.assertEqual(sum(line.count("y") for line in lines), 300000)
        self.assertEqual(lines[-1], "end")

    def test_mock_driver_writes_through_the_host(self):
        run = self.run_job(one(mock("m", run_for="50ms", stdout_string="out\n",
                                    stderr_string="err\n")))
        self.assertEqual((run.logs("m", "stdout"), run.logs("m", "stderr")), (["out"], ["err"]))

    def test_100_mb_do_not_grow_the_agent_nor_lose_the_end(self):
        code = ("import os\nline = b'z' * 1023 + b'\\n'\nblock = line * 100\n"
                "for i in range(1000): os.write(1, block)\nprint('the last line')")
        path = self.sandbox.write("job.json", one(
            python_task("t", code, LogConfig={"MaxFiles": 2, "MaxFileSizeMB": 10})))
        run = self.sandbox.run(path, kept_logs=100)
        run.wait_event("t", "Started")
        peaks = []

        def sample():
            try:
                peaks.append(memory_kb(run.pid, "VmRSS"))
            except (OSError, AttributeError):
                return True
            return run.event("t", "Terminated")
        wait_until(sample, "the end of 100 MB", limit=90, step=0.05)
        self.assertEqual(run.wait(90), 0, run.story()[-2000:])
        self.assertEqual(run.logs("t")[-1], "the last line")
        if SLACK == 1:
            self.assertLess(max(peaks), 96 * 1024, "kB of the agent")
        print(f"peak of the agent {max(peaks) / 1024:.0f} MiB", flush=True)

    def test_slow_reader_does_not_stop_the_task(self):
        # Nobody reads standard output of `drover run`, and the task still goes on.
        flag = self.sandbox.root / "done"
        path = self.sandbox.write("job.json", one(python_task(
            "t", "import os\nfor i in range(20000): print('x' * 99)\n"
                 f"open({str(flag)!r}, 'w').close()")))
        process = subprocess.Popen(
            [str(harness.binary()), "run", "--config", str(self.sandbox.config_file), str(path)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=self.sandbox.environment(), start_new_session=True)
        try:
            wait_until(flag.exists, "the task writes its 2 MB", limit=20)
            out, _ = process.communicate(timeout=harness.LIMIT)
            self.assertEqual(process.returncode, 0)
            self.assertEqual(out.count(b"x" * 99), 20000)
        finally:
            process.kill()
            process.wait()


@unittest.skipUnless(IS_ROOT, "a file system of its own needs root")
class FullDiskTest(DroverTest):
    def setUp(self):
        super().setUp()
        self.disk = self.sandbox.root / "disk"
        self.disk.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m,nr_inodes=200", "tmpfs",
                        str(self.disk)], check=True)
        self.sandbox.own_mounts.append(str(self.disk))
        self.sandbox.alloc_dirs.append(self.disk)

    def test_stop_is_on_time_and_the_task_never_blocks(self):
        code = ("import os, time\n"
                "for i in range(4000): os.write(1, b'%05d ' % i + b'f' * 994 + b'\\n')\n"
                f"open({str(self.sandbox.root / 'written')!r}, 'w').close()\n"
                "time.sleep(60)")
        run = self.sandbox.run(one(python_task("t", code, KillTimeout="1s")),
                               "--alloc-dir", self.disk)
        start = time.monotonic()
        wait_until((self.sandbox.root / "written").exists, "4 MB are written", limit=20)
        print(f"4 MB to a full disk in {time.monotonic() - start:.2f} s", flush=True)
        dropped = run.wait_event("t", "Output Dropped")
        self.assertEqual((dropped["DisplayMessage"], dropped["Details"]["dropped_lines"]),
                         ("Output is being dropped: the disk of the log files is full or too slow",
                          "0"), "reported while the disk is full")
        start = time.monotonic()
        run.interrupt()
        self.assertEqual(run.wait(), 130, run.story())
        self.assertLess(time.monotonic() - start, 1 + 3 * SLACK)
        # All lines that are not on the disk are counted before the end of the task. The rest is below 1 MiB.
        self.assertEqual(run.event_types("t")[-3:], ["Output Dropped", "Terminated", "Killed"])
        counted = int(run.events("t")[-3]["Details"]["dropped_lines"])
        self.assertGreater(counted, 2900)
        self.assertLess(counted, 4000)
        self.assertEqual(run.logs("t")[:3], [f"{i:05d} " + "f" * 994 for i in range(3)])

    def test_lines_resume_when_there_is_space_again(self):
        blocker = self.disk / "blocker"
        blocker.write_bytes(b"")
        code = ("import os, signal, time\nsignal.signal(signal.SIGINT, signal.SIG_DFL)\n"
                "i = 0\nwhile True:\n"
                "  os.write(1, b'%06d ' % i + b'l' * 992 + b'\\n')\n"
                "  i += 1\n  time.sleep(0.01)")
        run = self.sandbox.run(one(python_task("t", code)), "--alloc-dir", self.disk)
        run.wait_log("t", "000005 ")
        descriptor = os.open(blocker, os.O_WRONLY)
        try:
            with self.assertRaises(OSError):
                while True:
                    os.write(descriptor, b"b" * 4096)
        finally:
            os.close(descriptor)
        run.wait_event("t", "Output Dropped")
        os.truncate(blocker, 0)
        run.wait_log("t", "[drover] ")

        def gap_at(r):
            return next(i for i, line in enumerate(r.logs("t")) if line.startswith("[drover] "))
        run.wait_for(lambda r: len(r.logs("t")) > gap_at(r) + 50, "lines resume")
        run.interrupt()
        self.assertEqual(run.wait(), 130, run.story())
        blocker.unlink()

        # Lines are whole, there is one gap, and exactly the lost lines are missing.
        lines, gap = run.logs("t"), gap_at(run)
        numbers = [int(line[:6]) for line in lines[:gap] + lines[gap + 1:]]
        missing = numbers[gap] - gap
        self.assertGreater(missing, 0)
        self.assertEqual(numbers, [*range(gap), *range(gap + missing, len(numbers) + missing)])
        self.assertTrue(all(len(line) == 999 for line in lines[:gap] + lines[gap + 1:]))
        self.assertIn(lines[gap], (f"[drover] {missing} lines dropped", "[drover] 1 line dropped"))
        dropped = [event for event in run.events("t") if event["Type"] == "Output Dropped"][-1]
        self.assertEqual(dropped["Details"]["dropped_lines"], str(missing))

    def test_full_disk_at_the_start_is_reported(self):
        (self.disk / "blocker").write_bytes(b"b" * (MB - 4096 * 8))
        for i in range(300):
            try:
                (self.disk / f"inode{i}").touch()
            except OSError:
                break
        run = self.sandbox.run(one(task("t", "echo up")), "--alloc-dir", self.disk)
        self.assertEqual(run.wait(), 1, run.story())
        said = json.dumps(run.lines) + run.err
        self.assertIn("No space left", said)
        self.assertNotIn("Started", run.event_types("t"))
        for path in self.disk.iterdir():
            if path.is_file():
                path.unlink()


def blkio_root():
    """The mount point of the version 1 controller that throttles disks, or None."""
    for line in pathlib.Path("/proc/self/mounts").read_text().splitlines():
        _, path, kind, options, *_ = line.split()
        if kind == "cgroup" and "blkio" in options.split(","):
            return pathlib.Path(path)
    return None


@unittest.skipUnless(IS_ROOT, "a file system of its own needs root")
class SlowDiskTest(DroverTest):
    """A real file system on which each write waits for the device. The kernel limits the device's rate for
    the shim: a full ring of output takes two seconds."""
    RATE = 32 << 10  # bytes in a second

    def setUp(self):
        super().setUp()
        root = blkio_root()
        if root is None:
            self.skipTest("no blkio controller of version 1 is mounted here")
        image, self.disk = self.sandbox.root / "image", self.sandbox.root / "disk"
        self.disk.mkdir()
        with open(image, "wb") as file:
            file.truncate(16 * MB)
        subprocess.run(["mkfs.ext4", "-q", "-O", "^has_journal", str(image)], check=True)
        mounted = subprocess.run(["mount", "-o", "loop,sync", str(image), str(self.disk)],
                                 stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if mounted.returncode != 0:
            self.skipTest(f"cannot mount an ext4 image here: {mounted.stderr}")
        self.sandbox.own_mounts.append(str(self.disk))
        self.sandbox.alloc_dirs.append(self.disk)
        number = os.stat(self.disk).st_dev
        self.device = f"{os.major(number)}:{os.minor(number)}"
        self.throttled = root / self.sandbox.root.name
        self.throttled.mkdir()
        self.addCleanup(wait_until, self.remove_cgroup, "the shim leaves its cgroup")
        self.limit(self.RATE)

    def tearDown(self):
        if hasattr(self, "throttled"):
            self.limit(0)  # ends the waiting write
        super().tearDown()

    def limit(self, rate):
        (self.throttled / "blkio.throttle.write_bps_device").write_text(f"{self.device} {rate}")

    def remove_cgroup(self):
        try:
            self.throttled.rmdir()
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise
            return False
        return True

    def test_stop_is_on_time_and_the_task_never_waits_long(self):
        worst, total = self.sandbox.root / "worst", self.sandbox.root / "total"
        code = f"""
import os, signal, time
go_on = True
def stop(*_):
  global go_on
  go_on = False
signal.signal(signal.SIGINT, stop)
while not os.path.exists({str(self.sandbox.root / "go")!r}): time.sleep(0.01)
count = worst = 0
while go_on:
  begin = time.monotonic()
  os.write(1, b"%06d" % count + b"x" * 993 + b"\\n")
  count += 1
  took = time.monotonic() - begin
  if took > worst:
    worst = took
    open({str(worst)!r}, "w").write(str(worst))
  time.sleep(0.001)
open({str(total)!r}, "w").write(str(count))
"""
        run = self.sandbox.run(one(python_task("t", code)), "--alloc-dir", self.disk)
        run.wait_event("t", "Started")
        shims = self.leftovers.shims()
        self.assertEqual(len(shims), 1)
        (self.throttled / "cgroup.procs").write_text(str(shims[0]))
        (self.sandbox.root / "go").touch()
        first = run.wait_event("t", "Output Dropped")
        self.assertEqual((first["DisplayMessage"], first["Details"]["dropped_lines"]),
                         ("Output is being dropped: the disk of the log files is full or too slow",
                          "0"), "reported while it is lost")
        # The disk goes on slowly. The gap ends, its size is reported, and the next gap begins.
        run.wait_for(lambda r: any(int(e["Details"]["dropped_lines"]) > 0 for e in r.events("t")
                                   if e["Type"] == "Output Dropped"), "the first gap is counted")
        run.wait_for(lambda r: len([l for l in r.logs("t") if l.startswith("[drover] ")]) > 1,
                     "a second gap")
        start = time.monotonic()
        run.interrupt()
        self.assertEqual(run.wait(), 130, run.story())
        stopped = time.monotonic() - start
        print(f"longest write {float(worst.read_text()):.2f} s, stop {stopped:.2f} s", flush=True)
        self.assertLess(float(worst.read_text()), 1.0 * SLACK)
        self.assertGreater(float(worst.read_text()), 0.1, "the disk was not slow")
        self.assertLess(stopped, 2 + 3 * SLACK)

        # The end comes after the reports of all losses. Lines are whole and in order, and each missing line is
        # counted.
        self.assertEqual(run.event_types("t")[-3:], ["Output Dropped", "Terminated", "Killed"])
        dropped = int(run.events("t")[-3]["Details"]["dropped_lines"])
        written = int(total.read_text())
        shown = [line for line in run.logs("t") if not line.startswith("[drover] ")]
        self.assertTrue(all(len(line) == 999 for line in shown))
        numbers = [int(line[:6]) for line in shown]
        self.assertEqual(numbers, sorted(set(numbers)))
        self.assertGreater(dropped, 0)
        self.assertLessEqual(dropped, written)
        self.assertGreaterEqual(len(shown) + dropped, written)


class LogTakeoverTest(DroverTest):
    """A task numbers its lines, while the agents that show them die."""

    def setUp(self):
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()
        self.stop = self.sandbox.root / "stop"
        self.config = agent_config(self.sandbox)
        self.received = b""  # by a client that follows

    def start(self):
        self.agent = Agent(self.sandbox, dev=False, config=self.config)

    def replace_agent(self):
        self.agent.run.process.send_signal(signal.SIGKILL)
        self.agent.run.process.wait()
        self.start()

    def submit(self, line, pause, files=100):
        """Starts a task that writes LINE % number again and again, until the file STOP exists. FILES of its
        output are kept. Returns its allocation."""
        code = f"""
import os, time
number = 0
while number % 100 or not os.path.exists({str(self.stop)!r}):
  os.write(1, ({line!r} % number).encode())
  number += 1
  {pause}
os.write(1, b"end %d\\n" % number)
"""
        config = {"command": "/usr/bin/env", "args": ["python3", "-c", code]}
        self.agent.submit(job(group(task("t", config=config, LogConfig={
            "MaxFiles": files, "MaxFileSizeMB": 2}), EphemeralDisk={"SizeMB": 2 * files}), id="lines"))
        return self.agent.wait_allocs("lines", 1, "running")[0]["ID"]

    def follow(self, alloc):
        """A client that wants all output comes again, with its offset."""
        def complete():
            return re.search(rb"^end \d+\n\Z", self.received[-20:], re.M)
        while not complete():
            try:
                follower = Follower(self.agent, f"/v1/client/fs/logs/{alloc}", task="t", type="stdout",
                                    follow="true", origin="start", offset=len(self.received))
                while follower.status == 200 and not complete():
                    if (frame := follower.frame()) is None:
                        break
                    self.received += data([frame])
            except (OSError, http.client.HTTPException):
                time.sleep(0.02)

    def read(self, alloc):
        return self.agent.ask("GET", f"/v1/client/fs/logs/{alloc}", task="t", type="stdout",
                              origin="start", plain="true").body

    def events(self, alloc):
        """The events about lost output, as numbers of lines."""
        state = self.agent.get(f"/v1/allocation/{alloc}")["TaskStates"]["t"]
        return [int(event["Details"]["dropped_lines"]) for event in state["Events"]
                if event["Type"] == "Output Dropped"]

    def count(self, text):
        """Returns how many lines the task has written, and how many of them are reported as lost. Checks
        that all others are there, once, in order."""
        *lines, last = text.decode().splitlines()
        number = lost = 0
        for line in lines:
            if gap := re.fullmatch(r"\[drover\] (\d+) lines? dropped", line):
                number += int(gap.group(1))
                lost += int(gap.group(1))
            else:
                self.assertEqual(int(line.split()[0]), number)
                number += 1
        self.assertEqual(last, f"end {number}")
        return number, lost

    def end(self, alloc):
        wait_until(lambda: self.agent.get(f"/v1/allocation/{alloc}")["ClientStatus"] == "complete",
                   "the end of the task")

    def forget(self):
        self.agent.must("DELETE", "/v1/job/lines", purge="true")
        self.agent.must("PUT", "/v1/system/gc")
        self.agent.stop()

    def test_no_line_is_lost_when_agents_are_killed_under_a_client_that_follows(self):
        self.start()
        alloc = self.submit("%09d\n", "")
        client = threading.Thread(target=self.follow, args=(alloc,), daemon=True)
        client.start()
        shims = self.leftovers.shims()
        for _ in range(3):
            seen = len(self.received)
            wait_until(lambda: len(self.received) > seen + MB, "another MB of lines")
            self.replace_agent()

        def usage():
            reply = self.agent.ask("GET", f"/v1/client/allocation/{alloc}/stats")
            return reply.status == 200 and json.loads(reply.body)["ResourceUsage"]
        wait_until(lambda: usage() and usage()["CpuStats"]["Percent"] > 1, "the task works")
        self.assertEqual(self.leftovers.shims(), shims, "it is the same task")
        self.stop.touch()
        client.join(harness.LIMIT)
        self.assertFalse(client.is_alive(), self.received[-100:])
        self.end(alloc)
        self.assertEqual(self.read(alloc), self.received)
        number, lost = self.count(self.received)
        print(f"{number} lines, {lost} of them reported as lost", flush=True)
        self.assertEqual(self.events(alloc)[-1:], [lost] if lost else [])
        self.forget()

    @unittest.skipUnless(IS_ROOT, "a file system of its own needs root")
    def test_the_next_agent_hears_of_output_that_is_dropped(self):
        disk = self.sandbox.root / "disk"
        disk.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", str(disk)], check=True)
        self.sandbox.own_mounts.append(str(disk))
        self.sandbox.alloc_dirs.append(disk)
        self.config = agent_config(self.sandbox, client={"alloc_dir": str(disk)})
        self.start()
        alloc = self.submit("%09d " + "x" * 989 + "\n", "time.sleep(0.002)", files=5)
        wait_until(lambda: self.read(alloc), "output")
        self.replace_agent()
        blocker = os.open(disk / "blocker", os.O_WRONLY | os.O_CREAT)
        try:
            with self.assertRaises(OSError):
                while True:
                    os.write(blocker, bytes(4096))
            wait_until(lambda: self.events(alloc) == [0], "a report while it is lost")
            os.ftruncate(blocker, 0)
        finally:
            os.close(blocker)
        wait_until(lambda: self.events(alloc)[-1] > 0, "the lost lines are counted")
        self.stop.touch()
        self.end(alloc)
        number, lost = self.count(self.read(alloc))
        print(f"{number} lines, {lost} of them reported as lost", flush=True)
        self.assertGreater(lost, 0)
        self.assertEqual(self.events(alloc)[-1], lost)
        (disk / "blocker").unlink()
        self.forget()


if __name__ == "__main__":
    harness.main()
