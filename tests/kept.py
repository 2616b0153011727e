#!/usr/bin/env python3
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Tests that have passed with exactly these programs and inputs need not run again.

Usage: kept.py names BUILD_DIRECTORY CTEST...  prints the prefixes of such tests, one a line
       kept.py store BUILD_DIRECTORY CTEST...  notes which prefixes have passed; ctest has just run

CTEST are the arguments of ctest that choose the tests. `scheduler.PlacementTest.Fits` has the prefix `scheduler`.
A prefix has one stamp, below BUILD_DIRECTORY/kept. The stamp is the hash of the names and the programs of the
chosen tests, of the programs and modules that ninja makes before these programs, of the files of the repository
that no compiler reads, and of this machine's packages, kernel and user. A prefix has no stamp if one of its tests
has failed, or if one is no program of the build: a script that starts the host does not say what it depends on.
"""
import collections
import hashlib
import json
import os
import pathlib
import platform
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
COMPILED = (".a", ".asm", ".c", ".cc", ".cxx", ".h", ".hxx", ".o", ".pch", ".S")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def file_hash(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


class Machine:
    """The inputs of every test, computed once."""

    def __init__(self, build):
        self.build = build
        self.hashes = {}
        whole = hashlib.sha256(f"{platform.release()} {os.getuid()}".encode())
        packages = pathlib.Path("/var/lib/dpkg/status")
        files = [packages] if packages.exists() else []
        names = run("git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard")
        files += [ROOT / name for name in sorted(names.splitlines()) if not name.endswith(COMPILED)]
        for file in files:
            if file.is_file():
                whole.update(str(file).encode() + file_hash(file))
        self.common = whole.digest()

    def content(self, path):
        path = self.build / path
        if path not in self.hashes:
            self.hashes[path] = file_hash(path)
        return self.hashes[path]

    def key(self, tests):
        """The hash of all that TESTS depend on; None: that is unknown."""
        whole = hashlib.sha256(self.common)
        programs = set()
        for test in tests:
            command = test.get("command")
            if not command or self.build not in pathlib.Path(command[0]).parents:
                return None
            programs.add(os.path.relpath(command[0], self.build))
            properties = [p for p in test.get("properties", []) if p["name"] == "ENVIRONMENT"]
            whole.update(json.dumps([test["name"], command[1:], properties]).encode())
        for program in sorted(programs):
            made = run("ninja", "-C", str(self.build), "-t", "inputs", program).splitlines()
            for path in [program, *sorted(made)]:
                if not path.endswith(COMPILED) and (self.build / path).is_file():
                    whole.update(path.encode() + self.content(path))
        return whole.hexdigest()


def prefix_of(name):
    return name.split(".")[0]


def listed(build, *arguments):
    """The tests that ctest runs with these arguments, by prefix."""
    tests = collections.defaultdict(list)
    for test in json.loads(run("ctest", "--test-dir", str(build), "--show-only=json-v1", *arguments))["tests"]:
        tests[prefix_of(test["name"])].append(test)
    return tests


def failed_prefixes(build):
    """The prefixes of the tests that failed when ctest ran last."""
    log = build / "Testing/Temporary/LastTestsFailed.log"
    lines = log.read_text().splitlines() if log.exists() else []
    return {prefix_of(line.split(":", 1)[1]) for line in lines}


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("names", "store"):
        sys.exit(__doc__)
    build = pathlib.Path(sys.argv[2]).resolve()
    stamps = build / "kept"
    stamps.mkdir(exist_ok=True)
    machine, failed = Machine(build), failed_prefixes(build)
    for prefix, tests in listed(build, *sys.argv[3:]).items():
        stamp = stamps / prefix
        if (key := machine.key(tests)) is None:
            continue
        if sys.argv[1] == "names":
            if stamp.exists() and stamp.read_text() == key:
                print(prefix)
        elif prefix not in failed:
            stamp.write_text(key)


if __name__ == "__main__":
    main()
