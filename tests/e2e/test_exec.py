# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Jobs of the driver exec: the surroundings of an isolated task, its borders and its limits."""
import errno
import json
import os
import pathlib
import platform
import re
import signal
import subprocess
import sys
import time
import unittest
import urllib.error
import urllib.request

import harness
from agent_harness import Agent, agent_config
from harness import IS_ROOT, SLACK, DroverTest, group, job, one, task


def isolated(name, script, config=None, **fields):
    return task(name, config={"command": "/bin/sh", "args": ["-c", script], **(config or {})},
                driver="exec", **fields)


# Numbers of system calls.
CLONE3 = 435
MOUNT, PIVOT_ROOT = {"x86_64": (165, 155), "aarch64": (40, 41)}.get(platform.machine(), (-1, -1))

# Forks as often as possible, and never stops.
FORK_BOMB = """
import os, time
while True:
    try:
        os.fork()
    except OSError:
        print("no more", flush=True)
        time.sleep(0.1)
"""


def is_in_chroot():
    """Whether this process is in a chroot. Its mount namespace then has another root."""
    if not IS_ROOT:
        return False
    look = ["findmnt", "--noheadings", "--raw", "--output=ID,FSROOT", "--mountpoint=/"]
    entered = subprocess.run(["nsenter", "--mount=/proc/self/ns/mnt", *look], capture_output=True)
    return entered.stdout != subprocess.run(look, capture_output=True).stdout


IN_CHROOT = is_in_chroot()


class ExecConfiguration(DroverTest):
    def configuration(self, **config):
        return self.sandbox.write_config("exec.json", plugins={
            "exec": {"file": str(harness.plugin_file("exec")), "config": config}})


