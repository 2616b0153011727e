# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""A machine that can lose its power, without a virtual machine: a pid and a mount namespace with a boot id
and a run directory of their own, in which agents live. A power cut kills all its processes at once and ends
its mounts. Files on the disk stay.

Its first process, this file as a program, collects ended processes and keeps strangers. These are processes
that have nothing to do with Drover, and it reports every signal that they get. Pids go round and round from 2
to PIDS, so strangers soon have those that tasks and their supervisors had.
"""
import collections
import contextlib
import os
import pathlib
import re
import select
import signal
import subprocess
import sys
import uuid

import harness

PIDS = 400
COMMAND = "drover-e2e-stranger"  # the name of a stranger


class SmallMachine:
    """A machine that is on until `cut`. `command` starts agents in it, by harness.Run."""

    def __init__(self, sandbox):
        self.sandbox = sandbox
        self.boot_id = str(uuid.uuid4())
        file = sandbox.write("boot_id", self.boot_id + "\n")
        sandbox.run_dir.mkdir(mode=0o700, exist_ok=True)
        self._init = subprocess.Popen(
            ["unshare", "--mount", "--pid", "--fork", "--kill-child=KILL", "--mount-proc", "sh", "-c",
             f'mount -t tmpfs -o mode=700 run "{sandbox.run_dir}" && '
             f'mount --bind "{file}" /proc/sys/kernel/random/boot_id && exec "$@"', "sh",
             sys.executable, "-B", __file__],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=sandbox.root,
            env=sandbox.environment())
        self.ask("ready")

    def ask(self, command):
        """Returns the answer of the first process."""
        self._init.stdin.write(command + "\n")
        self._init.stdin.flush()
        answer = self._init.stdout.readline()
        if not answer:
            raise AssertionError(f"the first process of the small machine has ended at {command!r}")
        return answer.strip()

    def churn(self, count, keep):
        """Starts COUNT more strangers. The last KEEP of all strangers stay. Returns the pids of the new
        ones."""
        return [int(pid) for pid in self.ask(f"churn {count} {keep}").split()]

    def strangers(self):
        return [int(pid) for pid in self.ask("strangers").split()]

    def foreign_signals(self):
        """The signals that strangers got, as texts. A correct agent sends none."""
        return self.ask("foreign")

    def others(self):
        """The pids of all processes that are no strangers."""
        return {int(pid) for pid in self.ask("others").split()}

    def kill(self, pid):
        """Sends SIGKILL, unless a stranger has that pid now."""
        self.ask(f"kill {pid}")

    def hit_stranger(self, pid, number):
        self.ask(f"hit {pid} {int(number)}")

    @property
    def first(self):
        """The pid of the first process in the test's own pid namespace."""
        return children(self._init.pid)[0]

    @property
    def enter(self):
        """The words before a command that must run in it."""
        return ["nsenter", "--target", str(self.first), "--pid", "--mount",
                f"--wdns={self.sandbox.root}"]

    @property
    def command(self):
        return [*self.enter, str(harness.binary())]

    def signal_agent(self, run, number):
        """Sends signal NUMBER to the agent itself: the process of RUN only waits for it."""
        os.kill(children(run.pid)[0], number)

    def _runs(self):
        """The runs that its agents have begun. A ledger has each before anything of it is made."""
        found = set()
        for ledger in pathlib.Path(f"/proc/{self.first}/root{self.sandbox.run_dir}").glob("*.ledger"):
            found.update(re.findall(r"^run ([0-9a-f]{32})", ledger.read_text(), re.M))
        return found

    def off(self):
        """Kills the rest of it. Idempotent."""
        if self._init.poll() is None:
            self._init.kill()
            self._init.communicate()

    def cut(self):
        """Cuts the power. When this returns, no process and no cgroup of it is left."""
        for run in self.sandbox.runs:
            if run.process.poll() is None:
                self.signal_agent(run, signal.SIGSTOP)
        runs = self._runs()
        self.sandbox.seen_runs.update(run[:16] for run in runs)
        self.off()
        for run in self.sandbox.runs:
            run.process.kill()  # it stops when its agent does
            run.process.wait()
        harness.wait_until(lambda: not harness.marked_processes(self.sandbox.root), "all are dead")
        for mount in harness.cgroup_mounts():
            for run in runs:
                path = mount / "drover" / run
                harness.wait_until(lambda: remove_cgroup(path), f"the end of {path}")


def children(pid):
    return [int(child) for child in
            pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def remove_cgroup(path):
    try:
        os.rmdir(path)
    except FileNotFoundError:
        return True
    except OSError:
        return False  # the kernel still works on dead processes
    return True


# The code below is the first process of the machine.

class Strangers:
    def __init__(self):
        self.living = collections.OrderedDict()  # pid -> the pipe that keeps it
        self.ending = set()
        self.foreign = []
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}:
            signal.signal(number, self.note)

    def note(self, number, _):
        if os.getpid() != 1:
            os._exit(100 + number)
        self.foreign.append(f"the first process had signal {number}")

    def fork(self):
        reads, writes = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.dup2(reads, 0)
            os.closerange(1, 4096)
            pathlib.Path("/proc/self/comm").write_text(COMMAND[:15])
            self.wait_end()
            os._exit(0)
        os.close(reads)
        self.living[pid] = writes
        if pid >= PIDS:
            pathlib.Path("/proc/sys/kernel/ns_last_pid").write_text("1")
        return pid

    @staticmethod
    def wait_end():
        """Waits until standard input ends. A signal that comes just before the wait ends it, too."""
        woken, wakes = os.pipe()
        os.set_blocking(wakes, False)
        signal.set_wakeup_fd(wakes)
        select.select([0, woken], [], [])

    def collect(self):
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG | os.WUNTRACED)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if os.WIFSTOPPED(status) and pid in self.living:
                self.foreign.append(f"stranger {pid} was stopped")
            elif pid in self.ending and status == 0:
                self.ending.discard(pid)
            elif pid in self.living or pid in self.ending:
                self.foreign.append(f"stranger {pid} ended with {os.waitstatus_to_exitcode(status)}")
                os.close(self.living.pop(pid, os.open("/dev/null", os.O_RDONLY)))
                self.ending.discard(pid)

    def churn(self, count, keep):
        pids = []
        for _ in range(count):
            pids.append(self.fork())
            while len(self.living) > keep:
                pid, pipe = self.living.popitem(last=False)
                self.ending.add(pid)
                os.close(pipe)
            self.collect()
        return pids


def main():
    strangers = Strangers()
    while True:
        while not select.select([0], [], [], 0.02)[0]:
            strangers.collect()
        line = sys.stdin.readline()
        if not line:
            return
        strangers.collect()
        command, *numbers = line.split()
        numbers = [int(number) for number in numbers]
        if command == "churn":
            answer = strangers.churn(*numbers)
        elif command == "strangers":
            answer = strangers.living
        elif command == "others":
            own = strangers.living.keys() | strangers.ending
            answer = [pid for pid in os.listdir("/proc") if pid.isdigit() and int(pid) not in own]
        elif command in ("kill", "hit"):
            answer = ()
            if (numbers[0] in strangers.living) == (command == "hit"):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(*(numbers if command == "hit" else (numbers[0], signal.SIGKILL)))
        else:
            answer = strangers.foreign
        print(*answer, sep="; " if command == "foreign" else " ", flush=True)


if __name__ == "__main__":
    main()
