# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The common part of the end-to-end tests: the real binary in a sandbox of its own.

A test gets a temporary directory for its configuration, allocations and run directory. The path of that
directory is also the mark of the test. Every process of a task has it in its environment (NOMAD_ALLOC_DIR),
every shim has it as its working directory, every mount is below it. So the harness finds the leftovers of a
test without a list, and never takes the work of others for them.

Nothing here sleeps for a fixed time. All functions wait for a condition, with a limit that only a failure
reaches. Environment:
  DROVER_BUILD_DIR   the build tree: bin/drover and lib/drover/plugins/*.so
  DROVER_INSTALL_DIR an installation: its program and plugins are tested in place of the build's
  DROVER_E2E_SLACK   factor for the bounds on measured times, for slow builds (default 1)
  DROVER_E2E_LONG    1: runs the long form of tests that have one
  DROVER_E2E_ISOLATION  `process`: drivers run so, unless a test chooses
"""
import collections
import contextlib
import errno
import functools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SLACK = float(os.environ.get("DROVER_E2E_SLACK", "1"))
LONG = os.environ.get("DROVER_E2E_LONG") == "1"
ISOLATION = os.environ.get("DROVER_E2E_ISOLATION")
# The limit of a wait. Below the TIMEOUT of the tests in CMakeLists.txt.
LIMIT = 40.0
IS_ROOT = os.geteuid() == 0


@functools.cache
def open_tmp():
    """A directory for temporary files through which tasks of other users can pass: on some machines only
    root can enter /tmp."""
    other = {"user": 65534, "group": 65534, "extra_groups": []} if IS_ROOT else {}
    for place in ("/tmp", "/var/tmp", "/dev/shm"):
        if subprocess.run(["test", "-x", place], **other, check=False).returncode == 0:
            return place
    raise RuntimeError("every user must be able to pass /tmp, /var/tmp or /dev/shm (mode 1777)")


def build_dir():
    path = os.environ.get("DROVER_BUILD_DIR")
    if not path:
        sys.exit("DROVER_BUILD_DIR is not set: run these tests through ctest, or set it to the "
                 "build directory")
    return pathlib.Path(path).resolve()


def program_dir():
    """The directory with bin/drover and lib/drover/plugins, of the build or the installation."""
    path = os.environ.get("DROVER_INSTALL_DIR")
    return pathlib.Path(path).resolve() if path else build_dir()


def binary():
    return program_dir() / "bin" / "drover"


def plugin_file(driver):
    """The file of a driver that comes with Drover."""
    return program_dir() / "lib" / "drover" / "plugins" / (driver + ".so")


def wait_until(condition, what, limit=LIMIT, step=0.02):
    """Calls CONDITION again and again, and returns its first true value."""
    end = time.monotonic() + limit
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not within {limit:g} s")
        time.sleep(step)


# Jobs ------------------------------------------------------------------------------------------

NO_RESTART = {"Attempts": 0, "Interval": "10s", "Delay": "0s", "Mode": "fail"}
# A failed allocation stays failed, unless a test says otherwise.
NO_RESCHEDULE = {"Attempts": 0, "Unlimited": False}


# The least disk that a group can have, and logs that fit: hundreds of groups run on a small machine.
SMALL_DISK = {"SizeMB": 10}
SMALL_LOGS = {"MaxFiles": 5, "MaxFileSizeMB": 2}


def task(name, script=None, config=None, driver="raw_exec", **fields):
    """A task: a shell SCRIPT of raw_exec, or any driver's CONFIG."""
    fields.setdefault("LogConfig", SMALL_LOGS)
    if config is None:
        config = {"command": "/bin/sh", "args": ["-c", script]}
    return {"Name": name, "Driver": driver, "Config": config, **fields}


def mock(name, **config):
    fields = {key: config.pop(key) for key in list(config) if key[0].isupper()}
    return task(name, config=config, driver="mock_driver", **fields)


def group(*tasks, name="g", **fields):
    fields.setdefault("RestartPolicy", NO_RESTART)
    fields.setdefault("ReschedulePolicy", NO_RESCHEDULE)
    if all(one.get("LogConfig") == SMALL_LOGS for one in tasks):
        fields.setdefault("EphemeralDisk", SMALL_DISK)
    return {"Name": name, "Tasks": list(tasks), **fields}


def job(*groups, id="e2e", type="batch", **fields):
    return {"Job": {"ID": id, "Type": type, "TaskGroups": list(groups), **fields}}


def one(*tasks, type="batch", **fields):
    """A job with one group of TASKS."""
    return job(group(*tasks, **fields), type=type)


# Leftovers -------------------------------------------------------------------------------------

def cgroup_mounts(*types):
    """The mount points of hierarchies of cgroups."""
    found = []
    for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines():
        left, right = line.split(" - ", 1)
        if right.split()[0] in (types or ("cgroup", "cgroup2")):
            found.append(pathlib.Path(left.split()[4]))
    return found


def v2_root():
    """The directory of Drover below the version 2 hierarchy of cgroups, or None."""
    return next((mount / "drover" for mount in cgroup_mounts("cgroup2")), None)


def cgroups():
    """The cgroups of all runs of the machine, in all hierarchies."""
    found = set()
    for mount in cgroup_mounts():
        for directory, names, _ in os.walk(mount / "drover"):
            found.update(os.path.join(directory, name) for name in names)
    return found


def cgroup_processes(path):
    try:
        return [int(pid) for pid in pathlib.Path(path, "cgroup.procs").read_text().split()]
    except OSError:
        return None  # it has ended meanwhile


def process_text(pid, name):
    try:
        return pathlib.Path("/proc", str(pid), name).read_bytes()
    except OSError:
        return b""


def processor_time(pid, thread=None):
    """The processor time in s that a process, or one of its threads, has used so far."""
    stat = process_text(pid, f"task/{thread}/stat" if thread else "stat")
    return sum(map(int, stat.rpartition(b")")[2].split()[11:13])) / os.sysconf("SC_CLK_TCK")


def process_is_marked(pid, mark):
    needle = str(mark).encode()
    if needle in process_text(pid, "environ") or needle in process_text(pid, "cmdline"):
        return True
    with contextlib.suppress(OSError):
        return str(mark) in os.readlink(f"/proc/{pid}/cwd")
    return False


def marked_processes(mark):
    """pid -> description of the living processes that have MARK, without this one."""
    found = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit() or int(entry) == os.getpid():
            continue
        if process_is_marked(entry, mark):
            state = process_text(entry, "stat").rpartition(b")")[2].split()
            if state and state[0] != b"Z":
                line = process_text(entry, "cmdline").replace(b"\0", b" ").decode(errors="replace")
                found[int(entry)] = line.strip() or process_text(entry, "comm").decode().strip()
    return found


def mounts_below(path):
    return [line.split()[4] for line in
            pathlib.Path("/proc/self/mountinfo").read_text().splitlines()
            if line.split()[4].startswith(str(path) + "/")]


class Leftovers:
    """A census: all that a sandbox has on this machine. Take it before a test, look at it after."""

    def __init__(self, sandbox):
        self.sandbox = sandbox
        self.cgroups_before = cgroups()

    def processes(self):
        found = dict(marked_processes(self.sandbox.root))
        for child in self.sandbox.own_processes():
            found.pop(child, None)
        return found

    def own_cgroups(self):
        """New cgroups of this test; others run tests at the same time. They have a name that was in our
        run directory, or processes with our mark."""
        self.sandbox.note_runs()
        found = []
        for path in sorted(cgroups() - self.cgroups_before):
            pids = cgroup_processes(path) or []
            known = os.path.isdir(path) and os.path.basename(path)[:16] in self.sandbox.seen_runs
            if known or any(process_is_marked(p, self.sandbox.root) for p in pids):
                found.append(path)
        return found

    def run_files(self):
        run_dir = self.sandbox.run_dir
        return sorted(os.listdir(run_dir)) if run_dir.is_dir() else []

    def run_file_details(self):
        """How old each run file is, and where it leads."""
        details = []
        for name in self.run_files():
            path = self.sandbox.run_dir / name
            with contextlib.suppress(FileNotFoundError):
                age = time.time() - path.lstat().st_mtime
                target = f" -> {os.readlink(path)}" if path.is_symlink() else ""
                details.append(f"{name}: made {age:.1f} s ago{target}")
        return details

    def shims(self):
        return [pid for pid in self.processes()
                if process_text(pid, "comm").strip() == b"drover-shim"]

    def sweepers(self):
        return [pid for pid in self.processes()
                if process_text(pid, "comm").strip() == b"drover-sweeper"]

    def allocations(self):
        found = []
        for directory in self.sandbox.alloc_dirs:
            if directory.is_dir():
                found += [str(directory / name) for name in sorted(os.listdir(directory))
                          if re.fullmatch(r"[0-9a-f-]{36}", name)]
        # Directories of a run without --alloc-dir.
        found += [str(path) for path in self.sandbox.tmp.iterdir()]
        return found

    def found(self, kept=False):
        """The leftovers, as texts. KEPT: allocation directories, and the ledgers that name them, may stay."""
        texts = [f"process {pid}: {line}" for pid, line in self.processes().items()]
        texts += [f"cgroup {path}" for path in self.own_cgroups()]
        texts += [f"run file {name}" for name in self.run_files()
                  if not (kept and name.endswith(".ledger"))]
        texts += [f"mount {path}" for path in mounts_below(self.sandbox.root)
                  if path not in self.sandbox.own_mounts]
        if not kept:
            texts += [f"allocation {path}" for path in self.allocations()]
        return texts

    def clear(self, test, limit, kept=False, what="left behind"):
        """Fails TEST unless nothing is there within LIMIT seconds. Returns how long it took."""
        start = time.monotonic()
        end = start + limit
        while True:
            found = self.found(kept)
            if not found:
                return time.monotonic() - start
            if time.monotonic() > end:
                test.fail(f"{what} after {limit:g} s:\n  " +
                          "\n  ".join(found + self.run_file_details()))
            time.sleep(0.05)


# The binary ------------------------------------------------------------------------------------

SANITIZER_REPORT = re.compile(r"(ERROR: \w+Sanitizer|WARNING: ThreadSanitizer|runtime error:)")


class Done:
    """The outcome of a command that has ended."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __str__(self):
        return f"exit code {self.code}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"


def threads_of(pid):
    """The place of each thread of PID: in the kernel, and in the program, if gdb is installed."""
    lines = []
    for thread in sorted(pathlib.Path(f"/proc/{pid}/task").glob("*")):
        parts = [thread.name]
        for name in ("comm", "wchan", "syscall"):
            with contextlib.suppress(OSError):  # the thread has ended
                parts.append((thread / name).read_text().strip())
        lines.append("  ".join(parts))
    if shutil.which("gdb"):
        with contextlib.suppress(subprocess.TimeoutExpired):
            lines.append(subprocess.run(
                ["gdb", "--batch", "-ex", "thread apply all bt 40", "-p", str(pid)],
                capture_output=True, text=True, timeout=LIMIT).stdout[-40000:])
    return "--- threads\n" + "\n".join(lines)


class Run:
    """A `drover run`, whose output is read line by line while it runs."""

    def __init__(self, sandbox, arguments, json_lines=True, env=None, stdin=subprocess.DEVNULL,
                 kept_logs=None, command=None):
        self.json_lines = json_lines
        self.lines = []  # objects with json_lines, otherwise texts
        self.broken = []  # lines that should have been JSON
        self.err = ""
        self._sandbox = sandbox
        self._logs = collections.deque(maxlen=kept_logs)  # the last lines of tasks
        self._changed = threading.Condition()
        self._open = 2
        self.process = subprocess.Popen(
            [*map(str, command or [binary()]), *map(str, arguments)], stdin=stdin,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=sandbox.root,
            env=sandbox.environment(env), start_new_session=True)
        self._threads = [threading.Thread(target=self._read_out, daemon=True),
                         threading.Thread(target=self._read_err, daemon=True)]
        for thread in self._threads:
            thread.start()

    @property
    def pid(self):
        return self.process.pid

    def _read_out(self):
        for raw in self.process.stdout:
            text = raw.decode(errors="replace").rstrip("\n")
            with self._changed:
                if not self.json_lines:
                    self.lines.append(text)
                else:
                    try:
                        self._add(json.loads(text))
                    except ValueError:
                        self.broken.append(text)
                self._changed.notify_all()
        self._end()

    def _add(self, line):
        (self._logs if line.get("Type") == "Log" else self.lines).append(line)
        if line.get("Type") == "TaskEvent":
            self._sandbox.note_runs()

    def _read_err(self):
        for raw in self.process.stderr:
            with self._changed:
                self.err += raw.decode(errors="replace")
                self._changed.notify_all()
        self._end()

    def _end(self):
        with self._changed:
            self._open -= 1
            self._changed.notify_all()

    def story(self):
        """The events so far, for the message of a failure."""
        with self._changed:
            lines = (self.lines + list(self._logs)[-20:])[-80:]
            text = "\n".join(json.dumps(l) if self.json_lines else l for l in lines)
            return f"--- stdout\n{text}\n--- stderr\n{self.err[-4000:]}"

    def wait_for(self, condition, what, limit=LIMIT):
        """Waits until CONDITION(self) is true, and returns its value."""
        end = time.monotonic() + limit
        with self._changed:
            while True:
                value = condition(self)
                if value:
                    return value
                left = end - time.monotonic()
                if left <= 0 or self._open == 0:
                    why = "the run has ended" if self._open == 0 else f"not within {limit:g} s"
                    raise AssertionError(f"waiting for {what}: {why}\n{self.story()}")
                self._changed.wait(left)

    # The content of the lines. All functions look at the lines so far.

    def of_type(self, kind):
        with self._changed:
            lines = self._logs if kind == "Log" else self.lines
            return [line for line in lines if line.get("Type") == kind]

    def events(self, task_name, alloc=None):
        return [line["Event"] for line in self.of_type("TaskEvent") if line["Task"] == task_name
                and alloc in (None, line["AllocName"])]

    def event_types(self, task_name, alloc=None):
        return [event["Type"] for event in self.events(task_name, alloc)]

    def event(self, task_name, kind, nth=0):
        """The NTH event of TYPE, or None."""
        found = [event for event in self.events(task_name) if event["Type"] == kind]
        return found[nth] if len(found) > nth else None

    def wait_event(self, task_name, kind, nth=0, limit=LIMIT):
        return self.wait_for(lambda run: run.event(task_name, kind, nth),
                             f"event {kind!r} of {task_name}", limit)

    def state(self, task_name, alloc=None):
        """The last state of the task, or None."""
        found = [line for line in self.of_type("TaskState") if line["Task"] == task_name
                 and alloc in (None, line["AllocName"])]
        return found[-1] if found else None

    def logs(self, task_name=None, stream=None):
        return [line["Line"] for line in self.of_type("Log")
                if task_name in (None, line["Task"]) and stream in (None, line["Stream"])]

    def wait_log(self, task_name, text, limit=LIMIT):
        return self.wait_for(
            lambda run: [line for line in run.logs(task_name) if text in line],
            f"{text!r} from {task_name}", limit)[0]

    def notes(self):
        return [line["Message"] for line in self.of_type("Note")]

    def wait_note(self, text, limit=LIMIT):
        return self.wait_for(lambda run: [n for n in run.notes() if text in n.lower()],
                             f"note {text!r}", limit)[0]

    def statuses(self, alloc=None):
        return [(line["ClientStatus"], line["ClientDescription"]) for line in self.of_type("Alloc")
                if alloc in (None, line["AllocName"])]

    def placed(self):
        return self.of_type("Placed")

    # Its end.

    def signal(self, number):
        self.process.send_signal(number)

    def interrupt(self):
        self.signal(signal.SIGINT)

    def wait(self, limit=LIMIT):
        """Waits for the end of the process and of its output; returns the exit code."""
        try:
            code = self.process.wait(limit)
        except subprocess.TimeoutExpired:
            threads = threads_of(self.pid)
            raise AssertionError(f"drover has not ended within {limit:g} s\n{self.story()}\n"
                                 f"{threads}") from None
        for thread in self._threads:
            thread.join(limit)
            if thread.is_alive():
                raise AssertionError("something has kept the output of drover run open")
        self.process.stdout.close()
        self.process.stderr.close()
        return code


class Sandbox:
    """The directory of one test, and the processes that it has started."""

    def __init__(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="drover-e2e-", dir=open_tmp())).resolve()
        self.root.chmod(0o755)
        self.tmp = self.root / "tmp"
        self.tmp.mkdir()
        self.run_dir = self.root / "run"
        self.alloc_dirs = [self.root / "allocs"]
        self.own_mounts = []
        self.runs = []
        self.seen_runs = set()  # the first 16 digits of run ids
        self.config_file = self.write_config()

    def environment(self, more=None):
        env = {key: value for key, value in os.environ.items()
               if not key.startswith(("DROVER_", "NOMAD_"))}
        env.update(TMPDIR=str(self.tmp), LC_ALL="C.UTF-8")
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"):
            # Limits of core files stay as they are.
            env[name] = ":".join(filter(None, [os.environ.get(name), "exitcode=99", "disable_coredump=0"]))
        env.update(more or {})
        return {key: value for key, value in env.items() if value is not None}

    def write(self, name, content):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, (dict, list)):
            content = json.dumps(content, indent=1)
        if isinstance(content, str):
            content = content.encode()
        path.write_bytes(content)
        return path

    def write_config(self, file_name="agent.json", /, client=None, **fields):
        """FIELDS replace the default fields, CLIENT those of its `client`. None removes a field."""
        of_client = {"alloc_dir": str(self.alloc_dirs[0]), "run_dir": str(self.run_dir),
                     **(client or {})}
        config = {
            "client": {key: value for key, value in of_client.items() if value is not None},
            "plugins": {
                "raw_exec": {"file": str(plugin_file("raw_exec")), "config": {"enabled": True}},
                "mock_driver": {"file": str(plugin_file("mock_driver"))},
            },
        }
        config.update(fields)
        if ISOLATION:
            config["plugins"] = {name: {"isolation": ISOLATION, **block}
                                 for name, block in config["plugins"].items()}
        return self.write(file_name, {key: value for key, value in config.items()
                                      if value is not None})

    def run(self, spec, *options, config=None, json_lines=True, **how):
        """Starts `drover run`. SPEC: a job as an object, or the path of a file."""
        path = spec if isinstance(spec, (str, pathlib.Path)) else self.write("job.json", spec)
        arguments = ["run", "--config", config or self.config_file, *options]
        if json_lines:
            arguments.append("--json")
        run = Run(self, [*arguments, path], json_lines=json_lines, **how)
        self.runs.append(run)
        return run

    def command(self, *arguments, env=None, stdin=subprocess.DEVNULL, limit=LIMIT):
        """Runs a command to its end."""
        try:
            done = subprocess.run([str(binary()), *map(str, arguments)], stdin=stdin,
                                  capture_output=True, cwd=self.root, timeout=limit,
                                  env=self.environment(env))
        except subprocess.TimeoutExpired as e:
            raise AssertionError(f"drover {' '.join(map(str, arguments))}: not within {limit:g} s\n"
                                 f"{e.stdout!r}\n{e.stderr!r}") from None
        return Done(done.returncode, done.stdout.decode(errors="replace"),
                    done.stderr.decode(errors="replace"))

    def note_runs(self):
        """Notes the runs whose shims have a socket or a record now."""
        with contextlib.suppress(OSError):
            self.seen_runs.update(name[:16] for name in os.listdir(self.run_dir))

    def own_processes(self):
        return [run.pid for run in self.runs if run.process.poll() is None]

    def remove(self):
        """Removes all that a test may have left, also after a failure."""
        for run in self.runs:
            if run.process.poll() is None:
                run.process.kill()
                run.process.wait()
        for _ in range(50):
            pids = marked_processes(self.root)
            for pid in pids:
                # Never by number alone: looks at the process again once it has the descriptor.
                with contextlib.suppress(OSError):
                    descriptor = os.pidfd_open(pid)
                    try:
                        if process_is_marked(pid, self.root):
                            signal.pidfd_send_signal(descriptor, signal.SIGKILL)
                    finally:
                        os.close(descriptor)
            if not pids:
                break
            time.sleep(0.02)
        for path in reversed(mounts_below(self.root)):
            subprocess.run(["umount", "-l", path], stdin=subprocess.DEVNULL, check=False)
        remove_tree(self.root)


def remove_tree(path):
    def give_rights(function, name, _):
        with contextlib.suppress(OSError):
            os.chmod(os.path.dirname(name), 0o700)
            function(name)
    shutil.rmtree(path, onerror=give_rights)


class DroverTest(unittest.TestCase):
    """A test with a sandbox. It fails when it leaves anything behind."""

    maxDiff = 4000
    # The things that may stay at the end of the test. A test that leaves something on purpose sets this.
    leaves_allocations = False

    def setUp(self):
        if not binary().exists():
            self.fail(f"{binary()} does not exist: build the target drover")
        self.sandbox = Sandbox()
        self.leftovers = Leftovers(self.sandbox)

    def tearDown(self):
        try:
            failed = self._outcome_failed()
            for run in self.sandbox.runs:
                if not failed:
                    self.assertIsNotNone(run.process.poll(), "the test has left a run")
                    self.assertNotRegex(run.err, SANITIZER_REPORT)
                    self.assertEqual(run.broken, [], "lines of drover run --json that are no JSON")
            if not failed:
                self.leftovers.clear(self, 5 * SLACK, kept=self.leaves_allocations)
        finally:
            self.sandbox.remove()

    def _outcome_failed(self):
        outcome = self._outcome  # the failures that unittest has collected so far
        errors = getattr(outcome, "errors", None)
        if errors:  # Python up to 3.10
            return any(error for _, error in errors)
        result = outcome.result
        return any(test is self for test, _ in result.failures + result.errors)

    def run_job(self, spec, *options, code=0, limit=LIMIT, **how):
        """Runs a job to its end and expects the exit code."""
        run = self.sandbox.run(spec, *options, **how)
        got = run.wait(limit)
        self.assertEqual(got, code, run.story())
        return run

    def refused(self, spec, *texts, options=(), config=None):
        """Runs a job that must be refused: exit code 2, each of TEXTS printed, nothing done."""
        run = self.sandbox.run(spec, *options, config=config)
        code = run.wait()
        said = run.err + "\n" + "\n".join(map(str, run.lines))
        self.assertEqual(code, 2, run.story())
        for text in texts:
            self.assertIn(text, said)
        self.assertEqual(run.placed(), [], "a refused job must not be placed")
        self.leftovers.clear(self, 2 * SLACK)
        return said

    def assert_order(self, *times):
        """TIMES are (name, nanoseconds), which must not decrease."""
        for (before, first), (after, second) in zip(times, times[1:]):
            self.assertGreater(first, 0, before)
            self.assertLessEqual(first, second, f"{before} must not be after {after}")


def is_gone(pid):
    try:
        os.kill(pid, 0)
    except OSError as e:
        return e.errno == errno.ESRCH
    return False


def main():
    unittest.main(verbosity=2)
