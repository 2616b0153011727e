# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Programs of an earlier commit of this repository, built from its history and kept in the cache."""
import os
import pathlib
import shutil
import subprocess
import tempfile

import harness

TARGETS = ("drover", "raw_exec", "exec", "hello", "hello_c")
FILES = {"bin/drover": "drover", "lib/drover/plugins/raw_exec.so": "raw_exec.so",
         "lib/drover/plugins/exec.so": "exec.so", "examples/hello.so": "hello.so",
         "examples/hello_c.so": "hello_c.so"}


def reason_not_to_build(commit):
    """The reason why COMMIT cannot be built here; None: it can."""
    if (directory(commit) / "drover").exists():
        return None
    try:
        subprocess.run(["git", "-C", harness.ROOT, "cat-file", "-e", commit + "^{commit}"],
                       capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return f"this source tree has no history with {commit}"
    return None


def has_text(commit, file, text):
    """Whether FILE of that commit contains TEXT."""
    return subprocess.run(["git", "-C", harness.ROOT, "grep", "-qF", text, commit, "--", file],
                          stdout=subprocess.DEVNULL).returncode == 0


def directory(commit):
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "drover" / "builds" / commit


def build(commit):
    """The directory with the programs of COMMIT. Takes minutes the first time."""
    finished = directory(commit)
    if (finished / "drover").exists():
        return finished
    finished.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=finished.parent) as name:
        tree = pathlib.Path(name) / "tree"
        tree.mkdir()
        archive = subprocess.run(["git", "-C", harness.ROOT, "archive", commit], check=True,
                                 stdout=subprocess.PIPE).stdout
        subprocess.run(["tar", "-x", "-C", tree], input=archive, check=True)
        environment = {**os.environ, "CCACHE_BASEDIR": str(tree), "CCACHE_NOHASHDIR": "1",
                       "CCACHE_SLOPPINESS": "pch_defines,time_macros"}
        for command in (["--preset", "release"],
                        ["--build", "--preset", "release", "--target", *TARGETS]):
            done = subprocess.run(["cmake", *command], cwd=tree, env=environment, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if done.returncode != 0:
                raise AssertionError(f"{commit} cannot be built:\n{done.stdout[-4000:]}")
        programs = pathlib.Path(name) / "programs"
        programs.mkdir()
        for source, target in FILES.items():
            shutil.copy2(tree / "build/release" / source, programs / target)
        programs.rename(finished)
    return finished
