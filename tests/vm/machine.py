# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""One boot of the virtual machine, from power on to power off."""
import pathlib
import platform
import subprocess
import threading
import time

MEMORY = "2G"
CORES = "2"
# Inside another virtual machine, /dev/kvm may open and still run nothing.
KVM_PATIENCE = 15.0


class Machine:
    """CONSOLE is a file. ON_LINE gets each line of the second serial line, the report. DISK is a copy of the
    root image that keeps all writes; without it they go to a temporary file."""

    def __init__(self, image, payload, console, options, accelerator, on_line, disk=None):
        self.console = pathlib.Path(console)
        self.console.write_bytes(b"")
        root = f"file={disk}" if disk else f"file={image}/root.ext4,snapshot=on"
        self.process = subprocess.Popen(
            ["qemu-system-x86_64", "-accel", accelerator, "-cpu", "max", "-smp", CORES,
             "-m", MEMORY, "-nodefaults", "-no-reboot", "-display", "none",
             "-drive", f"{root},format=raw,if=virtio,cache=unsafe",
             "-drive", f"file={payload},format=raw,if=virtio,cache=unsafe,snapshot=on",
             "-device", "virtio-rng-pci", "-serial", f"file:{console}", "-serial", "stdio",
             "-kernel", f"{image}/vmlinuz", "-initrd", f"{image}/initrd", "-append",
             "root=/dev/vda rw console=ttyS0 panic=-1 quiet systemd.show_status=0 "
             f"systemd.unit=drover-vm.service {options}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self._reader = threading.Thread(target=self._read, args=[on_line], daemon=True)
        self._reader.start()

    def _read(self, on_line):
        for line in self.process.stdout:
            on_line(line.decode(errors="replace").rstrip())

    def says_something(self):
        """Whether its kernel has written anything. The BIOS does not count."""
        end = time.monotonic() + KVM_PATIENCE
        while time.monotonic() < end and self.process.poll() is None:
            if b"[    " in self.console.read_bytes():
                return True
            time.sleep(0.1)
        return False

    def wait(self, limit):
        """Waits until the machine is off. Returns False if that took longer than LIMIT and it was killed."""
        try:
            self.process.wait(limit)
            return self.process.returncode == 0
        except subprocess.TimeoutExpired:
            return False
        finally:
            self.kill()

    def kill(self):
        """Ends the machine in any state. Idempotent."""
        self.process.kill()
        self.process.wait()
        self._reader.join()
        self.process.stdout.close()


def reason_not_to_run():
    """The reason why this host cannot run the machine; None: it can."""
    if platform.machine() != "x86_64":
        return f"the machine is one of x86_64, this host is {platform.machine()}"
    try:
        subprocess.run(["qemu-system-x86_64", "--version"], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        return f"qemu does not run here: {error}"
    return None


def has_kvm():
    try:
        with open("/dev/kvm", "r+b", buffering=0):
            return True
    except OSError:
        return False


def choose_accelerator(image, console, say):
    """The options for the hardware, if a kernel starts with it."""
    if has_kvm():
        any_disk = image / "vmlinuz"
        trial = Machine(image, any_disk, console, "", "kvm", lambda line: None)
        works = trial.says_something()
        trial.kill()
        if works:
            return "kvm"
        say("/dev/kvm is there, but no kernel starts with it: going on by emulation")
    return "tcg,thread=multi"
