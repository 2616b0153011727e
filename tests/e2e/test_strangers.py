# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The access of a local user without rights to an agent's directories, and files that an agent must not read
because such a user could have written them."""
import json
import os
import pathlib
import stat
import subprocess
import sys
import unittest

import harness
from agent_harness import Agent, agent_config
from harness import DroverTest, group, job, plugin_file, task

STRANGER, NOBODY = 12345, 65534
FIRST, SECOND, THIRD = 1, 2, 3  # daemon, bin and sys: the driver takes accounts only

# Each task writes to all of its own directories, then waits.
WRITE = """
set -e
for d in "$NOMAD_TASK_DIR" "$NOMAD_SECRETS_DIR" "$NOMAD_ALLOC_DIR/data" "$TMP_OF_TASK"; do
  echo of-$(id -u) > "$d/$NOMAD_TASK_NAME"
done
[ -r "$NOMAD_ALLOC_DIR/logs" ]
cd "$NOMAD_TASK_DIR"
printf '#!/bin/sh\\necho ran as $(id -u)\\n' > run.sh
chmod 755 run.sh
echo ready as $(id -u)
while :; do sleep 1; done
"""

# Tries each action with each of the paths on its standard input, and prints the actions that worked.
TRY = r"""
import json, os, sys
uid, only, paths = int(sys.argv[1]), sys.argv[2:], json.load(sys.stdin)
os.setgroups([])
os.setresgid(uid, uid, uid)
os.setresuid(uid, uid, uid)
done = []
def attempt(what, path, action):
    try:
        if not only or what in only:
            action()
            done.append([what, path])
    except OSError:
        pass
for path in paths:
    attempt("enter", path, lambda: os.chdir(path))
    attempt("list", path, lambda: os.listdir(path))
    attempt("look", path, lambda: os.lstat(path))
    attempt("read", path, lambda: os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK)))
    attempt("write", path, lambda: os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK)))
    attempt("make", path, lambda: os.close(os.open(path + "/made-by-a-stranger",
                                                   os.O_WRONLY | os.O_CREAT, 0o600)))
    attempt("change", path, lambda: os.chmod(path, 0o777))
    attempt("move", path, lambda: os.rename(path, path + ".moved"))
    attempt("link", path, lambda: os.symlink("/etc/passwd", path + ".link"))
    if not os.path.isdir(path):
        attempt("run", path, lambda: os.access(path, os.X_OK) or os.stat("/none"))
