# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Inside the virtual machine: runs the tests that plan.json names, and prints reports.

Each test of a gtest program and each class of an end-to-end file is a process of its own, as under
ctest. A test that fails runs once more, and the report has both results.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import time

LIMIT = 400  # seconds, of one test; the class ExecTest is one


def gtest_names(program, wanted):
    out = subprocess.run([program, "--gtest_list_tests", "--gtest_filter=" + wanted],
                         capture_output=True, text=True).stdout
    suite = ""
    for line in out.splitlines():
        name = line.split("#")[0].strip()
        if line.startswith(" "):
            yield suite + name
        elif name.endswith("."):
            suite = name


def end_to_end(plan, key):
    for name in plan[key]:
        yield (f"e2e.{name}", [sys.executable, "-B", "-m", "unittest", "-v", name], plan["e2e"])


def tests(plan):
    """(name, command, working directory)"""
    # The long ones first, so that none runs alone at the end.
    yield from end_to_end(plan, "unittest")
    for program, wanted in plan["gtest"]:
        for name in gtest_names(program, wanted):
            yield (f"{pathlib.Path(program).name}.{name}",
                   [program, "--gtest_filter=" + name, "--gtest_color=no"], "/tmp")


def run(test, environment):
    """(passed or skipped or failed, reason or output)"""
    _, command, directory = test
    try:
        done = subprocess.run(command, cwd=directory, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT)
    except subprocess.TimeoutExpired as e:
        return "failed", f"not within {LIMIT} s\n" + (e.stdout or b"").decode(errors="replace")
    output = done.stdout.decode(errors="replace")
    if done.returncode != 0 or "Ran 0 tests" in output:
        return "failed", output + f"\nexit status {done.returncode}"
    skipped = re.search(r"Skipped\n(.*)", output) or re.search(r"skipped [\"'](.*)[\"']", output)
    if skipped and ("1 FAILED" not in output) and "[       OK ]" not in output and \
            not re.search(r"\.\.\. ok", output):
        return "skipped", skipped.group(1)
    return "passed", ""


def leave_unit():
    """Enters a cgroup below that of the unit: the unit's own cgroup is for an agent."""
    own = pathlib.Path("/proc/self/cgroup").read_text().strip().removeprefix("0::")
    below = pathlib.Path("/sys/fs/cgroup" + own, "tests")
    below.mkdir()
    (below / "cgroup.procs").write_text("0")


def main():
    leave_unit()
    plan = json.loads((pathlib.Path(__file__).parent / "plan.json").read_text())
    environment = {**os.environ, "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                   "HOME": "/root", **plan["environment"]}
    for name in ("INVOCATION_ID", "JOURNAL_STREAM"):
        environment.pop(name, None)
    counts = {"passed": 0, "skipped": 0, "failed": 0}

    def one(test):
        begin = time.monotonic()
        result, text = run(test, environment)
        if result == "failed":
            print(f"again   {test[0]}\n{text}", flush=True)
            result, text = run(test, environment)
        more = f": {text}" if result == "skipped" else f"\n{text}" if result == "failed" else ""
        print(f"{result:7} {test[0]} ({time.monotonic() - begin:.1f} s){more}", flush=True)
        return result

    def wanted(test):
        return not plan["only"] or any(text in test[0] for text in plan["only"])

    with concurrent.futures.ThreadPoolExecutor(plan["jobs"]) as pool:
        for result in pool.map(one, filter(wanted, tests(plan))):
            counts[result] += 1
    for test in filter(wanted, end_to_end(plan, "alone")):
        counts[one(test)] += 1
    print("RESULT " + json.dumps(counts), flush=True)


main()
