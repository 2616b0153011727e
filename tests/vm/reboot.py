#!/usr/bin/env python3
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The Debian package in a virtual machine. Its service is restarted, killed and upgraded under running
tasks. Then the machine loses its power in the middle of requests, and boots again.

Usage: reboot.py BUILD_DIRECTORY [-v] [--seed N]

The machine of run.py boots twice, with a disk that keeps all writes. After the power cut, the changes of
all answered requests must be there. reboot_guest.py runs inside.
"""
import argparse
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

import image
import machine
from run import ROOT, pack

LIMIT = 590  # seconds, of both boots together
ACKNOWLEDGED = 20  # the least number of requests before the power cut


def say(text):
    print("reboot: " + text, flush=True)


class Report:
    """The output of a boot."""

    def __init__(self, verbose):
        self.verbose = verbose
        self.acknowledged, self.kept, self.result = [], [], None

    def hear(self, line):
        word, _, rest = line.partition(" ")
        if word == "ACKNOWLEDGED":
            self.acknowledged.append(rest)
        elif word == "KEPT":
            self.kept.append(rest)
        elif word == "RESULT":
            self.result = rest
        elif self.verbose or word != "passed":
            print("  " + line, flush=True)


def boot(scratch, root_image, accelerator, report):
    return machine.Machine(root_image, scratch / "payload.tar", scratch / "console.log", "",
                           accelerator, report.hear, scratch / "disk")


def wait_for(condition, running, end, what, scratch):
    while not condition():
        if running.process.poll() is not None or time.monotonic() > end:
            running.kill()
            print((scratch / "console.log").read_text(errors="replace")[-4000:])
            sys.exit(f"reboot: {what}: the machine has not got this far")
        time.sleep(0.05)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("build", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("-v", "--verbose", action="store_true", help="show what passes, too")
    parser.add_argument("--seed", type=int, default=1, help="of the moment of the power cut")
    arguments = parser.parse_args()
    reason = machine.reason_not_to_run()
    if reason:
        say("skipped: " + reason)
        return
    with tempfile.TemporaryDirectory(prefix="drover-vm-") as name:
        scratch = pathlib.Path(name)
        without_hcl = [] if pathlib.Path(arguments.build, "bin/drover-hcl").exists() else ["--without-hcl"]
        files = {"drover-vm/guest.py": ROOT / "tests/vm/reboot_guest.py"}
        for number in (1, 2):
            file = scratch / f"drover-{number}.deb"
            subprocess.run([sys.executable, "-B", ROOT / "packaging/deb.py", arguments.build, file,
                            "--version", f"0.1.0~test{number}", *without_hcl], check=True)
            files[f"drover-vm/{file.name}"] = file
        pack(files, {}, scratch / "payload.tar")
        root_image = image.image(say)
        shutil.copyfile(root_image / "root.ext4", scratch / "disk")
        accelerator = machine.choose_accelerator(root_image, scratch / "console.log", say)
        begin = time.monotonic()
        end = begin + LIMIT

        first = Report(arguments.verbose)
        running = boot(scratch, root_image, accelerator, first)
        wait_for(lambda: first.result or len(first.acknowledged) >= ACKNOWLEDGED, running, end,
                 "first boot", scratch)
        if first.result:
            running.kill()
            sys.exit("reboot: first boot: " + first.result)
        time.sleep(random.Random(arguments.seed).random() * 2)
        running.kill()
        say(f"power cut after {len(first.acknowledged)} requests, "
            f"{time.monotonic() - begin:.0f} s after the first boot began")

        second = Report(arguments.verbose)
        running = boot(scratch, root_image, accelerator, second)
        wait_for(lambda: second.result, running, end, "second boot", scratch)
        running.kill()
        lost = sorted(set(first.acknowledged) - set(second.kept))
        say(f"second boot: {second.result}; of {len(first.acknowledged)} acknowledged requests "
            f"{len(lost)} are lost {' '.join(lost)}; "
            f"{time.monotonic() - begin:.0f} s in all, of at most {LIMIT} s")
        if lost or second.result != "all is well":
            sys.exit(1)


if __name__ == "__main__":
    main()
