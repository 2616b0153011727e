#!/usr/bin/env python3
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The suite in a virtual machine: Debian's kernel, cgroups of version 2 only, systemd as init.

Usage: run.py BUILD_DIRECTORY [-v] [TEST...]

Copies the build's programs into a Debian 12 machine, and runs the tests there that depend on the machine's
cgroups, mounts and init. Fails when a test fails, when none has run or when the machine is not off in time.
Needs the packages that `./dev test --long` installs. TEST: runs only tests whose name has this text.
"""
import argparse
import io
import json
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import time

import image
import machine

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT = 1200  # seconds, of both boots together: each instruction may be emulated
# Programs, and the filters of their tests. tests/faults is not here: its hundreds of starts take minutes
# where each instruction is emulated.
GTEST = {"host/process/process_test": "*", "tests/attacks/attacks_test": "*",
         "tests/conformance/conformance_test": "Places/ExecDriverTest.*:Places/IsolatedExampleTest.*",
         "tests/load/load_test": "OomTest.*"}
END_TO_END = ["test_exec", "test_stop", "test_leftovers", "test_systemd", "test_unprivileged"]
# A test that sets the clock has the machine to itself.
ALONE = ["test_clock"]
# Programs that the tests use, and source files whose paths are built into programs.
FILES = ["bin/drover", "host/process/fork_chain", "lib/drover/plugins/*.so",
         "tests/attacks/programs/*", "tests/conformance/isolated_hello.so",
         "examples/hello.so", "tests/load/load_hog"]
SOURCES = ["tests/e2e/*.py", "examples/jobs/*", "examples/jobs/change/*", "examples/*.json", "CMakeLists.txt", "packaging/*"]

def say(text):
    print("vm: " + text, flush=True)


def classes(files):
    """The end-to-end tests of FILES, which the build system names: "test_exec.ExecTest"."""
    text = (ROOT / "tests/e2e/CMakeLists.txt").read_text()
    return [f"{file}.{name}" for file, name in re.findall(r"^drover_e2e\((\w+) (\w+)", text, re.M)
            if file in files]


def pack(files, texts, path):
    """A tar file in which root owns all files: the host refuses plugins that others could replace. FILES and
    TEXTS have their names inside as keys."""
    made = set()

    def add_parents(tar, name):
        for parent in reversed(pathlib.PurePath(name).parents[:-1]):
            if parent not in made:
                made.add(parent)
                entry = tarfile.TarInfo(str(parent))
                entry.type, entry.mode = tarfile.DIRTYPE, 0o755
                tar.addfile(entry)

    def add(tar, file, name):
        add_parents(tar, name)
        entry = tar.gettarinfo(str(file), name)
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = "root"
        entry.mode = 0o755 if entry.mode & 0o100 else 0o644
        with open(file, "rb") as content:
            tar.addfile(entry, content)

    with tarfile.open(path, "w") as tar:
        for name, file in files.items():
            add(tar, file, name)
        for name, text in texts.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text.encode())
            tar.addfile(entry, io.BytesIO(text.encode()))


def files_of(build):
    """The files that the tests need, by their paths on this machine."""
    files = {"drover-vm/guest.py": ROOT / "tests/vm/guest.py"}
    for base, patterns in ((build, [*FILES, *GTEST]), (ROOT, SOURCES)):
        for pattern in patterns:
            found = [file for file in sorted(base.glob(pattern)) if file.is_file()]
            if not found:
                sys.exit(f"vm: there is no {base / pattern}: build first")
            files.update((str(file)[1:], file) for file in found)
    return files


def run(name, options, plan, accelerator, directories, verbose, end):
    """Runs one boot, which must end at END of the monotonic clock. Returns whether all is well."""
    build, root_image, scratch = directories
    payload, console = scratch / "payload.tar", scratch / "console.log"
    pack(files_of(build), {"drover-vm/plan.json": json.dumps(plan)}, payload)
    lines, result = [], []

    def on_line(line):
        lines.append(line)
        if line.startswith("RESULT "):
            result.append(json.loads(line[7:]))
        elif verbose or not line.startswith("passed "):
            print("  " + line, flush=True)

    begin = time.monotonic()
    off = machine.Machine(root_image, payload, console, options, accelerator,
                          on_line).wait(max(0, end - begin))
    took = f"{time.monotonic() - begin:.0f} s"
    if not off or not result:
        why = "has not reported" if off else f"is not off after {took} or broke down"
        say(f"{name}: the machine {why}; the end of its console:")
        print(console.read_text(errors="replace")[-6000:])
        return False
    counts = result[0]
    say(f"{name}: {counts['passed']} passed, {counts['skipped']} skipped, "
        f"{counts['failed']} failed in {took}, booting included")
    if counts["passed"] == 0:
        say("no test has run")
    return counts["passed"] > 0 and counts["failed"] == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("build", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("tests", nargs="*")
    parser.add_argument("-v", "--verbose", action="store_true", help="show what passes, too")
    arguments = parser.parse_intermixed_args()
    reason = machine.reason_not_to_run()
    if reason:
        say("skipped: " + reason)
        return
    plan = {"gtest": [(str(arguments.build / program), tests) for program, tests in GTEST.items()],
            "unittest": classes(END_TO_END), "alone": classes(ALONE), "e2e": str(ROOT / "tests/e2e"), "jobs": 2,
            "only": arguments.tests,
            "environment": {"DROVER_BUILD_DIR": str(arguments.build), "DROVER_E2E_SLACK": "6",
                            "DROVER_MAY_SET_CLOCK": "1"}}
    with tempfile.TemporaryDirectory(prefix="drover-vm-") as scratch:
        directories = arguments.build, image.image(say), pathlib.Path(scratch)
        accelerator = machine.choose_accelerator(directories[1], directories[2] / "console.log",
                                                 say)
        begin = time.monotonic()
        well = run("cgroups of version 2", "", plan, accelerator, directories,
                   arguments.verbose, begin + LIMIT)
        if not arguments.tests:
            plan.update(gtest=[], unittest=["test_exec.MissingControllerTest"], alone=[])
            well = run("without a memory controller", "cgroup_disable=memory", plan, accelerator,
                       directories, arguments.verbose, begin + LIMIT) and well
        say(f"{time.monotonic() - begin:.0f} s in all, of at most {LIMIT} s")
        if not well:
            sys.exit(1)


if __name__ == "__main__":
    main()
