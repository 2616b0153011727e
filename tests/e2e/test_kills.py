# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The agent is killed at random moments, under allocations with all that is around a task: a template, an artifact, a
host volume, a sticky disk and a network on a bridge. No kill loses a task, a file or a change, and none leaves a
mount, a namespace, an address, a rule, a directory or a process behind. DROVER_SEED chooses the moments."""
import os
import pathlib
import random
import signal
import threading
import time
import unittest

import harness
from file_server import FileServer, slow
from harness import Run, group, job, task
from test_exec import IN_CHROOT
from test_networks import NetworkCase

KILLS = 200 if harness.LONG else 10
SEED = int(os.environ.get("DROVER_SEED", "1"))
ARTIFACT = "x" * 4
POLICY = {"Attempts": 1000, "Delay": 50_000_000, "Interval": 60_000_000_000, "Mode": "fail"}
WORD = '{{ with nomadVar "nomad/jobs" }}{{ .word }}{{ end }}'

# Notes in its disk what it sees when it starts and when its file has changed. Ends at once without its artifact.
STAYS = """
note() { echo "$1 $VERSION $(cat local/word)" >> "$NOMAD_ALLOC_DIR/data/notes"; }
trap 'note hup' HUP
trap 'exit 0' INT TERM
[ "$(cat local/fetched)" = %s ] || exit 9
echo "$NOMAD_ALLOC_ID" >> /data/starts
note start
while :; do sleep 0.05 & wait $!; done
""" % ARTIFACT
# Does its work once.
ENDS = '[ "$(cat local/fetched)" = %s ] && echo done >> "/data/$NOMAD_JOB_ID"' % ARTIFACT


@unittest.skipIf(IN_CHROOT, "exec does not work in a chroot")
class KillTest(NetworkCase):
    # The jobs that go on, with what follows a change of their file. "coming" is stopped and started.
    JOBS = {"signalled": "signal", "restarted": "restart", "coming": "restart"}

    def setUp(self):
        self.server = FileServer(self)
        # So slow that an agent can die while a task fetches it.
        self.server.answers["/fetched"] = slow(threading.Event(), len(ARTIFACT))
        super().setUp()
        self.chance = random.Random(SEED)
        self.kills, self.word = 0, 0
        self.versions = {name: 0 for name in self.JOBS}
        self.wanted = set(self.JOBS)
        self.batches = []
        self.files_before = self.data_files()
        made = self.agent.must("PUT", "/v1/volume/host/create", {"Volume": {
            "Name": "made", "Parameters": {"mode": "0777"}, "RequestedCapabilities": [
                {"AccessMode": "single-node-multi-writer", "AttachmentMode": "file-system"}]}})["Volume"]
        self.volume = made["ID"]
        self.directory = pathlib.Path(self.agent.get(f"/v1/volume/host/{self.volume}")["HostPath"])

    # What clients do. Each action is a function of the agent that lives at that moment.

    def submit(self, name, script, change, type="service"):
        one = task(
            "t", driver="exec", config={"command": "/bin/sh", "args": ["-c", script]},
            Env={"VERSION": str(self.versions.get(name, 0))}, Resources={"CPU": 10, "MemoryMB": 32},
            VolumeMounts=[{"Volume": "v", "Destination": "/data"}],
            Artifacts=[{"GetterSource": self.server.url + "/fetched"}],
            Templates=[{"EmbeddedTmpl": WORD, "DestPath": "local/word", "Splay": "0s", "ChangeMode": change,
                        **({"ChangeSignal": "SIGHUP"} if change == "signal" else {})}])
        self.agent.submit(job(
            group(one, RestartPolicy=POLICY, EphemeralDisk={**harness.SMALL_DISK, "Sticky": True},
                  ReschedulePolicy={"Attempts": 0, "Unlimited": False},
                  Volumes={"v": {"Type": "host", "Source": "made", "Sticky": name == "signalled"}},
                  Networks=[{"Mode": "bridge", "DynamicPorts": [{"Label": "http", "To": 80}]}]),
            id=name, type=type))

    def put_word(self):
        self.word += 1
        self.agent.must("PUT", "/v1/var/nomad/jobs", {"Items": {"word": str(self.word)}})

    def submit_version(self):
        """A new version of a job replaces its allocation, and the disk moves."""
        name = self.chance.choice(["signalled", "restarted"])
        self.versions[name] += 1
        self.submit(name, STAYS, self.JOBS[name])

    def submit_batch(self):
        self.batches.append(f"batch-{len(self.batches)}")
        self.submit(self.batches[-1], ENDS, "noop", type="batch")

    def come_or_go(self):
        self.wanted ^= {"coming"}
        if "coming" in self.wanted:
            self.submit("coming", STAYS, self.JOBS["coming"])
        else:
            self.agent.must("DELETE", "/v1/job/coming")

    def restart_task(self):
        """A task that does not run at that moment is not restarted."""
        for one in self.wanted_allocs("signalled"):
            self.agent.ask("PUT", f"/v1/client/allocation/{one['ID']}/restart", {"TaskName": "t"})

    # What must be so.

    def wanted_allocs(self, name):
        return [one for one in self.agent.allocs(name) if one["DesiredStatus"] == "run"]

    def disk(self, alloc_id):
        return self.sandbox.alloc_dirs[0] / alloc_id

    def notes_of(self, alloc_id):
        path = self.disk(alloc_id) / "alloc/data/notes"
        return [line.split() for line in path.read_text().splitlines()] if path.exists() else []

    def wrong(self):
        """What is not yet as clients want it."""
        found = []
        for name in sorted({*self.JOBS, *self.batches}):
            allocs = self.agent.allocs(name)
            failed = [one for one in allocs if one["ClientStatus"] in ("failed", "lost")]
            self.assertEqual(failed, [], f"seed {SEED}, after {self.kills} kills")
            going = [one for one in allocs if one["ClientStatus"] != "complete"]
            if name in self.wanted:
                found += self.wrong_of_running(name, going)
            elif going:
                found.append(f"{name}: {len(going)} have not ended")
            if name in self.batches:
                path = self.directory / name
                if path.exists() and path.read_text() != "done\n":
                    self.fail(f"{name} has done its work twice: {path.read_text()}")
                if not going and not path.exists():
                    found.append(f"{name}: its work is not done")
        return found

    def wrong_of_running(self, name, going):
        if [(one["ClientStatus"], one["DesiredStatus"]) for one in going] != [("running", "run")]:
            return [f"{name}: {[(one['ClientStatus'], one['DesiredStatus']) for one in going]}"]
        alloc = going[0]["ID"]
        rendered = (self.disk(alloc) / "t/local/word").read_text()
        notes = self.notes_of(alloc)
        wanted = [str(self.versions[name]), str(self.word)]
        if rendered != wanted[1] or not notes or notes[-1][1:] != wanted:
            return [f"{name}: the file has {rendered}, the task knows {notes[-1:]}, and not {wanted}"]
        return []

    def settle(self):
        """Waits until everything is as clients want it, and checks that nothing was lost."""
        wrong = []

        def settled():
            wrong[:] = self.wrong()
            return not wrong
        try:
            harness.wait_until(settled, "", step=0.1)
        except AssertionError as error:
            if not wrong:
                raise
            raise AssertionError(f"seed {SEED}, after {self.kills} kills: {wrong}\n{self.agent.run.story()}") from error
        for name in ("signalled", "restarted"):
            notes = self.notes_of(self.wanted_allocs(name)[0]["ID"])
            seen = [int(version) for _, version, _ in notes]
            self.assertEqual((seen[0], seen), (0, sorted(seen)), f"the disk of {name} has lost something")
        # `notes` are those of "restarted", which only a new word or version starts again.
        self.assertEqual(len(set(map(tuple, notes))), len(notes), f"a start too many: {notes}")

    def assert_networks(self):
        """Checks that there are networks of living allocations only, each with its own address."""
        living = [one["ID"] for one in self.agent.get("/v1/allocations") if one["ClientStatus"] != "complete"]
        self.assertEqual(len({self.status(one)["Address"] for one in living}), len(living))

        def others():
            leases = [path for path in self.bridge.left() if path.startswith("/")]
            return len(leases) == len(living) == len(self.notes())
        harness.wait_until(others, f"networks of {len(living)} allocations only: {self.bridge.left()}")

    def data_files(self):
        """The files of the agent, but for those of its state."""
        data = self.sandbox.root / "data"
        return sorted(str(path.relative_to(data)) for path in data.rglob("*")
                      if not path.is_dir() and path.relative_to(data).parts[0] != "state")

    # The kills.

    def kill_while_it_starts(self):
        config = self.bridge.config(self.sandbox)
        run = Run(self.sandbox, ["agent", "--config", config, "--port", "0"], json_lines=False)
        self.sandbox.runs.append(run)
        time.sleep(self.chance.random() * 0.4)
        run.signal(signal.SIGKILL)
        run.wait()
        self.kills += 1

    def actions(self):
        """Each action once, in an order by chance, again and again."""
        every = [self.put_word, self.submit_version, self.submit_batch, self.come_or_go, self.restart_task]
        while True:
            self.chance.shuffle(every)
            yield from every

    def test_kills_lose_nothing_and_leave_nothing(self):
        self.put_word()
        for name, change in self.JOBS.items():
            self.submit(name, STAYS, change)
        self.settle()
        actions = self.actions()
        while self.kills < KILLS:
            for _ in range(self.chance.randint(1, 2)):
                next(actions)()
            time.sleep(self.chance.random() * 0.5)
            self.kill()
            self.kills += 1
            if self.kills < KILLS and self.chance.random() < 0.3:
                self.kill_while_it_starts()
            self.agent = self.start()
            self.settle()
            if self.kills % 10 == 0:
                self.assert_networks()
        self.assert_networks()
        self.end_all()

    def end_all(self):
        ids = [one["ID"] for one in self.agent.get("/v1/allocations")]
        self.agent.forget_all(self.leftovers)
        self.assert_nothing_left(*ids)
        self.assertEqual(self.agent.get("/v1/volumes/claims"), [])
        self.assertEqual(harness.mounts_below(self.directory), [])
        self.agent.must("DELETE", f"/v1/volume/host/{self.volume}/delete")
        self.assertFalse(self.directory.exists())
        self.assertEqual(self.agent.ask("DELETE", "/v1/var/nomad/jobs").status, 204)
        self.assertEqual(self.data_files(), self.files_before)


if __name__ == "__main__":
    harness.main()
