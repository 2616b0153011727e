#!/usr/bin/env python3
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Compares what templates give here with what consul-template gives: test_template.py TEMPLATE_ORACLE_TEST.

A Go program makes templates from a seed, renders them by consul-template, and writes each with its result.
It is built once and kept below ~/.cache/drover, by the hash of its sources. Without Go, or without the
modules, the test is skipped (77) and says why. DROVER_TEMPLATE_SEED is the seed; by default it is 1.
"""
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent / "go"
SKIPPED = 77  # the exit code by which ctest knows a skipped test
BUILD_SECONDS = 900
COUNT = "2000"  # generated templates


def cache():
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "drover" / "template"


def source_hash(go):
    digest = hashlib.sha256(subprocess.run([go, "version"], capture_output=True, check=True).stdout)
    for path in sorted(SOURCE.iterdir()):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def build():
    """Returns the program and None, or None and the reason why there is none."""
    go = shutil.which("go")
    if go is None:
        return None, "there is no go in PATH"
    program = cache() / source_hash(go) / "oracle"
    if program.exists():
        return program, None
    program.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=program.parent) as scratch:
        # Go completes go.mod and go.sum in the copy.
        copy = pathlib.Path(scratch) / "go"
        shutil.copytree(SOURCE, copy)
        built = pathlib.Path(scratch) / "oracle"
        try:
            done = subprocess.run([go, "build", "-mod=mod", "-o", str(built), "."], cwd=copy,
                                  capture_output=True, text=True, timeout=BUILD_SECONDS)
        except subprocess.TimeoutExpired:
            return None, f"consul-template is not built within {BUILD_SECONDS} s"
        if done.returncode != 0:
            return None, "consul-template cannot be built: " + done.stderr[-1000:]
        os.replace(built, program)
    return program, None


def main():
    program, reason = build()
    if program is None:
        print(f"SKIP: {reason}")
        return SKIPPED
    seed = os.environ.get("DROVER_TEMPLATE_SEED", "1")
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as cases:
        # The templates look at nothing of this machine.
        subprocess.run([program, seed, COUNT], env={"PATH": os.environ["PATH"], "TZ": "UTC"}, stdout=cases,
                       check=True, timeout=200)
        environment = {**os.environ, "DROVER_TEMPLATE_CASES": cases.name}
        return subprocess.run([sys.argv[1], "--gtest_brief=1"], env=environment, timeout=280).returncode


if __name__ == "__main__":
    sys.exit(main())
