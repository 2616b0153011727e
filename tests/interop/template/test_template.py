#!/usr/bin/env python3
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Compares what templates give here with what consul-template gives: test_template.py TEMPLATE_ORACLE_TEST.

A Go program makes templates from a seed, renders them by consul-template, and writes each with its result.
It is built once and kept below ~/.cache/drover, by the hash of its sources. Without Go, or without the
modules, the test is skipped (77) and says why. DROVER_TEMPLATE_SEED is the seed; by default it is 1.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import go_program

SOURCE = pathlib.Path(__file__).resolve().parent / "go"
COUNT = "2000"  # generated templates


def main():
    program, reason = go_program.build(SOURCE, "template/oracle", "consul-template")
    if program is None:
        print(f"SKIP: {reason}")
        return go_program.SKIPPED
    seed = os.environ.get("DROVER_TEMPLATE_SEED", "1")
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as cases:
        # The templates look at nothing of this machine.
        subprocess.run([program, seed, COUNT], env={"PATH": os.environ["PATH"], "TZ": "UTC"}, stdout=cases,
                       check=True, timeout=200)
        environment = {**os.environ, "DROVER_TEMPLATE_CASES": cases.name}
        return subprocess.run([sys.argv[1], "--gtest_brief=1"], env=environment, timeout=280).returncode


if __name__ == "__main__":
    sys.exit(main())
