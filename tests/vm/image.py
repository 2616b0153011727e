# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The root image of the virtual machine: Debian 12 with its own kernel and systemd, nothing else.

It is made from the packages of this machine's mirror. The cache keeps it under the hash of its recipe, so a
change of this file or of the unit makes another image. Nobody writes to it afterwards.
"""
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
UNIT = HERE / "drover-vm.service"
PACKAGES = ["linux-image-cloud-amd64", "systemd-sysv", "python3", "procps", "libspdlog1.10",
            "libre2-9", "libssl3", "libyaml-0-2", "libarchive13"]
# The modules that the machine needs before its root is mounted. The default, every module, takes seconds more.
MODULES = ["virtio_pci", "virtio_blk", "ext4"]
SIZE = "1500M"  # sparse


def sources():
    """Lines of sources.list: the Debian mirror that this machine uses."""
    asked = subprocess.run(
        ["apt-get", "indextargets", "--format",
         "$(ORIGIN)|$(CODENAME)|$(REPO_URI)|$(RELEASE)|$(COMPONENT)", "Created-By: Packages"],
        capture_output=True, text=True, check=True).stdout
    lines = []
    for line in asked.splitlines():
        origin, codename, uri, release, component = line.split("|")
        if origin == "Debian" and re.fullmatch("bookworm(-updates|-security)?", codename):
            lines.append(f"deb {uri} {release} {component}")
    return sorted(set(lines)) or ["deb http://deb.debian.org/debian bookworm main"]


def hook(directory):
    """The script that mmdebstrap calls with the finished root: its files become the image."""
    modules = "\\n".join(MODULES)
    return f"""set -e
printf '{modules}\\n' >>"$1/etc/initramfs-tools/modules"
chroot "$1" update-initramfs -u
cp "$1"/boot/vmlinuz-* {directory}/vmlinuz
cp "$1"/boot/initrd.img-* {directory}/initrd
rm -rf "$1"/boot/* "$1"/var/cache/apt/* "$1"/var/lib/apt/lists/*
cp {UNIT} "$1/etc/systemd/system/"
echo drover-vm >"$1/etc/hostname"
# Without what is mounted inside.
mkdir {directory}/root
mount --bind "$1" {directory}/root
mke2fs -q -t ext4 -d {directory}/root {directory}/root.ext4 {SIZE}
umount {directory}/root
rmdir {directory}/root
"""


def cache():
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "drover" / "vm"


def image(say):
    """The directory with root.ext4, vmlinuz and initrd."""
    recipe = hashlib.sha256(pathlib.Path(__file__).read_bytes() + UNIT.read_bytes()).hexdigest()
    finished = cache() / recipe[:16]
    if finished.is_dir():
        return finished
    say("making the root image; it is kept in " + str(finished))
    cache().mkdir(parents=True, exist_ok=True)
    for old in cache().iterdir():
        shutil.rmtree(old)
    with tempfile.TemporaryDirectory(dir=cache()) as name:
        directory = pathlib.Path(name) / "image"
        directory.mkdir()
        script = pathlib.Path(name) / "hook"
        script.write_text(hook(directory))
        done = subprocess.run(
            ["mmdebstrap", "--quiet", "--format=null", "--variant=minbase",
             "--include=" + ",".join(PACKAGES),
             *(f"--dpkgopt=path-exclude=/usr/share/{part}/*" for part in ("man", "doc", "locale")),
             '--essential-hook=mkdir -p "$1/etc/initramfs-tools/conf.d" && '
             'printf "MODULES=list\\nCOMPRESS=lz4\\n" >"$1/etc/initramfs-tools/conf.d/drover"',
             f'--customize-hook=sh {script} "$1"', "bookworm", "-", "-"],
            input="\n".join(sources()) + "\n", stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True)
        if done.returncode != 0:
            raise RuntimeError("mmdebstrap has failed:\n" + done.stdout[-4000:])
        directory.rename(finished)
    return finished
