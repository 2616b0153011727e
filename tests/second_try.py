#!/usr/bin/env python3
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Decides whether the tests that have just failed may run a second time.

Usage: second_try.py BUILD_DIRECTORY MOST

Real processes share the machine with others, so a test of them may fail once, and so may a test that measures
time. Any other test on simulated time fails for a reason, and more than MOST failures are no accident. Then
the exit code is 1, and this prints the reason in one line.
Otherwise it prints the failed tests, one a line.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
# Folders of host/ whose tests use only simulated time, or no time.
SIMULATED = ("alloc", "scheduler", "schema", "spec", "stats", "task", "taskenv")
MEASURES = re.compile(r"\bCpuTimer\b|\bstd::clock\(|\bsteady_clock\b")
SUITE = re.compile(r"^\s*(?:TYPED_)?TEST(?:_F|_P)?\((\w+),", re.M)


def simulated_suites(host):
    """Whether each FOLDER.SUITE is on simulated time. Such a file uses a SimLoop and no RealLoop, itself or by
    a header, or is in a folder of SIMULATED. It does not measure time."""
    headers = {str(p.relative_to(host.parent)): p.read_text() for p in host.rglob("*.h")}
    suites = {}
    for path in host.rglob("*_test.cc"):
        text = path.read_text()
        whole = text + "".join(headers.get(name, "") for name in re.findall(r'#include "(host/[^"]+)"', text)
                               if re.search(r"fixture|bench|for_test", name))
        folder = path.relative_to(host).parts[0]
        simulated = folder in SIMULATED or ("SimLoop" in whole and "RealLoop" not in whole)
        for suite in SUITE.findall(text):
            suites[f"{folder}.{suite}"] = simulated and not MEASURES.search(text)
    return suites


def is_simulated(test, suites):
    """TEST as ctest names it: `task.RestartTest.Waits`, `api.All/FilterTest.Fits/1 # ...`, `base.part2`."""
    folder, _, rest = test.partition(".")
    suite = rest.split(".")[0].rpartition("/")[2]
    return suites.get(f"{folder}.{suite}", folder in SIMULATED)


def main():
    build, most = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    log = build / "Testing/Temporary/LastTestsFailed.log"
    failed = [line.split(":", 1)[1] for line in log.read_text().splitlines()] if log.exists() else []
    if not failed:
        sys.exit("ctest has failed without a failed test")
    suites = simulated_suites(ROOT / "host")
    if reasons := [test for test in failed if is_simulated(test, suites)]:
        sys.exit(f"failed on simulated time, where a second try would hide the reason: {', '.join(reasons)}")
    if len(failed) > most:
        sys.exit(f"{len(failed)} tests failed, too many to try them again: {', '.join(failed)}")
    print("\n".join(failed))


if __name__ == "__main__":
    main()
