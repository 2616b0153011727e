# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Damages the state of an agent with 20 tasks, again and again, while no agent runs. The next agent
serves within seconds, goes on with every task that it can still find, ends the others, as
unknown_tasks demands, and logs that.

The tasks record their lives themselves. The seed alone decides the damages. Arguments: --seed, --damages.
"""
import argparse
import collections
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import time
import unittest
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
import harness  # noqa: E402
from agent_harness import agent_config  # noqa: E402
from harness import SLACK  # noqa: E402
from test_takeover import TakeoverCase  # noqa: E402

TASKS = 20
UP_WITHIN = 5 * SLACK  # s
EXIT_NEWER = 3
# The sizes of the files, in bytes.
PAGE, FRAME, LOG_HEADER, FILE_HEADER, PAGE_HEADER = 4096, 4120, 32, 100, 8
OPTIONS = argparse.Namespace(seed=1, damages=9)


def flip(data, chance):
    """Returns the offset of the changed byte."""
    at = chance.randrange(len(data))
    data[at] ^= 1 << chance.randrange(8)
    return at


def truncate(data, chance):
    del data[chance.randrange(len(data)):]


def zero(data, chance):
    begin = chance.randrange(len(data))
    end = min(len(data), begin + chance.randrange(1, 16384))
    data[begin:end] = bytes(end - begin)


def most_lost(way, at):
    """How many tasks may be lost. A bit costs only its record, but a bit in the number of a page's
    records costs the page."""
    if way == "full disk":
        return 0
    if not way.startswith("flip"):
        return TASKS
    log = "log" in way
    page, place = divmod(at - LOG_HEADER, FRAME) if log else divmod(at, PAGE)
    place -= FRAME - PAGE if log else FILE_HEADER if page == 0 else 0
    return TASKS if 0 <= place < PAGE_HEADER else 1


# Name: the damage, the file, and whether the disk is full then.
WAYS = {
    "flip": (flip, "state.db", False),
    "truncation": (truncate, "state.db", False),
    "zeros": (zero, "state.db", False),
    "flip in the log": (flip, "state.db-wal", False),
    "truncated log": (truncate, "state.db-wal", False),
    "zeros in the log": (zero, "state.db-wal", False),
    "full disk": (None, "state.db", True),
    "flip, full disk": (flip, "state.db", True),
    "zeros, full disk": (zero, "state.db", True),
}


def alive_as(start):
    _, pid, began, _ = start
    try:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return stat.rsplit(")", 1)[1].split()[19] == began


def checksum(*texts):
    """The checksum of a record of the store."""
    total = 0
    for text in texts:
        total = zlib.crc32(struct.pack("<Q", len(text)) + text, total)
    return total


@unittest.skipUnless(harness.IS_ROOT, "only root can mount a small tmpfs")
class StoreDamageTest(TakeoverCase):
    def setUp(self):
        super().setUp()
        self.agent.stop()
        self.state = self.sandbox.root / "data/state"
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m,mode=700", "tmpfs", self.state],
                       check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", self.state], check=False,
                        stderr=subprocess.DEVNULL)
        self.agent = self.start()
        self.turn = 0

    def begin_tasks(self):
        self.turn += 1
        self.tasks = self.submit_witness(f"w{self.turn}", TASKS)

    def settled(self):
        """Whether exactly those tasks live that the agent has as running, none of them twice."""
        running = {a["ID"] for a in self.agent.get("/v1/allocations")
                   if a["ClientStatus"] == "running"}
        for each in self.tasks:
            first = each.starts()[0]
            alive = [alive_as(start) for start in each.starts()]
            self.assertLessEqual(sum(alive), 1, f"{first} runs twice")
            if any(alive) != (first[3] in running):
                return False
        return True

    def damage(self, way):
        """Damages the state of an ended agent, and returns how many tasks that may cost."""
        change, name, full = WAYS[way]
        at = None
        path = self.state / name
        if change:
            data = bytearray(path.read_bytes())
            at = change(data, self.chance)
            path.write_bytes(data)
        if full:
            self.fill_disk()
        return most_lost(way, at)

    def fill_disk(self):
        with open(self.state / "filler", "wb", buffering=0) as filler:
            for size in (1 << 16, 512):
                try:
                    while filler.write(bytes(size)):
                        pass
                except OSError:
                    pass

    def kill_while_in_the_log(self):
        """Starts the tasks again, and kills the agent while their records are in the log only."""
        while True:
            self.clear()
            self.begin_tasks()
            self.kill()
            # A log that was emptied has one page, without anything new.
            if (self.state / "state.db-wal").stat().st_size > LOG_HEADER + 2 * FRAME:
                return
            self.agent = self.start()

    def round(self, way):
        if "log" in way:
            self.kill_while_in_the_log()
        else:
            self.agent.stop()  # a stop moves all records from the log to the file
        may_cost = self.damage(way)
        begin = time.monotonic()
        self.agent = self.start()
        up = time.monotonic() - begin
        self.assertLess(up, UP_WITHIN, way)
        # The agent starts nothing again until there is room.
        (self.state / "filler").unlink(missing_ok=True)
        harness.wait_until(self.settled, f"{way}: the end of the unknown tasks")
        untouched = {each.starts()[0][3] for each in self.tasks
                     if len(each.starts()) == 1 and each.alive()}
        ours = {each.starts()[0][3] for each in self.tasks}
        lost = len(ours - untouched)
        if lost:
            # A log that ends early looks complete.
            logged = ("belongs to no task that this agent knows" if way == "truncated log" else
                      "the agent's state: ")
            self.assertIn(logged, self.agent.run.err, way)
        print(f"{way}: the API after {1000 * up:.0f} ms, {lost} of {len(self.tasks)} tasks lost",
              flush=True)
        self.assertLessEqual(lost, may_cost)
        # There is room now, so a task starts.
        again = harness.wait_until(lambda: self.try_submit(f"next-{self.turn}-{self.rounds}"), "a job")
        self.assertTrue(again)
        self.up.append(up)
        self.losses[way].append(lost)
        if lost:
            self.clear()
            self.begin_tasks()

    def try_submit(self, name):
        spec = harness.job(harness.group(harness.task("t", "exec sleep 1000")), id=name)
        if self.agent.ask("PUT", "/v1/jobs", spec).status != 200:
            return None
        self.agent.wait_allocs(name, 1, "running")
        self.agent.must("DELETE", f"/v1/job/{name}", purge="true")
        return True

    def clear(self):
        """Ends all tasks, also those of which a damaged state has lost records."""
        for each in self.agent.get("/v1/jobs"):
            self.agent.must("DELETE", f"/v1/job/{each['ID']}", purge="true",
                            no_shutdown_delay="true")
        harness.wait_until(lambda: not self.live(), "the end of all tasks")
        self.agent.must("PUT", "/v1/system/gc")
        for kept in self.state.glob("*.damaged-*"):
            kept.unlink()

    def tearDown(self):
        if not self._outcome_failed():
            self.clear()
            self.agent.stop()
            # The agent keeps the directories of allocations whose records were lost.
            for left in self.sandbox.alloc_dirs[0].iterdir():
                subprocess.run(f"umount {left}/*/secrets {left}/*/private", shell=True, check=False,
                               stderr=subprocess.DEVNULL)
                shutil.rmtree(left, ignore_errors=True)
            subprocess.run(["umount", self.state], check=True)
        super().tearDown()

    def test_damage_costs_what_is_damaged(self):
        self.chance = random.Random(OPTIONS.seed)
        self.losses = collections.defaultdict(list)
        self.up = []
        self.begin_tasks()
        for self.rounds in range(OPTIONS.damages):
            way = list(WAYS)[self.rounds % len(WAYS)]
            with self.subTest(way=way, round=self.rounds):
                self.round(way)
        print(f"{len(self.up)} damages: the API after at most {1000 * max(self.up):.0f} ms")
        for way, losses in self.losses.items():
            print(f"  {way}: of {TASKS} tasks lost, in each round: {losses}")

    def test_an_agent_that_starts_on_a_full_disk_has_its_tasks(self):
        self.begin_tasks()
        self.agent.stop()
        self.fill_disk()
        self.agent = self.start()
        _, pid, _, alloc = self.tasks[0].starts()[0]
        os.kill(int(pid), signal.SIGKILL)
        harness.wait_until(lambda: "Terminated" in self.events(alloc), "what became of the task")
        (self.state / "filler").unlink()
        self.assert_untouched(self.tasks[1:])
        harness.wait_until(lambda: self.try_submit("next"), "a job")

    def test_an_end_on_a_full_disk_is_no_reason_to_start_again(self):
        for name, end in ("killed", self.kill), ("stopped", lambda: self.agent.stop()):
            out, go = (self.sandbox.root / f"{name}.{of}" for of in ("out", "go"))
            self.agent.submit(harness.job(harness.group(harness.task(
                "t", f"echo start >> {out}; while [ ! -e {go} ]; do sleep 0.05; done")), id=name))
            alloc = self.agent.wait_allocs(name, 1, "running")[0]["ID"]
            harness.wait_until(out.exists, "its start")
            self.fill_disk()
            go.write_text("")
            harness.wait_until(lambda: "Terminated" in self.events(alloc), "its event")
            end()
            (self.state / "filler").unlink()
            self.agent = self.start()
            self.agent.wait_allocs(name, 1, "complete")
            self.assertEqual(out.read_text(), "start\n")
            self.assertEqual(self.events(alloc).count("Started"), 1)

    def test_a_newer_state_is_refused_and_not_changed(self):
        self.begin_tasks()
        self.agent.stop()
        path = self.state / "state.db"
        before = path.read_bytes()
        database = sqlite3.connect(path)
        database.execute("UPDATE meta SET value = '99', sum = ? WHERE key = 'version'",
                         (checksum(b"meta", b"version", b"99"),))
        database.execute("PRAGMA user_version = 99")
        database.commit()
        database.close()
        newer = path.read_bytes()
        run = harness.Run(self.sandbox, ["agent", "--config", agent_config(self.sandbox)], json_lines=False)
        self.sandbox.runs.append(run)
        self.assertEqual(run.wait(), EXIT_NEWER, run.story())
        self.assertIn("was written by a newer version of this program", run.err)
        self.assertEqual(path.read_bytes(), newer)
        unit = (pathlib.Path(__file__).resolve().parents[2] / "packaging/drover.service").read_text()
        self.assertIn(f"RestartPreventExitStatus={EXIT_NEWER}\n", unit)
        self.assert_untouched(self.tasks)
        for log in self.state.glob("state.db-*"):
            log.unlink()
        path.write_bytes(before)
        self.agent = self.start()
        harness.wait_until(self.settled, "the tasks")
        self.assert_untouched(self.tasks)


def options(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--seed", type=int, default=OPTIONS.seed)
    parser.add_argument("--damages", type=int, default=OPTIONS.damages)
    return parser.parse_known_args(arguments, OPTIONS)[1]


if __name__ == "__main__":
    rest = options(sys.argv[1:])
    print(f"seed {OPTIONS.seed}, {OPTIONS.damages} damages", flush=True)
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
