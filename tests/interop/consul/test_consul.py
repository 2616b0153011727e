#!/usr/bin/env python3
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Runs the tests of host/consul against a real Consul: test_consul.py REAL_CONSUL_TEST.

Consul is a Go module. It is built once and kept below ~/.cache/drover, by the hash of its sources. Without
Go, or without the module, the test is skipped (77) and says why.
"""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import go_program

SOURCE = pathlib.Path(__file__).resolve().parent / "go"


def main():
    program, reason = go_program.build(SOURCE, "consul/consul.test", "Consul", ("test", "-c"))
    if program is None:
        print(f"SKIP: {reason}")
        return go_program.SKIPPED
    environment = {**os.environ, "DROVER_CONSUL_PROGRAM": str(program)}
    return subprocess.run([sys.argv[1], "--gtest_brief=1"], env=environment, timeout=280).returncode


if __name__ == "__main__":
    sys.exit(main())
