# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""An agent that is killed or stopped, and the next one, which takes its tasks over. Each task records its
own life, so that the tests need not trust the agent."""
import contextlib
import datetime
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import time
import unittest

import harness
from agent_harness import Agent, agent_config
from harness import SLACK, DroverTest, Run, group, job, task

# Appends one line when it starts, and its count of seconds while it lives. Succeeds when it is asked to end.
WITNESS = """
echo "start $$ $(cut -d' ' -f22 /proc/$$/stat) $NOMAD_ALLOC_ID" >> "$OUT"
trap 'echo "stop $$" >> "$OUT"; exit 0' INT TERM
while :; do echo "beat $$" >> "$OUT.beat"; sleep 0.2 & wait $!; done
"""


def nanoseconds(text):
    """Nanoseconds since 1970, for a time of the API."""
    seconds, _, fraction = text.rstrip("Z").partition(".")
    whole = datetime.datetime.fromisoformat(seconds + "+00:00").timestamp()
    return int(whole) * 10**9 + int(fraction.ljust(9, "0"))


class Witness:
    """The output of the tasks of an allocation."""

    def __init__(self, directory, name):
        self.path = pathlib.Path(directory) / name

    def lines(self, word):
        try:
            return [line.split() for line in self.path.read_text().splitlines()
                    if line.startswith(word)]
        except FileNotFoundError:
            return []

    def starts(self):
        return self.lines("start")

    def alive(self):
        """Whether the process of the last start lives."""
        return not self.dead(-1)

    def dead(self, start):
        """Whether the process of one of its starts has ended."""
        _, pid, began, _ = self.starts()[start]
        try:
            stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
        except FileNotFoundError:
            return True
        return stat.rsplit(")", 1)[1].split()[19] != began


class TakeoverCase(DroverTest):
    def setUp(self):
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()
        self.witnesses = self.sandbox.root / "witnesses"
        self.witnesses.mkdir(mode=0o777)
        self.agent = self.start()

    def tearDown(self):
        if self.agent.run.process.poll() is None:
            for each in self.agent.get("/v1/jobs"):
                self.agent.must("DELETE", f"/v1/job/{each['ID']}", purge="true",
                                no_shutdown_delay="true")
            harness.wait_until(lambda: not self.live(), "the end of all tasks")

            def forgotten():
                """An allocation whose runs are not yet released is not collected. A stopped agent leaves interrupted
                work to the next one."""
                self.agent.must("PUT", "/v1/system/gc")
                return not (self.leftovers.allocations() or self.named())
            harness.wait_until(forgotten, "all jobs to be forgotten")
            self.agent.stop()
        super().tearDown()

    def named(self):
        """The runs and allocations in ledgers: those that still exist."""
        return [line for ledger in self.sandbox.run_dir.glob("*.ledger")
                for line in ledger.read_text().splitlines()
                if line.startswith(("run ", "alloc "))]

    def start(self):
        return Agent(self.sandbox, dev=False)

    def start_with(self, **fields):
        self.agent = Agent(self.sandbox, dev=False, config=agent_config(self.sandbox, **fields))

    def events(self, alloc):
        return [event["Type"] for event in
                self.agent.get(f"/v1/allocation/{alloc}")["TaskStates"]["t"]["Events"]]

    def live(self):
        return [a for a in self.agent.get("/v1/allocations")
                if a["ClientStatus"] in ("pending", "running")]

    def kill(self):
        """Kills the agent by SIGKILL."""
        self.agent.run.process.send_signal(signal.SIGKILL)
        self.agent.run.process.wait()

    def witness(self, name):
        return Witness(self.witnesses, name)

    def witness_task(self, name="t", **fields):
        fields.setdefault("Env", {})["OUT"] = str(self.witnesses / "${NOMAD_JOB_ID}.${NOMAD_ALLOC_INDEX}")
        return task(name, WITNESS, **fields)

    def submit_witness(self, job_id, count=1, **fields):
        policy = {"Attempts": 3, "Delay": 100_000_000, "Interval": 60_000_000_000, "Mode": "fail"}
        self.agent.submit(job(group(self.witness_task(**fields), Count=count, RestartPolicy=policy),
                              id=job_id))
        self.agent.wait_allocs(job_id, count, "running")
        found = [self.witness(f"{job_id}.{i}") for i in range(count)]
        for each in found:
            harness.wait_until(each.starts, "the start of a witness")
        return found

    def assert_untouched(self, witnesses):
        for each in witnesses:
            self.assertEqual(len(each.starts()), 1, each.path.read_text())
            self.assertEqual(each.lines("stop"), [])
            self.assertTrue(each.alive(), each.path)


class FailedAllocTest(TakeoverCase):
    """A task has failed, and its sibling has not ended yet. Nobody else gets what the allocation has, also from the
    next agent."""

    def spec(self, job_id, stay, port, **fields):
        fail = task("fails", f"until [ -e {self.sandbox.root}/fail ]; do sleep 0.05; done; exit 1")
        return job(group(task("t", stay, KillTimeout="25s"), *([fail] if job_id == "first" else []),
                         Networks=[{"ReservedPorts": [{"Label": "x", "Value": port}]}], **fields),
                   id=job_id, type="service")

    def test_its_port_is_taken_until_its_last_task_has_ended(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        go = self.sandbox.root / "go"
        deaf = f"trap '' INT TERM; until [ -e {go} ]; do sleep 0.05; done"
        self.agent.submit(self.spec("first", deaf, port))
        first = self.agent.wait_allocs("first", 1, "running")[0]["ID"]
        self.agent.wait_tasks(first, lambda tasks: all(one["State"] == "running" for one in tasks.values()),
                              "both tasks")
        (self.sandbox.root / "fail").touch()
        self.agent.wait_allocs("first", 1, "failed")
        stays = "trap 'exit 0' INT TERM; while :; do sleep 0.1 & wait $!; done"
        self.agent.submit(self.spec("second", stays, port))
        self.assertEqual(self.agent.allocs("second"), [])
        self.kill()
        self.agent = self.start()
        self.agent.must("PUT", "/v1/job/second/evaluate", {"JobID": "second"})
        self.assertEqual(self.agent.allocs("second"), [], "the next agent knows it, too")
        self.assertEqual(self.agent.get(f"/v1/allocation/{first}")["TaskStates"]["t"]["State"], "running")
        reply = self.agent.ask("PUT", f"/v1/client/allocation/{first}/gc")
        self.assertNotEqual(reply.status, 200, reply.body)
        go.touch()
        self.agent.wait_allocs("second", 1, "running")


class MissingDriverTest(TakeoverCase):
    """The next agent does not have the driver of its tasks."""

    def test_tasks_of_a_driver_that_cannot_be_loaded_go_on_until_it_can(self):
        witnesses = self.submit_witness("web", 2)
        alloc = witnesses[0].starts()[0][3]
        self.kill()
        missing = {"raw_exec": {"file": str(self.sandbox.root / "missing.so")}}
        self.start_with(plugins=missing)
        harness.wait_until(lambda: self.events(alloc)[-1] == "Plugin became unhealthy", "its event")
        self.agent.wait_allocs("web", 2, "running")
        self.agent.stop()
        self.agent = self.start()
        harness.wait_until(lambda: self.events(alloc)[-1] == "Plugin became healthy", "its event")
        self.assert_untouched(witnesses)
        # They can be stopped without the driver.
        self.kill()
        self.start_with(plugins=missing)
        self.agent.must("DELETE", "/v1/job/web")
        harness.wait_until(lambda: all(each.dead(-1) for each in witnesses), "the end of the tasks")

    def test_tasks_of_a_driver_that_is_not_configured_any_more_end(self):
        witness, = self.submit_witness("web")
        self.kill()
        self.start_with(plugins={"mock_driver": {"file": str(harness.plugin_file("mock_driver"))}})
        self.agent.wait_allocs("web", 1, "failed")
        self.assertTrue(witness.dead(-1), "the task of a failed allocation runs on")


class TakeoverTest(TakeoverCase):
    def test_running_tasks_do_not_notice(self):
        witnesses = self.submit_witness("web", 3)
        before = {a["ID"]: a for a in self.agent.allocs("web")}
        node = self.agent.get("/v1/nodes")[0]["ID"]
        for end in ("kill", "stop", "kill"):
            with self.subTest(end):
                if end == "kill":
                    self.kill()
                else:
                    self.agent.stop()
                self.assert_untouched(witnesses)
                self.agent = self.start()
                self.agent.wait_allocs("web", 3, "running")
                self.assert_untouched(witnesses)
        after = {a["ID"]: a for a in self.agent.allocs("web")}
        self.assertEqual(before.keys(), after.keys())
        self.assertEqual(self.agent.get("/v1/nodes")[0]["ID"], node)
        for alloc_id, alloc in after.items():
            self.assertEqual([alloc[key] for key in ("ModifyIndex", "ModifyTime")],
                             [before[alloc_id][key] for key in ("ModifyIndex", "ModifyTime")])
            state, old = (a["TaskStates"]["t"] for a in (alloc, before[alloc_id]))
            self.assertEqual((state["Restarts"], state["StartedAt"], state["State"]),
                             (0, old["StartedAt"], "running"))
            self.assertEqual([e["Type"] for e in state["Events"]],
                             ["Received", "Task Setup", "Started"])
        # It is in charge again: it notices an end, and it can stop a task.
        os.kill(int(witnesses[0].starts()[0][1]), signal.SIGKILL)
        harness.wait_until(lambda: len(witnesses[0].starts()) == 2 or None, "the restart")
        self.agent.must("DELETE", "/v1/job/web")
        self.agent.wait_allocs("web", 3, "complete", desired="stop")
        self.assertEqual(len(witnesses[1].lines("stop")), 1)

    def test_an_agent_without_descriptors_loses_no_task(self):
        witnesses = self.submit_witness("web", 40, Resources={"CPU": 1, "MemoryMB": 10})
        self.kill()
        poor = Run(self.sandbox, ["agent", "--config", agent_config(self.sandbox), "--port", "0"],
                   json_lines=False, command=[
                       "/bin/sh", "-c", 'ulimit -n 96; exec "$0" "$@"', harness.binary()])
        self.sandbox.runs.append(poor)
        poor.wait_for(lambda run: "could not be re-attached yet" in run.err,
                      "the message about the task")
        poor.process.send_signal(signal.SIGKILL)
        poor.process.wait()
        self.assert_untouched(witnesses)
        self.agent = self.start()
        self.agent.wait_allocs("web", 40, "running")
        self.assert_untouched(witnesses)

    @unittest.skipUnless(harness.IS_ROOT, "other users need root")
    def test_a_task_goes_on_although_it_could_not_be_set_up_now(self):
        links = {"shared": "NOMAD_ALLOC_DIR/data", "own": "NOMAD_TASK_DIR"}
        for name, path in links.items():
            self.agent.submit(job(group(task(
                "t", f"rmdir ${path} && ln -s /tmp ${path} && echo linked; exec sleep 1000",
                User="nobody")), id=name, type="service"))
        pids = {}
        for name in links:
            alloc = self.agent.wait_allocs(name, 1, "running")[0]["ID"]
            pids[alloc] = harness.wait_until(lambda: self.sleeping_in(alloc), "the attack")
        self.kill()
        self.agent = self.start()
        for name in links:
            self.agent.wait_allocs(name, 1, "running")
        for alloc, pid in pids.items():
            self.assertEqual(self.sleeping_in(alloc), pid)
            self.assertEqual(self.events(alloc).count("Started"), 1)

    def sleeping_in(self, alloc):
        found = [pid for pid, line in self.leftovers.processes().items() if line == "sleep 1000" and
                 alloc.encode() in pathlib.Path(f"/proc/{pid}/environ").read_bytes()]
        return found[0] if found else None

    def test_a_task_goes_on_although_its_configuration_is_no_longer_valid(self):
        self.kill()
        self.start_with(client={"meta": {"rack": "r1"}})
        witness, = self.submit_witness("web", Env={"RACK": "${meta.rack}"}, Config={
            "command": "/bin/sh", "args": ["-c", WITNESS, "${meta.rack}"]})
        self.agent.stop()
        self.agent = self.start()
        self.agent.wait_allocs("web", 1, "running")
        self.assert_untouched([witness])

    def test_agents_that_end_while_they_take_over(self):
        witnesses = self.submit_witness("web", 3)
        for turn in range(16):
            self.kill() if turn % 2 else self.agent.stop()
            self.assert_untouched(witnesses)
            self.agent = self.start()

    def test_ends_meanwhile_are_reported_with_code_and_time(self):
        flag = self.sandbox.root / "end"
        waits = f'while [ ! -e {flag} ]; do sleep 0.05; done; exit '
        self.agent.submit(job(group(task("t", waits + "0")), id="good"))
        self.agent.submit(job(group(task("t", waits + "7"), RestartPolicy={"Attempts": 0,
                                                                          "Mode": "fail"}), id="bad"))
        for name in ("good", "bad"):
            self.agent.wait_allocs(name, 1, "running")
        self.kill()
        killed_at = time.time_ns()
        flag.write_text("")
        exits = self.sandbox.run_dir
        harness.wait_until(lambda: len([*exits.glob("*.exit")]) == 2, "the exit records of both")
        ended_before = time.time_ns()
        self.agent = self.start()
        self.agent.wait_allocs("good", 1, "complete")
        failed = self.agent.wait_allocs("bad", 1, "failed")[0]
        events = failed["TaskStates"]["t"]["Events"]
        ended = [e for e in events if e["Type"] == "Terminated"]
        self.assertEqual([e["ExitCode"] for e in ended], [7])
        for name in ("good", "bad"):
            state = self.agent.allocs(name)[0]["TaskStates"]["t"]
            self.assertEqual(state["Restarts"], 0)
            times = [e["Time"] for e in state["Events"] if e["Type"] == "Terminated"]
            times.append(nanoseconds(state["FinishedAt"]))
            self.assertEqual(len(times), 2)
            for when in times:
                self.assertTrue(killed_at <= when <= ended_before, (killed_at, when, ended_before))

    def test_what_was_over_stays_over(self):
        out = self.witnesses / "once"
        self.agent.submit(job(group(task("t", f"echo start >> {out}")), id="once"))
        alloc = self.agent.wait_allocs("once", 1, "complete")[0]
        self.agent.must("DELETE", "/v1/job/once")
        self.kill()
        self.agent = self.start()
        self.submit_witness("later")
        self.assertEqual(out.read_text(), "start\n")
        again = self.agent.allocs("once")[0]
        self.assertEqual((again["ClientStatus"], again["TaskStates"]["t"]["FinishedAt"]),
                         ("complete", alloc["TaskStates"]["t"]["FinishedAt"]))

    def test_many_that_were_over_stay_over(self):
        """40 allocations that have ended in each way, and five agents that find them."""
        out = self.witnesses / "starts"
        started = f"echo $NOMAD_ALLOC_ID >> {out}; "
        once = {"Attempts": 0, "Mode": "fail"}
        ways = {"good": started + "exit 0", "bad": started + "exit 3",
                "stopped": started + "exec sleep 1000", "last": started + "exit 0"}
        for name, script in ways.items():
            last = [task("late", started, Lifecycle={"Hook": "poststop"})] if name == "last" else []
            self.agent.submit(job(group(task("t", script, Resources={"CPU": 1, "MemoryMB": 10}), *last,
                                        Count=10, RestartPolicy=once), id=name,
                                  type="service" if name == "stopped" else "batch"))
        self.agent.wait_allocs("stopped", 10, "running")
        self.agent.must("DELETE", "/v1/job/stopped")
        for name, status in (("good", "complete"), ("bad", "failed"), ("last", "complete")):
            self.agent.wait_allocs(name, 10, status)
        self.agent.wait_allocs("stopped", 10, "complete", desired="stop")
        ids = {alloc["ID"] for name in ways for alloc in self.agent.allocs(name)}
        before = self.reported(ids)
        written = sorted(out.read_text().split())
        self.assertEqual((len(ids), len(written)), (40, 50))
        records = None
        for turn in range(5):
            self.kill()
            now = self.records(ids)
            self.assertEqual(records or now, now, turn)
            records = now
            self.agent = self.start()
            # New tasks start when the agent has handled all its records.
            self.submit_witness(f"new-{turn}")
            self.assertEqual(self.reported(ids), before)
        self.assertEqual({key[0] for key in records}, {"placed", "told", "task", "local"})
        self.assertEqual(sorted(out.read_text().split()), written)

    def reported(self, ids):
        return {alloc_id: self.agent.get(f"/v1/allocation/{alloc_id}") for alloc_id in ids}

    def records(self, ids):
        """The records of these allocations, while there is no agent."""
        with contextlib.closing(sqlite3.connect(self.sandbox.root / "data/state/state.db")) as file:
            found = file.execute("SELECT kind, id, value FROM record").fetchall()
        return {(kind, key): value for kind, key, value in found if key.partition("/")[0] in ids}

    def test_a_stop_goes_on(self):
        witness = self.submit_witness("slow", ShutdownDelay=2_000_000_000)[0]
        self.agent.must("DELETE", "/v1/job/slow")
        self.kill()
        self.assertTrue(witness.alive())
        self.agent = self.start()
        self.agent.wait_allocs("slow", 1, "complete", desired="stop")
        self.assertEqual((len(witness.starts()), len(witness.lines("stop"))), (1, 1))

    @unittest.skipUnless(harness.IS_ROOT, "network namespaces need root")
    def test_a_group_without_network_keeps_its_own(self):
        note = f'readlink /proc/self/ns/net >> {self.witnesses}/$NOMAD_TASK_NAME; '
        stays = note + "exec sleep 1000"
        last = task("last", note, Lifecycle={"Hook": "poststop"})
        self.agent.submit(job(group(task("a", stays, ShutdownDelay=2_000_000_000), task("b", stays),
                                    last, Networks=[{"Mode": "none"}]), id="alone"))
        alloc = self.agent.wait_allocs("alone", 1, "running")[0]
        networks = [self.witnesses / name for name in ("a", "b", "last")]
        harness.wait_until(lambda: all(path.exists() for path in networks[:2]) or None, "both tasks")
        self.kill()
        self.agent = self.start()
        restart = f"/v1/client/allocation/{alloc['ID']}/restart"
        harness.wait_until(  # after the agent has recovered it
            lambda: self.agent.ask("PUT", restart, {"TaskName": "b"}).status == 200 or None, restart)
        harness.wait_until(lambda: len(networks[1].read_text().split()) == 2 or None, "the restart")
        # The work after a stop, when nothing else starts, has it too.
        self.agent.must("DELETE", "/v1/job/alone")
        self.kill()
        self.agent = self.start()
        self.agent.wait_allocs("alone", 1, "complete", desired="stop")
        seen = [line for path in networks for line in path.read_text().split()]
        self.assertEqual((len(seen), len(set(seen))), (4, 1), seen)
        self.assertNotIn(os.readlink("/proc/self/ns/net"), seen)
        mark = f"{self.sandbox.run_dir}/networks-"
        harness.wait_until(lambda: mark not in pathlib.Path("/proc/self/mountinfo").read_text(),
                           "the end of its namespace")

    def test_requests_are_kept_that_were_answered(self):
        names = [f"job-{i}" for i in range(20)]
        for name in names:
            self.agent.submit(job(group(task("t", "sleep 1000")), id=name))
        meta = self.agent.must("POST", "/v1/client/metadata", {"Meta": {"rack": "7", "zone": None}})
        self.kill()
        self.agent = self.start()
        for name in names:
            self.agent.wait_allocs(name, 1, "running")
        self.assertEqual(self.agent.get("/v1/client/metadata"), meta)
        node = self.agent.get("/v1/nodes")[0]["ID"]
        self.assertEqual(self.agent.get(f"/v1/node/{node}")["Meta"], {"rack": "7"})


class UnknownTaskTest(TakeoverCase):
    """A task runs, and an agent's records of it are lost. The task "other" is always known."""

    def start(self, unknown="stop"):
        config = agent_config(self.sandbox, client={"unknown_tasks": unknown})
        return Agent(self.sandbox, dev=False, config=config)

    def lose(self, lost):
        """Kills the agent, and damages its file or one record of a task of the job `web`."""
        alloc_id = self.agent.allocs("web")[0]["ID"]
        self.kill()
        state = self.sandbox.root / "data/state/state.db"
        if lost == "file":
            for path in state.parent.glob("state.db*"):
                path.write_bytes(b"\0" * 8192)
            return alloc_id
        key = (lost, alloc_id if lost == "placed" else alloc_id + "/t")
        with contextlib.closing(sqlite3.connect(state)) as file, file:
            changed = file.execute("UPDATE record SET sum = sum + 1 WHERE kind = ? AND id = ?", key)
            self.assertEqual(changed.rowcount, 1, key)
        return alloc_id

    def forget_files(self, alloc_id):
        """The operator removes these directories: they may be the last remains of somebody's work."""
        left = self.sandbox.alloc_dirs[0] / alloc_id
        self.assertTrue(left.is_dir())
        if harness.IS_ROOT:
            subprocess.run(["umount", left / "t/secrets"], check=True)
        shutil.rmtree(left)

    def assert_stopped(self, witness, starts):
        harness.wait_until(lambda: len(witness.starts()) == starts and witness.dead(0) or None,
                           "the end of an unknown task")
        self.assertIn(": it is stopped", self.agent.run.err)

    def assert_kept(self, witness):
        """Checks that the task runs on over two more agents without a second start, and that each logs it. The
        agent that finds it ended logs that, and no later agent mentions it."""
        logged = ": unknown_tasks keeps it"
        for _ in range(2):
            self.assertEqual(self.agent.run.err.count(logged), 1, self.agent.run.err)
            self.submit_witness(f"after-{len(self.sandbox.runs)}")
            self.assert_untouched([witness])
            self.kill()
            self.assert_untouched([witness])
            self.agent = self.start("keep")
        self.assertEqual(self.agent.run.err.count(logged), 1, self.agent.run.err)
        self.assert_untouched([witness])

    def test_a_lost_file_with_stop(self):
        witness = self.submit_witness("web")[0]
        alloc_id = self.lose("file")
        self.agent = self.start()
        self.assert_stopped(witness, starts=1)
        self.assertIn("state.db.damaged-", self.agent.run.err)
        self.assertEqual(self.agent.get("/v1/jobs"), [])
        self.forget_files(alloc_id)

    def test_a_lost_file_with_keep(self):
        witness = self.submit_witness("web")[0]
        alloc_id = self.lose("file")
        self.agent = self.start("keep")
        self.assertEqual(self.agent.get("/v1/jobs"), [])
        self.assert_kept(witness)
        # It ends while there is no agent.
        self.kill()
        os.kill(int(witness.starts()[0][1]), signal.SIGTERM)
        harness.wait_until(lambda: witness.dead(0) or None, "the end")
        for said in (1, 0):
            self.agent = self.start("keep")
            self.assertEqual(self.agent.run.err.count("belongs to no task that this agent knows"),
                             said)
            self.assertEqual(self.agent.run.err.count(": it has ended"), said)
            self.kill()
        self.agent = self.start()
        self.forget_files(alloc_id)

    def test_a_lost_allocation_with_stop(self):
        other, = self.submit_witness("other")
        witness, = self.submit_witness("web")
        alloc_id = self.lose("placed")
        self.agent = self.start()
        self.assert_stopped(witness, starts=1)
        self.assertEqual(self.agent.allocs("web"), [])
        self.assert_untouched([other])
        self.forget_files(alloc_id)

    def test_a_lost_allocation_with_keep(self):
        other, = self.submit_witness("other")
        witness, = self.submit_witness("web")
        alloc_id = self.lose("placed")
        self.agent = self.start("keep")
        self.assertIn(f"the record of allocation {alloc_id} is lost: unknown_tasks keeps it",
                      self.agent.run.err)
        self.assertEqual(self.agent.allocs("web"), [])
        self.assert_kept(witness)
        self.assert_untouched([other])
        # Another policy ends it.
        self.kill()
        self.agent = self.start()
        self.assert_stopped(witness, starts=1)
        self.assert_untouched([other])
        self.forget_files(alloc_id)

    def test_a_lost_run_with_stop(self):
        other, = self.submit_witness("other")
        witness, = self.submit_witness("web")
        self.lose("local")
        self.agent = self.start()
        # Its allocation is known, so it starts again, but only when the old run has ended.
        self.assert_stopped(witness, starts=2)
        self.agent.wait_allocs("web", 1, "running")
        self.assertTrue(witness.alive())
        self.assert_untouched([other])

    def test_a_lost_run_with_keep(self):
        other, = self.submit_witness("other")
        witness, = self.submit_witness("web")
        self.lose("local")
        self.agent = self.start("keep")
        run = re.search(r"run (\S+) belongs to no task that this agent knows", self.agent.run.err)[1]
        failed = self.agent.wait_allocs("web", 1, "failed")[0]
        messages = [event["DisplayMessage"] for event in failed["TaskStates"]["t"]["Events"]]
        self.assertEqual(len([text for text in messages if f"such runs (run {run})" in text]), 1, messages)
        self.assert_kept(witness)
        self.assert_untouched([other])
        # After its end the job runs as usual.
        self.kill()
        self.agent = self.start()
        self.assert_stopped(witness, starts=1)
        self.agent.must("DELETE", "/v1/job/web", purge="true")
        again, = self.submit_witness("web")
        harness.wait_until(lambda: len(again.starts()) == 2 or None, "the start of the new one")
        self.assertTrue(again.alive())


