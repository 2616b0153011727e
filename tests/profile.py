#!/usr/bin/env python3
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Where the time of a build and of its tests goes.

Usage: profile.py build BUILD_DIRECTORY            seconds by folder and by file, from ninja's log
       profile.py headers BUILD_DIRECTORY [N]      seconds by header, from N sources compiled once more
       profile.py tests BUILD_DIRECTORY [CTEST...] seconds by test, waiting against computing

`tests` runs each test that ctest runs with these arguments alone, one after the other. Computing is the
processor time of a test's processes. It lacks processes that no process of the test waits for, such as the
tasks of an agent.
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import resource
import shlex
import subprocess
import sys
import tempfile
import time

ROWS = 30


def table(title, rows, columns):
    """Prints rows of (name, numbers...), the largest first, and their sum."""
    print(f"\n{title}")
    print("".join(f"{column:>12}" for column in columns))
    ordered = sorted(rows, key=lambda row: -row[1])
    for row in ordered[:ROWS]:
        print("".join(f"{number:12.1f}" for number in row[1:]) + f"  {row[0]}")
    if len(ordered) > ROWS:
        print(f"  and {len(ordered) - ROWS} more")
    sums = [sum(row[i] for row in rows) for i in range(1, len(columns) + 1)]
    print("".join(f"{number:12.1f}" for number in sums) + "  all")


def folder(output):
    """The target of an object: what CMake builds with the same flags."""
    for part in pathlib.PurePath(output).parts:
        if part.endswith(".dir"):
            return part[:-len(".dir")]
    return "links, tools"


def profile_build(build):
    """Prints the seconds of each step. Steps run side by side, so their sum is not the wall time."""
    steps = {}
    for line in (build / ".ninja_log").read_text().splitlines()[1:]:
        begin, end, _, output, _ = line.split("\t")
        steps[output] = (int(end) - int(begin)) / 1000
    by_folder = collections.Counter()
    for output, seconds in steps.items():
        by_folder[folder(output)] += seconds
    table("by target", list(by_folder.items()), ["seconds"])
    table("by file", list(steps.items()), ["seconds"])


def trace(entry):
    """The seconds that each header costs one source, with all that it includes."""
    with tempfile.TemporaryDirectory() as scratch:
        words = shlex.split(entry["command"])
        if "ccache" in words[0]:
            words = words[1:]
        words[words.index("-o") + 1] = f"{scratch}/out.o"
        words = [word for word in words if not word.startswith(("-MF", "-MD", "-MT"))]
        subprocess.run(words + ["-ftime-trace", "-ftime-trace-granularity=1000"],
                       cwd=entry["directory"], check=True, capture_output=True)
        events = json.loads(next(pathlib.Path(scratch).glob("*.json")).read_text())["traceEvents"]
    costs, parts, open_files = collections.Counter(), collections.Counter(), []
    for event in events:
        if event.get("name") == "Source" and event["ph"] == "b":
            open_files.append((event["args"]["detail"], event["ts"]))
        elif event.get("name") == "Source" and event["ph"] == "e":
            file, began = open_files.pop()
            costs[file] += (event["ts"] - began) / 1e6
        elif event.get("name", "").startswith("Total "):
            parts[event["name"]] += event["dur"] / 1e6
    return costs, parts


def profile_headers(build, count):
    entries = [entry for entry in json.loads((build / "compile_commands.json").read_text())
               if entry["file"].endswith(".cc") and "/host/" in entry["file"]]
    random.Random(1).shuffle(entries)
    costs, parts, including = collections.Counter(), collections.Counter(), collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for one, both in pool.map(trace, entries[:count]):
            costs.update(one)
            parts.update(both)
            including.update(one.keys())
    table(f"by header, {min(count, len(entries))} sources",
          [(name, seconds, including[name]) for name, seconds in costs.items()], ["seconds", "sources"])
    table("by part of the compiler", list(parts.items()), ["seconds"])


def run_test(test, build):
    """Wall and processor seconds of a test, and whether it passed."""
    properties = {item["name"]: item["value"] for item in test.get("properties", [])}
    environment = dict(os.environ)
    for setting in properties.get("ENVIRONMENT", []):
        name, _, value = setting.partition("=")
        environment[name] = value
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(test["command"], cwd=properties.get("WORKING_DIRECTORY", build), env=environment,
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wall, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu, done.returncode


def profile_tests(build, arguments):
    shown = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1", *arguments],
                           capture_output=True, text=True, check=True)
    tests = [test for test in json.loads(shown.stdout)["tests"] if "command" in test]
    rows, by_group, failed = [], collections.defaultdict(lambda: [0, 0, 0]), []
    for test in tests:
        wall, cpu, code = run_test(test, build)
        rows.append((test["name"], wall, cpu, max(0, wall - cpu)))
        group = by_group[".".join(test["name"].split(".")[:1])]
        for i, number in enumerate((wall, cpu, 1)):
            group[i] += number
        if code:
            failed.append(test["name"])
    table("by test", rows, ["seconds", "computing", "waiting"])
    table("by group", [(name, *numbers) for name, numbers in by_group.items()],
          ["seconds", "computing", "tests"])
    if failed:
        print(f"\nnot passed here: {' '.join(failed)}")


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("build", "headers", "tests"):
        sys.exit(__doc__)
    build = pathlib.Path(sys.argv[2]).resolve()
    if sys.argv[1] == "build":
        profile_build(build)
    elif sys.argv[1] == "headers":
        profile_headers(build, int(sys.argv[3]) if len(sys.argv) > 3 else 40)
    else:
        profile_tests(build, sys.argv[3:])


if __name__ == "__main__":
    main()
