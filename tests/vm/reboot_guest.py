# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Inside the virtual machine of reboot.py: the work of its two boots. Each task records its starts itself,
with the boot, so that the test need not trust the agent."""
import glob
import http.client
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
KEPT = pathlib.Path("/var/lib/drover-vm")  # on the disk
OUT = KEPT / "out"
LIMIT = 240  # seconds: each instruction is emulated
WITNESS = ('echo "$(cat /proc/sys/kernel/random/boot_id) $$ $(cut -d" " -f22 /proc/$$/stat)" >> '
           f'{OUT}/$NOMAD_JOB_ID.$NOMAD_ALLOC_INDEX; while :; do sleep 1000; done')
INSIDE = ('test ! -e /secrets/key || exit 3; touch /secrets/key; '
          'echo "start $$" >> /alloc/data/inside; while :; do sleep 1000; done')
POLICY = {"Attempts": 3, "Delay": 10**8, "Interval": 60 * 10**9, "Mode": "fail"}
COUNTS = {"web": 3, "inside": 2}


def wait_until(condition, what):
    end = time.monotonic() + LIMIT
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not within {LIMIT} s")
        time.sleep(0.1)


def ask(method, path, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", 4646, timeout=LIMIT)
    connection.request(method, path, body=json.dumps(body) if body is not None else None)
    answer = connection.getresponse()
    text = answer.read()
    if answer.status != 200:
        raise AssertionError(f"{method} {path}: {answer.status} {text}")
    return json.loads(text) if text else None


def run(*command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          env={**os.environ, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
                               "DEBIAN_FRONTEND": "noninteractive"})
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.returncode} {done.stdout} {done.stderr}")
    return done.stdout.strip()


def submit(name, driver, script, count=1, kind="service"):
    ask("PUT", "/v1/jobs", {"Job": {"ID": name, "Type": kind, "TaskGroups": [{
        "Name": "g", "Count": count, "RestartPolicy": POLICY, "EphemeralDisk": {"SizeMB": 10}, "Tasks": [{
            "Name": "t", "Driver": driver, "LogConfig": {"MaxFiles": 5, "MaxFileSizeMB": 2},
            "Resources": {"CPU": 20, "MemoryMB": 16},
            "Config": {"command": "/bin/sh", "args": ["-c", script]}}]}]}})


def allocs(name, status):
    return wait_until(lambda: (lambda found: found if found and all(
        a["ClientStatus"] == status for a in found) else None)(
            ask("GET", f"/v1/job/{name}/allocations")), f"{name} is {status}")


def main_pid(unit="drover"):
    return int(run("systemctl", "show", "-P", "MainPID", unit))


def boot_id():
    return pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def starts():
    """The lines of each witness in this boot: [boot, pid, start time]."""
    return {path.name: [line.split() for line in path.read_text().splitlines()
                        if line.startswith(boot_id())] for path in OUT.iterdir()}


def is_alive(pid, began):
    try:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rsplit(")", 1)[1].split()[19] == began


def inside():
    return sorted(line for path in glob.glob("/var/lib/drover/alloc/*/alloc/data/inside")
                  for line in pathlib.Path(path).read_text().splitlines())


def check_untouched(before):
    """Checks that no task was started again, and that the agent knows all of them."""
    for name, count in COUNTS.items():
        found = allocs(name, "running")
        assert sorted(a["ID"] for a in found) == before[name], (name, found)
        assert len(found) == count
        assert all(a["TaskStates"]["t"]["Restarts"] == 0 for a in found), found
    for name, lines in starts().items():
        assert len(lines) == 1 and is_alive(*lines[0][1:]), (name, lines)
    assert len(inside()) == COUNTS["inside"], inside()


def step(name, function, *arguments):
    begin = time.monotonic()
    result = function(*arguments)
    print(f"passed {name} ({time.monotonic() - begin:.1f} s)", flush=True)
    return result


def install():
    run("dpkg", "-i", str(HERE / "drover-1.deb"))
    path = pathlib.Path("/etc/drover/agent.json")
    config = json.loads(path.read_text().split("\n", 1)[1])
    config["plugins"]["raw_exec"] = {"config": {"enabled": True}}
    path.write_text(json.dumps(config))
    run("systemctl", "enable", "--now", "drover")
    assert run("systemctl", "is-active", "drover") == "active"


def start_jobs():
    submit("web", "raw_exec", WITNESS, COUNTS["web"])
    submit("inside", "exec", INSIDE, COUNTS["inside"])
    submit("over", "raw_exec", f"echo over >> {KEPT}/over", kind="batch")
    before = {name: sorted(a["ID"] for a in allocs(name, "running")) for name in COUNTS}
    allocs("over", "complete")
    wait_until(lambda: len(starts()) == 3 and len(inside()) == 2, "all tasks have begun")
    (KEPT / "before").write_text(json.dumps(before))
    return before


def restart(before):
    pid = main_pid()
    run("systemctl", "restart", "drover")
    assert main_pid() != pid
    check_untouched(before)


def kill(before):
    pid = main_pid()
    os.kill(pid, 9)

    def is_back():
        try:
            return main_pid() not in (0, pid) and ask("GET", "/v1/agent/health") is not None
        except (OSError, AssertionError, http.client.HTTPException):
            return False
    wait_until(is_back, "systemd has started the next agent")
    check_untouched(before)


def kill_keeper(before):
    os.kill(main_pid("drover-tasks"), 9)
    wait_until(lambda: main_pid("drover-tasks") == 0, "systemd has seen it")
    pid = main_pid()
    check_untouched(before)
    assert main_pid() == pid != 0


def upgrade(before):
    pid = main_pid()
    config = pathlib.Path("/etc/drover/agent.json").read_text()
    run("dpkg", "-i", str(HERE / "drover-2.deb"))
    assert "test2" in run("dpkg-query", "-W", "drover")
    assert main_pid() not in (0, pid)
    assert os.readlink(f"/proc/{main_pid()}/exe") == "/usr/bin/drover"
    assert pathlib.Path("/etc/drover/agent.json").read_text() == config
    check_untouched(before)


def ask_until_the_power_goes():
    run("sync")  # files of the tests themselves
    for number in range(100_000):
        name = f"asked-{number}"
        submit(name, "raw_exec", "exec sleep 1000", count=0)
        print(f"ACKNOWLEDGED {name}", flush=True)


def first_boot():
    OUT.mkdir(parents=True)
    step("installation of the package", install)
    before = step("start of tasks", start_jobs)
    step("systemctl restart", restart, before)
    step("kill -9 of the agent", kill, before)
    step("kill -9 of the process that keeps the tasks' unit", kill_keeper, before)
    step("upgrade of the package", upgrade, before)
    ask_until_the_power_goes()


def take_up(before):
    run("systemctl", "start", "drover")

    def again(name):
        """Whether the agent reports each of its tasks as started again. Until then it reports the old state."""
        found = allocs(name, "running")
        assert sorted(a["ID"] for a in found) == before[name], (name, found)
        events = [[e["Type"] for e in a["TaskStates"]["t"]["Events"]] for a in found]
        return all(each[-2:] == ["Failed Restoring Task", "Started"] for each in events)
    for name in COUNTS:
        wait_until(lambda: again(name), f"{name} is reported as started again")
    wait_until(lambda: all(starts().values()) and len(inside()) == 4, "all tasks have begun again")
    for name, lines in starts().items():
        assert len(lines) == 1 and is_alive(*lines[0][1:]), (name, lines)
    assert (KEPT / "over").read_text() == "over\n"
    for job in ask("GET", "/v1/jobs"):
        print("KEPT " + job["ID"], flush=True)


def end():
    for name in COUNTS:
        ask("DELETE", f"/v1/job/{name}")
        allocs(name, "complete")
    assert not any(is_alive(*line[1:]) for lines in starts().values() for line in lines)
    run("dpkg", "-r", "drover")
    assert run("systemctl", "show", "-P", "ActiveState", "drover") == "inactive"
    state = "/var/lib/drover/state/state.db"
    assert glob.glob(state + ".damaged-*") == []
    checked = sqlite3.connect(state).execute("PRAGMA integrity_check").fetchall()
    assert checked == [("ok",)], checked


def second_boot():
    before = json.loads((KEPT / "before").read_text())
    step("start after the power cut", take_up, before)
    step("end of the jobs and of the package", end)
    print("RESULT all is well", flush=True)


def main():
    try:
        second_boot() if KEPT.exists() else first_boot()
    except Exception:  # reported to the host
        traceback.print_exc(file=sys.stdout)
        log = subprocess.run(["journalctl", "-u", "drover", "-u", "drover-tasks", "-n", "60", "--no-pager"],
                             capture_output=True, text=True).stdout
        print(log + "\nRESULT it has failed", flush=True)


main()
