# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Programs in Go with which Drover is compared.

Each is built once and kept below ~/.cache/drover, by the hash of its sources.
"""
import hashlib
import os
import pathlib
import shutil
import subprocess
import tempfile

SKIPPED = 77  # the exit code by which ctest knows a skipped test
BUILD_SECONDS = 900


def _cache():
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "drover"


def _source_hash(go, source):
    digest = hashlib.sha256(subprocess.run([go, "version"], capture_output=True, check=True).stdout)
    for path in sorted(source.iterdir()):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def build(source, kept, of, command=("build",)):
    """Returns the program and None, or None and the reason why there is none.

    SOURCE is the directory of its sources. KEPT is its path in the cache, as "directory/name". OF is what the reason
    calls it. COMMAND is the command of go that builds it.
    """
    go = shutil.which("go")
    if go is None:
        return None, "there is no go in PATH"
    directory, name = kept.split("/")
    program = _cache() / directory / _source_hash(go, source) / name
    if program.exists():
        return program, None
    program.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=program.parent) as scratch:
        # Go completes go.mod and go.sum in the copy.
        copy = pathlib.Path(scratch) / "go"
        shutil.copytree(source, copy)
        built = pathlib.Path(scratch) / name
        try:
            done = subprocess.run([go, *command, "-mod=mod", "-o", str(built), "."], cwd=copy, capture_output=True,
                                  text=True, timeout=BUILD_SECONDS)
        except subprocess.TimeoutExpired:
            return None, f"{of} is not built within {BUILD_SECONDS} s"
        if done.returncode != 0:
            return None, f"{of} cannot be built: " + done.stderr[-1000:]
        os.replace(built, program)
    return program, None
