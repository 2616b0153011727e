# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""A disk with project quotas, for the end-to-end tests."""
import ctypes
import fcntl
import os
import shutil
import struct
import subprocess
import unittest

GET_ATTRIBUTES, SET_ATTRIBUTES = 0x801C581F, 0x401C5820  # FS_IOC_FSGETXATTR, FS_IOC_FSSETXATTR
MAKERS = [(["mkfs.ext4", "-q", "-O", "quota,project", "-E", "quotatype=prjquota"], "prjquota"),
          (["mkfs.xfs", "-q"], "pquota")]


class QuotaDisk:
    """A file system of a file, mounted at DIRECTORY below the sandbox of TEST, which unmounts it. Skips the test if
    this machine has no such file system. Call it in setUp."""

    def __init__(self, test, directory):
        directory.mkdir()
        reasons = []
        for maker, option in MAKERS:
            reason = self.mount(directory, maker, option)
            if reason is None:
                test.sandbox.own_mounts.append(str(directory))
                return
            reasons.append(f"{maker[0]}: {reason}")
        test.sandbox.remove()
        raise unittest.SkipTest("no file system with project quotas: " + "; ".join(reasons))

    @staticmethod
    def mount(directory, maker, option):
        """Returns why it cannot."""
        if os.geteuid() != 0:
            return "the test is not root"
        if shutil.which(maker[0]) is None:
            return "is not installed"
        image = directory.parent / "disk.img"
        with open(image, "wb") as file:
            file.truncate(512 * 2**20)
        for command in ([*maker, str(image)], ["mount", "-o", f"loop,{option}", str(image), str(directory)]):
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                image.unlink()
                return (done.stderr.strip() or f"exit code {done.returncode}").splitlines()[0]
        return None


def project_of(path, new=None):
    """The project of a file or directory. NEW: it gets this one, as its owner may give it any."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fields = list(struct.unpack("IIIII8s", fcntl.ioctl(descriptor, GET_ATTRIBUTES, bytes(28))))
        if new is not None:
            fields[3] = new
            fcntl.ioctl(descriptor, SET_ATTRIBUTES, struct.pack("IIIII8s", *fields))
        return fields[3]
    finally:
        os.close(descriptor)


def limit_of(path, project):
    """The bytes that a project may have on the file system of PATH; 0 for no limit."""
    libc = ctypes.CDLL(None, use_errno=True)
    block = ctypes.create_string_buffer(72)
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        if libc.syscall(443, descriptor, (0x800007 << 8) | 2, project, block) != 0:  # quotactl_fd, Q_GETQUOTA
            return 0
    finally:
        os.close(descriptor)
    return struct.unpack_from("Q", block)[0] * 1024
