# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Servers of Debian that tests run as tasks."""
import os
import shlex
import shutil

from harness import ROOT

UNPACKED = ROOT / "build/servers"  # by ./dev, so that Debian does not start them


def server(name):
    """Returns the words of a shell that run the server NAME, unpacked or installed, or None without it."""
    folders = [UNPACKED / "usr/sbin", UNPACKED / "usr/bin", "/usr/sbin"]
    path = shutil.which(name, path=os.pathsep.join([*map(str, folders), os.environ["PATH"]]))
    if path is None:
        return None
    libraries = os.pathsep.join(map(str, UNPACKED.glob("usr/lib/*-linux-gnu")))
    return shlex.join(["env", "LD_LIBRARY_PATH=" + libraries, path] if libraries else [path])