@unittest.skipUnless(IS_ROOT, "exec needs an agent that is root")
@unittest.skipIf(IN_CHROOT, "exec needs an agent that is not in a chroot")
class ExecTest(ExecConfiguration):
    def output(self, script, task_config=None, config=None, code=0, **fields):
        run = self.run_job(one(isolated("look", script, task_config, **fields)),
                           config=self.configuration(**(config or {})), code=code)
        return "".join(line + "\n" for line in run.logs("look", "stdout"))

    def test_a_task_has_its_directories_and_only_those(self):
        text = self.output(
            "id -un; pwd; echo $NOMAD_ALLOC_DIR $NOMAD_TASK_DIR $NOMAD_SECRETS_DIR; "
            "echo x > ${NOMAD_TASK_DIR}/a && echo x > ${NOMAD_ALLOC_DIR}/data/a && "
            "echo x > ${NOMAD_SECRETS_DIR}/a && echo x > /tmp/a && echo written; "
            f"test -e {self.sandbox.root} && echo leak; "
            "echo x 2>&1 > /alloc/logs/mine || echo read-only")
        self.assertEqual(text.split("\n")[:4], ["nobody", "/", "/alloc /local /secrets", "written"])
        self.assertNotIn("leak", text)
        self.assertIn("read-only", text)

    def test_of_the_agents_environment_it_has_an_allow_list(self):
        run = self.run_job(one(isolated("look", "env; umask", Env={"OWN": "1", "TZ": "job"})),
                           config=self.configuration(denied_envvars=["LC_*"]), code=0,
                           env={"API_KEY": "secret", "LANG": "C", "LC_ALL": "C", "TZ": "agent"})
        shown = run.logs("look", "stdout")
        self.assertEqual(shown.pop(), "0022")
        names = {line.split("=")[0] for line in shown if not line.startswith("NOMAD_")}
        self.assertLessEqual({"PATH", "OWN", "LANG", "TZ"}, names)
        # The shell adds variables of its own.
        self.assertLessEqual(names, {"PATH", "OWN", "LANG", "TZ", "PWD", "SHLVL", "_", "OLDPWD"})
        self.assertIn("TZ=job", shown)

    def test_command_of_the_local_directory_and_of_the_path(self):
        self.assertEqual(self.output("sh -c 'echo found'", {"command": "sh"}), "found\n")

    def test_capabilities_follow_job_and_operator(self):
        show = "grep -E 'CapEff|CapBnd' /proc/self/status | cut -f2"
        self.assertEqual(self.output(show), "0000000000000000\n00000000a80405fb\n")
        self.assertEqual(self.output(show, {"cap_add": ["net_bind_service"], "cap_drop": ["all"]}),
                         "0000000000000400\n0000000000000400\n")

    def test_what_the_operator_does_not_allow_is_refused(self):
        for config, operator, message in (
                ({"cap_add": ["sys_admin"]}, {}, "allow_caps: sys_admin"),
                ({"pid_mode": "host"}, {}, "pid_mode \"host\" is not allowed"),
                ({"ipc_mode": "shared"}, {}, "ipc_mode must be"),
                ({"work_dir": "here"}, {}, "work_dir must be absolute but got relative path"),
                ({}, {"denied_host_uids": "65534"}, "running as uid 65534 is disallowed")):
            with self.subTest(message):
                run = self.run_job(one(isolated("look", "true", config)),
                                   config=self.configuration(**operator), code=1)
                self.assertIn(message, json.dumps(run.lines).replace("\\\"", "\""))

    def test_root_is_refused_as_a_user(self):
        for user in "root", "0":
            run = self.run_job(one(isolated("look", "true", User=user)),
                               config=self.configuration(), code=1)
            self.assertIn(f'running as user "{user}" is disallowed',
                          run.event("look", "Task hook failed")["DisplayMessage"])
        run = self.run_job(one(isolated("look", "id -u", User="root")),
                           config=self.configuration(allow_root=True), code=0)
        self.assertEqual(run.logs("look", "stdout"), ["0"])

    def test_so_are_its_other_names_and_who_has_its_group(self):
        users = pathlib.Path("/etc/passwd").read_text() + (
            "toor:x:0:54321::/:/bin/sh\nnear:x:54321:0::/:/bin/sh\nmember:x:54322:54322::/:/bin/sh\n")
        groups = re.sub("(?m)^(root:.*:0:).*$", r"\1member", pathlib.Path("/etc/group").read_text())
        mounts = " && ".join(f"mount --bind {self.sandbox.write(name, text)} /etc/{name}"
                             for name, text in (("passwd", users), ("group", groups)))
        command = ["unshare", "--mount", "sh", "-c", mounts + ' && exec "$0" "$@"', harness.binary()]
        for user, kind, why in (("toor", "Task hook failed", 'it is the user "root"'),
                                ("near", "Driver Failure", "it has the gid 0"),
                                ("member", "Driver Failure", "it has the gid 0")):
            with self.subTest(user):
                run = self.run_job(one(isolated("look", "true", User=user)), command=command,
                                   config=self.configuration(), code=1)
                self.assertIn(f'running as user "{user}" is disallowed: {why}',
                              run.event("look", kind)["DisplayMessage"])

    def test_host_processes_are_seen_where_the_operator_allows_it(self):
        # Other users' processes are hidden in both cases. The numbers show the namespace.
        own = "echo $$; ls -d /proc/[0-9]* | wc -l"
        number, count = map(int, self.output(own).split())
        self.assertLess(max(number, count), 8)
        number, _ = map(int, self.output(own, {"pid_mode": "host"},
                                         {"default_pid_mode": "host"}).split())
        self.assertGreater(number, 8)

    def test_memory_is_limited_and_reported(self):
        run = self.run_job(one(isolated("look", "x=x; while :; do x=$x$x; done",
                                        Resources={"CPU": 100, "MemoryMB": 16})),
                           config=self.configuration(), code=1)
        self.assertRegex(json.dumps(run.lines), "(?i)oom")

    def test_a_group_without_network_shares_a_loopback_of_its_own(self):
        # Each task prints its namespace. The second one finds the port of the first one.
        serve = ("import os, socket, time; s = socket.create_server(('127.0.0.1', 7)); "
                 "print(os.listdir('/sys/class/net'), os.readlink('/proc/self/ns/net'), flush=True);"
                 "s.accept()")
        connect = ("import os, socket, time\n"
                   "while True:\n"
                   "  try: socket.create_connection(('127.0.0.1', 7)); break\n"
                   "  except ConnectionRefusedError: time.sleep(0.05)\n"
                   "print(os.listdir('/sys/class/net'), os.readlink('/proc/self/ns/net'))")
        tasks = [task(name, driver="exec", config={
            "command": "/usr/bin/python3", "args": ["-c", script],
            "cap_add": ["net_bind_service"]}) for name, script in
            (("server", serve), ("client", connect))]
        run = self.run_job(one(*tasks, Networks=[{"Mode": "none"}]), config=self.configuration())
        seen = run.logs("server", "stdout")
        self.assertEqual(run.logs("client", "stdout"), seen)
        self.assertIn("['lo'] net:[", seen[0])
        self.assertNotIn(os.readlink("/proc/self/ns/net"), seen[0])

    def test_nothing_of_a_network_is_left_by_a_run_that_is_killed(self):
        job = one(isolated("wait", "readlink /proc/self/ns/net; exec sleep 1000"), type="service",
                  Networks=[{"Mode": "none"}])
        run = self.sandbox.run(job, config=self.configuration())
        inside = run.wait_log("wait", "net:")

        def users():
            found = []
            for pid in filter(str.isdigit, os.listdir("/proc")):
                try:
                    found += [pid] if os.readlink(f"/proc/{pid}/ns/net") in inside else []
                except OSError:
                    continue
            return found
        self.assertTrue(users())
        run.signal(signal.SIGKILL)
        run.wait()
        harness.wait_until(lambda: not users(), "the end of all in the network namespace")

    def test_cores_are_reserved(self):
        usable = sorted(os.sched_getaffinity(0))
        resources = {"Cores": 1, "MemoryMB": 32}
        look = "echo $NOMAD_CPU_CORES; grep Cpus_allowed_list /proc/self/status | cut -f2"
        run = self.run_job(one(isolated("one", look, Resources=resources)),
                           config=self.configuration())
        self.assertEqual(run.logs("one", "stdout"), [str(usable[0])] * 2)
        many = one(isolated("one", look, Resources={"Cores": len(usable) + 1, "MemoryMB": 32}))
        refused = self.sandbox.command("run", "--config", self.configuration(),
                                       self.sandbox.write("many.json", many))
        self.assertNotEqual(refused.code, 0)
        self.assertIn("its tasks reserve more cores than", refused.err + refused.out)

    def test_a_hard_limit_of_processor_time_reaches_the_kernel(self):
        mark = f"{os.getpid()}.{time.monotonic_ns()}"
        run = self.sandbox.run(one(isolated("spin", f"exec sleep 9{mark}", {"cpu_hard_limit": True},
                                            Resources={"CPU": 100, "MemoryMB": 64})),
                               config=self.configuration())
        wanted = b"sleep\0009" + mark.encode()
        pid = harness.wait_until(
            lambda: [pid for pid in os.listdir("/proc") if pid.isdigit()
                     and harness.process_text(pid, "cmdline").startswith(wanted)], "the task")[0]
        quotas = []
        for line in pathlib.Path(f"/proc/{pid}/cgroup").read_text().splitlines():
            _, names, path = line.split(":", 2)
            file = pathlib.Path(f"/sys/fs/cgroup/{path}/cpu.max" if names == "" else
                                f"/sys/fs/cgroup/cpu/{path}/cpu.cfs_quota_us")
            if names == "" or "cpu" in names.split(","):
                quotas += file.read_text().split()[:1] if file.exists() else []
        # 100 MHz of a core that has at least 400.
        self.assertTrue([q for q in quotas if q.isdigit() and 1000 <= int(q) <= 25000], quotas)
        run.interrupt()
        run.wait()

    def start_milliseconds(self):
        """Measures the time of a task from its allocation to its start: the fastest of five."""
        found = []
        for _ in range(5):
            run = self.run_job(one(isolated("other", "echo here")), config=self.configuration())
            self.assertEqual(run.logs("other", "stdout"), ["here"])
            received, started = run.event("other", "Received"), run.event("other", "Started")
            found.append((started["Time"] - received["Time"]) / 1e6)
        return min(found)

    def test_a_fork_bomb_ends_at_its_own_limit(self):
        alone = self.start_milliseconds()
        bomb = task("bomb", driver="exec", KillTimeout="300ms", config={
            "command": "/usr/bin/python3", "args": ["-c", FORK_BOMB]})
        run = self.sandbox.run(one(bomb, type="service"),
                               config=self.configuration(pids_limit=60))
        run.wait_log("bomb", "no more")
        beside = self.start_milliseconds()
        self.assertLess(beside, max(250, 4 * alone) * SLACK,
                        f"{alone:.0f} ms without the bomb, {beside:.0f} ms beside it")
        self.assertNotIn("Terminated", run.event_types("bomb"))
        run.interrupt()
        self.assertEqual(run.wait(), 130, run.story())

    def test_what_does_not_want_to_end_ends(self):
        # The processes are deaf to signals, in sessions of their own, without their parents.
        mark = f"{os.getpid()}.{time.monotonic_ns()}"
        deaf = "trap '' TERM INT HUP; "
        script = (f"{deaf} (setsid sh -c \"{deaf} (setsid sleep 9{mark} &); exec sleep 8{mark}\" &);"
                  f" exec sleep 7{mark}")
        run = self.sandbox.run(one(isolated("deaf", script, KillTimeout="300ms"), type="service"),
                               config=self.configuration())

        def living():
            return [line for pid in os.listdir("/proc") if pid.isdigit()
                    for line in [harness.process_text(pid, "cmdline")] if mark.encode() in line
                    and line.startswith(b"sleep")]
        harness.wait_until(lambda: len(living()) == 3, "three processes")
        run.interrupt()
        self.assertEqual(run.wait(), 130, run.story())
        self.assertEqual(living(), [])

    def test_no_descriptor_of_the_agent_is_a_way_out(self):
        """tests/attacks tries these with the shim alone. Here clients of an agent try them."""
        self.sandbox.root.chmod(0o755)
        self.sandbox.alloc_dirs[0].mkdir()
        program = self.sandbox.root / "true"
        program.write_bytes(pathlib.Path("/bin/true").read_bytes())
        program.chmod(0o755)
        agent = Agent(self.sandbox, config=agent_config(self.sandbox, plugins={
            "exec": {"file": str(harness.plugin_file("exec")), "config": {}}}))
        up = "/.." * 20
        groups = []
        for number in range(3, 13):
            place = f"/proc/self/fd/{number}"
            look = {"command": "/bin/sh", "args": ["-c", f"cat .{up}{program} >/dev/null"]}
            for name, config in (("dir", {**look, "work_dir": place}),
                                 ("command", {"command": f"{place}{up}{program}"})):
                groups.append(group(task("t", driver="exec", config=config),
                                    name=f"{name}-{number}"))
        agent.submit(job(*groups, id="ways"))
        for alloc in agent.wait_allocs("ways", len(groups), "failed"):
            state = agent.get(f"/v1/allocation/{alloc['ID']}")["TaskStates"]["t"]
            self.assertIn("Driver Failure", [e["Type"] for e in state["Events"]],
                          alloc["TaskGroup"])
        agent.submit(job(group(isolated("t", "exec sleep 1000")), id="web", type="service"))
        alloc = agent.wait_allocs("web", 1, "running")[0]["ID"]

        def session(*words):
            return self.sandbox.command("alloc", "exec", "-task", "t", alloc, *words,
                                        stdin=subprocess.DEVNULL,
                                        env={"DROVER_ADDR": agent.url}).code
        self.assertEqual(session("/bin/true"), 0)
        for number in range(3, 13):
            self.assertNotEqual(session(f"/proc/self/fd/{number}{up}{program}"), 0, number)
        agent.stop()

    def test_a_service_answers_at_its_port_until_it_is_stopped(self):
        serve = isolated("web", 'echo served by $(id -un) > /local/page; exec python3 -m http.server '
                                '--bind "$NOMAD_IP_http" --directory /local "$NOMAD_PORT_http"')
        run = self.sandbox.run(one(serve, type="service",
                                   Networks=[{"DynamicPorts": [{"Label": "http"}]}]),
                               config=self.configuration())
        run.wait_event("web", "Started")
        port = run.placed()[0]["Ports"][0]["Value"]

        def page():
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/page") as answer:
                    return answer.read()
            except urllib.error.URLError:
                return None
        self.assertEqual(harness.wait_until(page, "an answer"), b"served by nobody\n")
        self.assertEqual(page(), b"served by nobody\n")
        run.interrupt()
        self.assertEqual(run.wait(), 130, run.story())
        self.assertIsNone(page())

    def test_the_example_runs(self):
        job = pathlib.Path(__file__).parents[2] / "examples" / "jobs" / "exec.json"
        run = self.run_job(job, config=self.configuration(), code=0)
        self.assertIn("listening on", "\n".join(run.logs("web", "stdout")))


