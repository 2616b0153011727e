#!/usr/bin/env python3
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""run_in_venv.py VENV MODULE REQUIREMENT TEST: runs the unittest TEST with a package of the index.

Without the package the test is skipped (77).
"""
import os
import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS))
import package_venv


def main():
    venv, module, requirement, test = sys.argv[1:5]
    python = package_venv.interpreter_with(pathlib.Path(venv).resolve(), module, requirement)
    if python is None:
        print(f"SKIP: {requirement} cannot be installed from the package index")
        return package_venv.SKIPPED
    here = pathlib.Path(__file__).resolve().parent
    os.environ["PYTHONPATH"] = os.pathsep.join([str(TESTS / "e2e"), str(here)])
    os.execv(python, [str(python), "-B", "-m", "unittest", "-v", test])


if __name__ == "__main__":
    sys.exit(main())