class MassTakeoverTest(TakeoverCase):
    """An agent takes very many tasks over while clients already ask it, and a new task starts at once."""
    TASKS, ROUNDS = (1000, 3) if harness.LONG else (200, 2)

    def take_over(self, name):
        """Kills the agent. Returns two times after the exec of the next one, in s: until it answered, and until
        a new task ran, which waits until all old tasks are found."""
        self.kill()
        begin = time.monotonic()
        self.agent = self.start()
        answered = time.monotonic() - begin
        self.agent.submit(job(group(task("t", "exec sleep 1000")), id=name))
        self.agent.wait_allocs(name, 1, "running")
        ran = time.monotonic() - begin
        self.agent.must("DELETE", f"/v1/job/{name}", purge="true")
        self.agent.wait_allocs(name, 1, "complete", desired="stop")
        self.agent.must("PUT", "/v1/system/gc")
        harness.wait_until(lambda: not self.agent.allocs(name), "the end of the new task")
        return answered, ran

    def facts(self):
        """(descriptors, threads, resident KiB) of the agent."""
        status = dict(line.split(":", 1) for line in
                      pathlib.Path(f"/proc/{self.agent.run.pid}/status").read_text().splitlines())
        return (len(os.listdir(f"/proc/{self.agent.run.pid}/fd")), int(status["Threads"]),
                int(status["VmRSS"].split()[0]))

    def settled(self):
        """The content of a file when it has not changed for a while."""
        seen = [self.facts()]

        def same():
            seen.append(self.facts())
            return len(seen) > 25 and len({facts[:2] for facts in seen[-25:]}) == 1
        harness.wait_until(same, "it to settle")
        return seen[-1]

    def assert_settles(self, first):
        """Waits until this agent holds no more than the agent of the first round, FIRST."""
        harness.wait_until(lambda: self.facts()[0] == first[0],
                           f"descriptors as after the first round: {first}, {self.facts()}")
        found = self.facts()
        # Threads of pools are made when they are needed, and stay.
        self.assertLessEqual(found[1], first[1] + 4, "threads")
        self.assertLess(found[2], 1.2 * first[2], "KiB resident")
        print(f"descriptors, threads, KiB: {found}, after the first round {first}", flush=True)

    def test_many_tasks_are_taken_over_while_the_api_answers(self):
        empty = self.take_over("first")
        out = str(self.witnesses / "starts")
        script = f"echo start >> {out}; exec sleep 1000"
        self.agent.submit(job(group(task("t", script, Resources={"CPU": 1, "MemoryMB": 10}),
                                    Count=self.TASKS), id="many", type="service"))
        self.agent.get_until("/v1/job/many/summary", lambda reply: json.loads(
            reply.body)["Summary"]["g"]["Running"] == self.TASKS)

        def all_began_once():
            return pathlib.Path(out).read_text().count("start") == self.TASKS
        harness.wait_until(all_began_once, "the start of all")
        rounds, first = [], None
        for turn in range(self.ROUNDS):
            answered, ran = self.take_over(f"new-{turn}")
            rounds.append((answered, ran))
            print(f"{self.TASKS} tasks: the API answers {1000 * answered:.0f} ms after the exec, a "
                  f"new task runs after {1000 * ran:.0f} ms; without tasks {1000 * empty[0]:.0f} "
                  f"and {1000 * empty[1]:.0f} ms", flush=True)
            # The machine's other load was the same in the rounds without tasks.
            self.assertLess(answered, 5 * empty[0] + 1 * SLACK)
            self.assertLess(ran, 5 * empty[1] + 2 * SLACK)
            first = first or self.settled()
            self.assert_settles(first)
        self.assertTrue(all_began_once(), "one was started again")
        if harness.LONG:  # it has the machine for itself
            self.assertLess(min(answered for answered, _ in rounds), 0.3 * SLACK)
            self.assertLess(min(ran for _, ran in rounds), 2 * SLACK)
