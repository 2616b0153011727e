# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""A disk that hangs, for the end-to-end tests."""
import ctypes
import os


class HangingDisk:
    """A file system over a directory. No process answers its requests, so every call on it waits until
    the disk is freed."""

    def __init__(self, test, directory):
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.directory = str(directory)
        try:
            self.device = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
        except OSError as error:
            test.skipTest(f"no file system can be made to hang here: {error}")
        options = f"fd={self.device},rootmode=40000,user_id=0,group_id=0"
        if self.libc.mount(b"hangs", self.directory.encode(), b"fuse", 0, options.encode()) != 0:
            os.close(self.device)
            test.skipTest(f"cannot mount a fuse: {os.strerror(ctypes.get_errno())}")
        test.addCleanup(self.free)

    def free(self):
        """The waiting calls fail, and the directory is as before."""
        if self.device >= 0:
            os.close(self.device)
            self.libc.umount2(self.directory.encode(), 2)
        self.device = -1
