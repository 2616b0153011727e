# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Packages of the Python package index, for tests against such a package."""
import subprocess
import sys

SKIPPED = 77  # the exit code by which ctest knows a skipped test


def interpreter_with(venv, module, requirement):
    """The Python of the virtual environment VENV (a path). Makes it, and installs REQUIREMENT, unless it can
    import MODULE. If that fails, prints the reason and returns None."""
    python = venv / "bin" / "python3"
    probe = [str(python), "-c", f"import {module}"]
    if python.exists() and subprocess.run(probe, stderr=subprocess.DEVNULL).returncode == 0:
        return python
    for command in ([sys.executable, "-m", "venv", str(venv)],
                    [str(python), "-m", "pip", "install", "--quiet", requirement]):
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=200)
        except (OSError, subprocess.TimeoutExpired) as error:
            print(f"{command[1:4]}: {error}")
            return None
        if done.returncode != 0:
            print(done.stdout[-500:] + done.stderr[-500:])
            return None
    return python