@unittest.skipUnless(IS_ROOT, "exec needs an agent that is root")
@unittest.skipIf(IN_CHROOT, "exec needs an agent that is not in a chroot")
class ExecMachineTest(ExecConfiguration):
    """A changed machine: by mounts in a mount namespace of the test's own, or by a filter."""

    def in_a_changed_machine(self, change, *command):
        """Runs drover with COMMAND after the shell commands of CHANGE."""
        done = subprocess.run(
            ["unshare", "--mount", "sh", "-ec", change + ' exec $chroot "$0" "$@"',
             str(harness.binary()), *map(str, command)], capture_output=True, text=True,
            stdin=subprocess.DEVNULL, env=self.sandbox.environment(), timeout=harness.LIMIT)
        return done.returncode, done.stdout + done.stderr

    def test_a_hierarchy_that_cannot_be_written_is_reported_once(self):
        change = ("for path in $(findmnt -rno TARGET -t cgroup,cgroup2); do "
                  "mount -o remount,bind,ro $path; done;")
        config = self.configuration()
        code, said = self.in_a_changed_machine(change, "plugin", "list", "--config", config)
        self.assertEqual(code, 0, said)
        self.assertEqual(said.count("are not limited in their memory, cpu, pids, cpuset: mount the "
                                    "cgroup "
                                    "hierarchies of these controllers writable"), 1, said)
        job = self.sandbox.write("job.json", one(isolated("look", "echo ran")))
        code, said = self.in_a_changed_machine(change, "run", "--config", config, job)
        self.assertEqual(code, 0, said)
        self.assertIn("ran", said)

    def test_without_any_cgroups_that_is_reported_once_and_tasks_run(self):
        change = "umount --recursive --lazy /sys/fs/cgroup; "
        config = self.configuration()
        warning = ("are not limited in their memory, cpu, pids, cpuset: mount the cgroup controllers "
                   "of these names")
        code, said = self.in_a_changed_machine(change, "plugin", "list", "--config", config)
        self.assertEqual(code, 0, said)
        self.assertEqual(said.count(warning), 1, said)
        job = self.sandbox.write("job.json", one(isolated("look", "echo ran")))
        code, said = self.in_a_changed_machine(change, "run", "--config", config, job)
        self.assertEqual(code, 0, said)
        self.assertIn("ran", said)

    def test_an_agent_tells_what_is_missing_once(self):
        config = agent_config(self.sandbox, plugins={
            "exec": {"file": str(harness.plugin_file("exec"))}})
        self.sandbox.alloc_dirs[0].mkdir()
        agent = Agent(self.sandbox, "--log-level", "info", config=config, command=[
            "unshare", "--mount", "sh", "-ec",
            'umount --recursive --lazy /sys/fs/cgroup; exec "$0" "$@"', harness.binary()])
        node = agent.get("/v1/node/" + agent.get("/v1/nodes")[0]["ID"])
        driver = node["Drivers"]["exec"]
        self.assertEqual((driver["Healthy"], driver["Detected"]), (True, True))
        missing = "are not limited in their memory, cpu, pids, cpuset"
        self.assertEqual(driver["HealthDescription"].count(missing), 1)
        agent.submit(one(isolated("look", "true")))
        agent.wait_allocs("e2e", 1, "complete")
        agent.stop()
        self.assertEqual("\n".join([*agent.run.lines, agent.run.err]).count(missing), 1,
                         agent.run.story())

    def test_a_task_has_the_groups_of_its_user(self):
        # The groups of the machine's database, which the test binds over for the agent.
        groups = self.sandbox.write("group", pathlib.Path("/etc/group").read_text() +
                                    "one:x:4001:daemon\ntwo:x:4002:bin,daemon\nthree:x:4003:bin\n")
        change = f"mount --bind {groups} /etc/group;"
        job = self.sandbox.write("job.json", one(isolated("look", "echo groups $(id -G)",
                                                          User="daemon")))
        for config, code, output in (({}, 0, "groups 1 4001 4002\n"),
                                     ({"denied_host_gids": "4002"}, 1,
                                      "running as gid 4002 is disallowed")):
            with self.subTest(output):
                done, said = self.in_a_changed_machine(
                    change, "run", "--config", self.configuration(**config), job)
                self.assertEqual(done, code, said)
                self.assertIn(output, said)

    # Makes a system call fail for this process and its descendants. Arguments: number, error, command.
    REFUSE = """
import ctypes, os, struct, sys
number, error = int(sys.argv[1]), int(sys.argv[2])
code = b"".join(struct.pack("HBBI", *one) for one in (
    (0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, 0x00050000 | error),
    (0x06, 0, 0, 0x7fff0000)))
program = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(ctypes.c_char.from_buffer(
    buffer := bytearray(code))))
if ctypes.CDLL(None, use_errno=True).prctl(22, 2, program) != 0:
    sys.exit("no filter: " + os.strerror(ctypes.get_errno()))
os.execv(sys.argv[3], sys.argv[3:])
"""

    def refused_with(self, change, pattern, config=None):
        """The driver's description has the reason why tasks would fail, and no task is started."""
        config = config or self.configuration()
        code, said = self.in_a_changed_machine(change, "plugin", "list", "--config", config)
        self.assertEqual(code, 0, said)
        self.assertRegex(said, pattern)
        self.assertEqual(said.count("exec cannot isolate tasks here"), 1, said)
        job = self.sandbox.write("job.json", one(isolated("look", "echo ran")))
        code, said = self.in_a_changed_machine(change, "run", "--config", config, job)
        self.assertEqual(code, 2, said)
        self.assertRegex(said, pattern)

    def refuse(self, call, error):
        program = self.sandbox.write("refuse.py", self.REFUSE)
        return f"chroot='{sys.executable} {program} {call} {error}';"

    def test_an_agent_that_may_not_mount_or_make_namespaces_says_so_once(self):
        for change, pattern in (
                ("chroot='setpriv --bounding-set=-sys_admin';",
                 r"cannot make namespaces \(Operation not permitted\): give the agent all"),
                ("chroot='setpriv --bounding-set=-setpcap';",
                 r"cannot give up capabilities \(Operation not permitted\): give the agent all"),
                (self.refuse(CLONE3, errno.ENOSYS),
                 r"cannot make namespaces \(Function not implemented\): give the agent all"),
                (self.refuse(MOUNT, errno.EACCES),
                 r"cannot keep mounts from the host \(Permission denied\): give the agent all")):
            with self.subTest(pattern):
                self.refused_with(change, pattern)

    def test_where_the_root_cannot_be_pivoted_an_option_helps(self):
        change = self.refuse(PIVOT_ROOT, errno.EINVAL)
        self.refused_with(change, r"cannot change the root \(Invalid argument\): "
                                  "set no_pivot_root, or")
        config = self.configuration(no_pivot_root=True)
        job = self.sandbox.write("job.json", one(isolated("look", "echo ran; ls /")))
        code, said = self.in_a_changed_machine(change, "run", "--config", config, job)
        self.assertEqual(code, 0, said)
        self.assertIn("ran", said)
        self.assertNotIn("home", said)

    def test_in_a_chroot_the_remedy_is_printed(self):
        root = self.sandbox.root / "root"
        root.mkdir()
        change = f"mount --rbind / {root}; chroot='chroot {root}';"
        config = self.configuration()
        code, said = self.in_a_changed_machine(change, "plugin", "list", "--config", config)
        self.assertEqual(code, 0, said)
        self.assertIn("the agent must not be in a chroot: start it outside", said)
        job = self.sandbox.write("job.json", one(isolated("look", "echo ran")))
        code, said = self.in_a_changed_machine(change, "run", "--config", config, job)
        self.assertEqual(code, 2, said)
        self.assertIn("the agent must not be in a chroot: start it outside", said)
        root.rmdir()


def absent_controllers():
    """The controllers that the kernel does not have: "memory, pids"."""
    rows = [line.split() for line in pathlib.Path("/proc/cgroups").read_text().splitlines()]
    enabled = {row[0] for row in rows if row[-1] == "1"}
    return ", ".join(name for name in ("memory", "cpu", "pids", "cpuset") if name not in enabled)


@unittest.skipUnless(IS_ROOT, "exec needs an agent that is root")
@unittest.skipIf(IN_CHROOT, "exec needs an agent that is not in a chroot")
@unittest.skipUnless(absent_controllers(), "this machine has the controllers memory, cpu, pids and cpuset")
class MissingControllerTest(ExecConfiguration):
    def test_that_is_reported_once_and_tasks_run(self):
        config = self.configuration()
        done = self.sandbox.command("plugin", "list", "--config", config)
        self.assertEqual(done.out.count("are not limited in their " + absent_controllers() +
                                        ": mount the cgroup controllers of these names"), 1,
                         done.out)
        self.run_job(one(isolated("look", "true", Resources={"CPU": 100, "MemoryMB": 16})),
                     config=config)


if __name__ == "__main__":
    harness.main()