print(json.dumps(done))
"""


def below(root):
    """ROOT, and every path below it."""
    found = [str(root)]
    for directory, names, files in os.walk(root):
        found += [os.path.join(directory, name) for name in names + files]
    return found


def tried_by(uid, paths, *only):
    """The actions that UID can do with PATHS, as a set of (action, path). ONLY: the actions to try, or all by
    default."""
    done = subprocess.run([sys.executable, "-B", "-c", TRY, str(uid), *only], input=json.dumps(paths),
                          capture_output=True, text=True, check=True, timeout=harness.LIMIT)
    return {tuple(one) for one in json.loads(done.stdout)}


@unittest.skipUnless(harness.IS_ROOT, "other users need root")
class StrangerTest(DroverTest):
    """Tasks of several users and drivers run. Other users try to reach them."""

    def setUp(self):
        super().setUp()
        self.data = self.sandbox.root / "data"
        self.sandbox.alloc_dirs[0] = self.data / "alloc"
        self.agent = self.start()

    def tearDown(self):
        if not self._outcome_failed():
            for name in ("root", "nobody", "isolated", "several"):
                self.agent.must("DELETE", f"/v1/job/{name}", purge="true")
            harness.wait_until(lambda: not self.agent.get("/v1/allocations") or
                               self.agent.must("PUT", "/v1/system/gc"), "all jobs to be forgotten")
            # An agent that stops leaves unfinished removals to the next agent.
            harness.wait_until(lambda: not self.leftovers.allocations(), "all directories to be removed")
            self.agent.stop()
        super().tearDown()

    def start(self):
        plugins = {"raw_exec": {"file": str(plugin_file("raw_exec")), "config": {"enabled": True}},
                   "exec": {"file": str(plugin_file("exec"))}}
        return Agent(self.sandbox, dev=False,
                     config=agent_config(self.sandbox, plugins=plugins, client={"alloc_dir": None}))

    def run_all(self):
        """Runs the jobs. Returns the directories of their allocations, by job."""
        def writes(name, user, driver="raw_exec"):
            more = {"User": str(user)} if user is not None else {}
            tmp = "/tmp" if driver == "exec" else "${NOMAD_TASK_DIR}/../tmp"
            return task(name, driver=driver, Env={"TMP_OF_TASK": tmp},
                        config={"command": "/bin/sh", "args": ["-c", WRITE]}, **more)
        jobs = {"root": [writes("t", None)], "nobody": [writes("t", "nobody")],
                "isolated": [writes("t", None, "exec")],
                "several": [writes("a", FIRST), writes("b", SECOND), writes("c", THIRD, "exec"),
                            writes("d", None)]}
        found = {}
        for name, tasks in jobs.items():
            self.agent.submit(job(group(*tasks), id=name, type="service"))
        for name, tasks in jobs.items():
            alloc = self.agent.wait_allocs(name, 1, "running")[0]["ID"]
            found[name] = self.data / "alloc" / alloc
            self.wait_ready(found[name], [one["Name"] for one in tasks])
        return found

    def wait_ready(self, alloc, tasks, times=1):
        for name in tasks:
            log = alloc / "alloc" / "logs" / f"{name}.stdout.0"
            try:
                harness.wait_until(lambda: log.exists() and log.read_text().count("ready") >= times,
                                   log)
            except AssertionError as late:
                raise AssertionError(f"{late}: {self.state_of(alloc, name)}") from None

    def state_of(self, alloc, name):
        errors = alloc / "alloc" / "logs" / f"{name}.stderr.0"
        said = errors.read_text() if errors.exists() else "nothing"
        return said + str(self.agent.get(f"/v1/allocation/{alloc.name}")["TaskStates"][name])

    def assert_closed(self, allocs):
        paths = below(self.data)
        passable = {("enter", str(self.data)), ("look", str(self.data)),
                    ("enter", str(self.data / "alloc")), ("look", str(self.data / "alloc"))}
        names = {("look", path) for path in paths
                 if pathlib.Path(path).parent in (self.data, self.data / "alloc")}
        self.assertLessEqual(len(allocs), len(names))
        self.assertEqual(tried_by(STRANGER, paths) - passable - names, set())
        # Users of running tasks reach their own directories.
        owners = {NOBODY: [allocs["nobody"]], FIRST: [allocs["several"]],
                  SECOND: [allocs["several"]]}
        for uid, own in owners.items():
            others = [path for path in paths
                      if not any(path.startswith(str(directory)) for directory in own)]
            self.assertEqual(tried_by(uid, others) - passable - names, set(), uid)
        other_tasks = below(allocs["several"] / "b") + below(allocs["several"] / "d")
        self.assertEqual({path for _, path in tried_by(FIRST, other_tasks)},
                         {str(allocs["several"] / "b"), str(allocs["several"] / "d")},
                         "their names can be seen, and no more")
        self.assertFalse([path for path in below(self.data) if "stranger" in path])

    def test_strangers_reach_nothing_of_tasks_that_run(self):
        allocs = self.run_all()
        self.assert_closed(allocs)
        several = allocs["several"]
        for name, uid in (("a", FIRST), ("b", SECOND), ("c", THIRD), ("d", 0)):
            for place in ("local", "secrets", "tmp"):
                owner = os.stat(several / name / place / name).st_uid
                self.assertEqual(owner, uid, (name, place))
            # The directories of the group are shared.
            for reader in (FIRST, SECOND):
                path = str(several / "alloc" / "data" / name)
                self.assertIn(("read", path), tried_by(reader, [path], "read"))

    def test_directories_of_an_earlier_version_are_taken_over(self):
        allocs = self.run_all()
        self.agent.stop()
        # The modes of earlier versions.
        for alloc in allocs.values():
            os.removexattr(alloc, "system.posix_acl_access") if self.has_list(alloc) else None
            alloc.chmod(0o755)
            for directory in alloc.iterdir():
                if directory.name == "alloc":
                    continue
                for path in (directory, directory / "local", directory / "secrets"):
                    path.chmod(0o777)
                    os.chown(path, NOBODY, NOBODY)
        self.agent = self.start()
        for name, alloc in allocs.items():
            tasks = [path.name for path in alloc.iterdir() if path.name != "alloc"]
            states = self.agent.get(f"/v1/allocation/{alloc.name}")["TaskStates"]
            self.assertEqual({t["State"] for t in states.values()}, {"running"}, name)
            self.assertEqual({t["Restarts"] for t in states.values()}, {0}, name)
            self.wait_ready(alloc, tasks)  # the same process still
            self.restart(alloc)
            self.wait_ready(alloc, tasks, times=2)
            for each in tasks:
                closed = below(alloc / each)
                self.assertEqual({path for _, path in tried_by(STRANGER, closed)},
                                 {str(alloc / each)}, "its name can be seen, and no more")

    def restart(self, alloc):
        """An agent whose driver is still being loaded has not recovered the tasks. It restarts none."""
        def restarted():
            self.agent.must("PUT", f"/v1/client/allocation/{alloc.name}/restart", {})
            states = self.agent.get(f"/v1/allocation/{alloc.name}")["TaskStates"]
            return all(state["Restarts"] > 0 for state in states.values())
        harness.wait_until(restarted, f"a restart of {alloc}", step=1)

    @staticmethod
    def has_list(path):
        return "system.posix_acl_access" in os.listxattr(path)

    def test_secrets_in_memory_go_when_the_tasks_have_ended(self):
        allocs = self.run_all()
        mounted = harness.mounts_below(self.data)
        self.assertEqual(len(mounted), 7)
        for name in allocs:
            self.agent.must("DELETE", f"/v1/job/{name}")
        harness.wait_until(lambda: not harness.mounts_below(self.data), "no mount to be left")
        for name, alloc in allocs.items():
            self.assertTrue((alloc / "alloc" / "data").is_dir(), "its files stay")
            read = self.agent.ask("GET", f"/v1/client/fs/ls/{alloc.name}",
                                  path=("a" if name == "several" else "t") + "/secrets")
            self.assertEqual((read.status, json.loads(read.body)), (200, []))


@unittest.skipUnless(harness.IS_ROOT, "other users need root")
class OwnFilesTest(DroverTest):
    """The agent starts only if nobody else can change its files."""

    def setUp(self):
        super().setUp()
        self.sandbox.alloc_dirs[0].mkdir()
        self.data = self.sandbox.root / "data"
        self.config = agent_config(self.sandbox)

    def refused(self, *texts):
        done = subprocess.run([harness.binary(), "agent", "--config", str(self.config), "--port", "0"],
                              capture_output=True, text=True, timeout=harness.LIMIT,
                              env=self.sandbox.environment())
        self.assertNotEqual(done.returncode, 0, done.stdout)
        for text in texts:
            self.assertIn(text, done.stderr)

    def test_a_data_directory_of_a_stranger_is_refused(self):
        self.data.mkdir()
        os.chown(self.data, STRANGER, STRANGER)
        self.refused(f"{self.data} belongs to user {STRANGER}")
        os.chown(self.data, 0, 0)
        self.data.chmod(0o777)
        self.refused(f"{self.data} has mode 0777", "chmod go-w")
        self.assertEqual(stat.S_IMODE(self.data.stat().st_mode), 0o777)

    def test_so_is_a_link_in_the_place_of_the_allocations(self):
        target = self.sandbox.root / "target"
        target.mkdir(mode=0o755)
        target.chmod(0o755)
        self.data.mkdir(mode=0o755)
        (self.data / "alloc").symlink_to(target)
        self.refused(f"{self.data}/alloc is not a directory", "alloc_dir")
        self.assertEqual(stat.S_IMODE(target.stat().st_mode), 0o755, "it was followed")

    def test_so_is_a_directory_of_allocations_that_others_can_write(self):
        self.sandbox.alloc_dirs[0].chmod(0o777)
        self.refused("/client/alloc_dir", f"{self.sandbox.alloc_dirs[0]} has mode 0777")

    def test_so_is_a_configuration_that_others_can_write(self):
        self.config.chmod(0o666)
        self.refused(f"{self.config} has mode 0666", "chmod go-w")
        self.config.chmod(0o644)
        os.chown(self.config, STRANGER, STRANGER)
        self.refused(f"{self.config} belongs to user {STRANGER}")

    def test_so_is_a_token_file_that_is_none(self):
        fifo = self.sandbox.root / "token"
        os.mkfifo(fifo, 0o600)
        self.config = agent_config(self.sandbox, token_file=str(fifo))
        self.refused("token_file", "is no regular file")
        self.config = agent_config(self.sandbox, token_file="")
        self.refused("/token_file: is empty")

    def test_so_is_what_others_could_replace(self):
        """The configuration and the token are correct, but their directory is not."""
        below = self.sandbox.root / "below"
        below.mkdir()
        token = below / "token"
        token.write_text("0123456789abcdef")
        token.chmod(0o600)
        mine = self.config
        for mode, owner, text in ((0o777, 0, "has mode 0777"),
                                  (0o755, STRANGER, f"belongs to user {STRANGER}")):
            below.chmod(mode)
            os.chown(below, owner, owner)
            self.config = agent_config(self.sandbox, token_file=str(token))
            self.refused(f"token_file: {below} {text}")
            self.config = below / "agent.json"
            self.config.write_bytes(mine.read_bytes())
            self.refused(f"configuration {self.config}: {below} {text}")
            self.config.unlink()

    def test_so_is_a_link_that_a_stranger_could_let_lead_elsewhere(self):
        theirs = self.sandbox.root / "theirs"
        theirs.mkdir()
        os.chown(theirs, STRANGER, STRANGER)
        for target, key in ((self.data, "data_dir"), (self.sandbox.alloc_dirs[0], "alloc_dir")):
            target.mkdir(exist_ok=True)
            link = theirs / key
            link.symlink_to(target)
            more = {"client": {key: str(link)}} if key == "alloc_dir" else {key: str(link)}
            self.config = self.sandbox.write_config(**{"data_dir": str(self.data), **more})
            self.refused(f"{theirs} belongs to user {STRANGER}")
            self.assertEqual(list(target.iterdir()), [])

    def test_a_link_of_the_operators_is_followed_once(self):
        """Its later target counts only at the next start."""
        first, second = self.sandbox.root / "first", self.sandbox.root / "second"
        self.sandbox.alloc_dirs += [first, second]
        for directory in (first, second):
            directory.mkdir()
        link = self.sandbox.root / "link"
        link.symlink_to(first)
        self.config = agent_config(self.sandbox, client={"alloc_dir": str(link)})
        agent = Agent(self.sandbox, config=self.config, dev=False)
        link.unlink()
        link.symlink_to(second)
        agent.submit(job(group(task("t", "true")), id="linked", type="batch"))
        alloc = agent.wait_allocs("linked", 1, "complete")[0]["ID"]
        self.assertEqual(os.listdir(first), [alloc])
        self.assertEqual(os.listdir(second), [])
        agent.must("DELETE", "/v1/job/linked", purge="true")
        harness.wait_until(lambda: not agent.get("/v1/allocations") or
                           agent.must("PUT", "/v1/system/gc"), "the job to be forgotten")
        harness.wait_until(lambda: not os.listdir(first), "its directory to be removed")
        agent.stop()

    def test_what_is_its_own_it_keeps_to_itself(self):
        before = os.umask(0)
        try:
            agent = Agent(self.sandbox, config=self.config, dev=False)
        finally:
            os.umask(before)
        modes = {path.name: stat.S_IMODE(path.stat().st_mode)
                 for path in [self.data, *self.data.iterdir(), *(self.data / "state").iterdir()]}
        agent.stop()
        self.assertEqual(modes.pop("data"), 0o711)
        self.assertEqual(modes.pop("alloc"), 0o711)
        self.assertEqual(modes.pop("state"), 0o700)
        self.assertEqual(modes.pop("keys"), 0o700)
        self.assertEqual(os.listdir(self.data / "keys"), ["seal.key"])
        self.assertEqual(stat.S_IMODE((self.data / "keys" / "seal.key").stat().st_mode), 0o400)
        self.assertIn("state.db", modes)
        self.assertEqual(set(modes.values()), {0o600}, modes)


if __name__ == "__main__":
    unittest.main()
