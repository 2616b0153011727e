# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""docs/tutorial-driver.md, followed line by line: each block of commands runs, and its output has the lines
that the page shows.

The short form uses the packages of this build, unpacked into a directory, with the compilers of this machine. The
long form does all of it, also the installation, in a Debian that has nothing else in it."""
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import harness
from harness import LONG, ROOT

sys.path.append(str(ROOT / "tests/vm"))
import image  # noqa: E402

PAGE = ROOT / "docs/tutorial-driver.md"
VARIANTS = ("cpp", "c", "rust")
LIMIT = 600  # seconds from the first command to the last one
COMPILE_LIMIT = 10  # seconds for the author's own code
MARK = "@@tutorial"


@dataclasses.dataclass
class Block:
    language: str
    words: list
    text: str
    line: int

    @property
    def variant(self):
        return next((word for word in self.words if word in VARIANTS), "cpp")

    @property
    def file(self):
        return next((word.removeprefix("file=") for word in self.words if word.startswith("file=")), None)

    @property
    def runs(self):
        return self.language == "sh" or self.file is not None


def blocks(text):
    found = []
    for match in re.finditer(r"^```(\w+)([^\n]*)\n(.*?)^```$", text, re.M | re.S):
        found.append(Block(match[1], match[2].split(), match[3], text.count("\n", 0, match.start()) + 1))
    return found


def script_of(variant, install):
    """A shell script of the page's commands for VARIANT. A line with the time stands before each block."""
    parts = ["set -eu", "export LC_ALL=C.UTF-8"]
    for number, block in enumerate(blocks(PAGE.read_text())):
        if not block.runs or block.variant != variant or ("install" in block.words and not install):
            continue
        parts.append(f"echo '{MARK}' {number} $(date +%s.%N)")
        if block.file:
            parts.append(f"cat >{block.file} <<'END-OF-FILE'\n{block.text}END-OF-FILE")
        else:
            parts.append(block.text.rstrip("\n"))
    parts.append(f"echo '{MARK}' end $(date +%s.%N)")
    return "\n".join(parts) + "\n"


class PageTest(unittest.TestCase):
    """What this test reads of the page."""

    def test_every_variant_has_commands(self):
        for variant in VARIANTS:
            self.assertIn("drover run", script_of(variant, install=True), variant)
            self.assertEqual(subprocess.run(["sh", "-n"], input=script_of(variant, install=True), text=True,
                                            check=False).returncode, 0)

    def test_every_output_stands_behind_commands_of_its_variant(self):
        before = None
        for block in blocks(PAGE.read_text()):
            if block.language == "text":
                self.assertEqual((before.runs, before.variant), (True, block.variant), f"line {block.line}")
            before = block


class TutorialCase(unittest.TestCase):
    def check(self, output, code):
        """Compares the OUTPUT of a script with the page. Returns the seconds of each block by its number."""
        all_blocks = blocks(PAGE.read_text())
        pieces = re.split(rf"^{MARK} (\w+) ([\d.]+)\n", output, flags=re.M)
        seconds, last = {}, None
        times = [(name, float(at)) for name, at in zip(pieces[1::3], pieces[2::3])]
        for (name, begin), (_, end) in zip(times, times[1:]):
            seconds[int(name)] = end - begin
        for name, text in zip(pieces[1::3], pieces[3::3]):
            last = name
            if name == "end":
                continue
            number = int(name)
            following = all_blocks[number + 1] if number + 1 < len(all_blocks) else None
            if following is None or following.language != "text":
                continue
            for wanted in following.text.splitlines():
                self.assertIn(wanted, text, f"{PAGE.name}:{following.line}\n{output[-6000:]}")
        where = "before the first block" if last is None else \
            "at the end" if last == "end" else f"in the block of line {all_blocks[int(last)].line}"
        self.assertEqual((code, last), (0, "end"), f"the script stopped {where}:\n{output[-6000:]}")
        return seconds


def make_packages(directory):
    """Makes both packages of this build. Returns their files."""
    files = [directory / "drover-sdk-dev.deb", directory / "drover.deb"]
    has_hcl = (harness.build_dir() / "bin/drover-hcl").exists()
    for script, file, options in (("sdk_deb.py", files[0], []),
                                  ("deb.py", files[1], [] if has_hcl else ["--without-hcl"])):
        done = subprocess.run([sys.executable, "-B", ROOT / "packaging" / script, harness.build_dir(), file,
                               *options], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(f"{script}: {done.stdout}{done.stderr}")
    return files


@unittest.skipUnless(shutil.which("dpkg-deb"), "there is no dpkg-deb here, to make and unpack packages")
class TutorialTest(TutorialCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="drover-tutorial-", dir=harness.open_tmp()))
        self.root.chmod(0o755)
        self.addCleanup(harness.remove_tree, self.root)
        self.files = make_packages(self.root)

    def test_the_package_has_all_that_an_author_needs(self):
        listed = subprocess.run(["dpkg-deb", "--contents", self.files[0]], capture_output=True, text=True,
                                check=True).stdout
        names = {line.split()[5].removeprefix("./") for line in listed.splitlines()}
        self.assertLessEqual({"usr/bin/drover-testhost", "usr/bin/drover-plugin",
                              "usr/include/drover/drover.h", "usr/include/drover/entry.hpp",
                              "usr/share/doc/drover-sdk-dev/drivers.md",
                              "usr/share/doc/drover-sdk-dev/tutorial-driver.md"}, names)
        for ending in ("DroverSDKConfig.cmake", "DroverDriver.cmake", "drover_driver.map",
                       "pkgconfig/drover-sdk.pc", "pkgconfig/drover-sdk-module.pc"):
            self.assertTrue(any(name.endswith(ending) for name in names), ending)
        # Nothing of the agent, and nothing that the other package has.
        self.assertEqual([name for name in names if name in ("usr/bin/drover", "etc/drover/agent.json")], [])

    def test_the_page_is_right(self):
        for file in self.files:
            subprocess.run(["dpkg-deb", "-x", file, self.root / "prefix"], check=True)
        usr = self.root / "prefix/usr"
        (self.root / "tmp").mkdir()
        environment = {**{key: value for key, value in os.environ.items()
                          if not key.startswith(("DROVER_", "NOMAD_"))},
                       "PATH": f"{usr}/bin:{os.environ['PATH']}", "CMAKE_PREFIX_PATH": str(usr),
                       "PKG_CONFIG_PATH": f"{usr}/lib/pkgconfig", "TMPDIR": str(self.root / "tmp")}
        for variant in VARIANTS:
            with self.subTest(variant):
                if variant == "rust" and shutil.which("cargo") is None:
                    self.skipTest("there is no cargo here")
                work = self.root / variant
                work.mkdir()
                done = subprocess.run(["sh", "-c", script_of(variant, install=False)], cwd=work,
                                      env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, text=True, timeout=LIMIT, check=False)
                self.check(done.stdout, done.returncode)


def why_no_debian():
    """Why no Debian can be made here, or None."""
    if not harness.IS_ROOT:
        return "to make a Debian needs root"
    for program in ("mmdebstrap", "dpkg-deb", "unshare"):
        if shutil.which(program) is None:
            return f"there is no {program} here"
    return None


INSIDE = """set -eu
mount --bind /dev "$1/dev"
mount -t proc proc "$1/proc"
mount -t sysfs sysfs "$1/sys" || :
mount -t tmpfs -o mode=755 run "$1/run"
mount -t tmpfs tmp "$1/tmp"
exec chroot "$1" /bin/sh -c 'cd /root && exec sh "$0"' "/root/$2"
"""


@unittest.skipUnless(LONG, "only in its long form: it makes a Debian from packages")
class EmptyDebianTest(TutorialCase):
    def setUp(self):
        if reason := why_no_debian():
            self.skipTest(reason)
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="drover-debian-", dir="/var/tmp"))
        self.root.chmod(0o755)  # apt's user passes it
        self.addCleanup(harness.remove_tree, self.root)
        self.debian = self.root / "debian"
        made = subprocess.run(["mmdebstrap", "--quiet", "--variant=minbase", "bookworm", self.debian,
                               *image.sources()], capture_output=True, text=True, check=False)
        if made.returncode != 0:
            self.skipTest(f"the Debian mirror of this machine makes no Debian: {made.stderr.strip()[-400:]}")
        # The way to the mirror is that of this machine.
        shutil.copy("/etc/resolv.conf", self.debian / "etc/resolv.conf")
        for path in pathlib.Path("/etc/apt/apt.conf.d").glob("*"):
            if "proxy" in path.read_text(errors="replace").lower():
                shutil.copy(path, self.debian / "etc/apt/apt.conf.d" / path.name)
        for file in make_packages(self.root):
            shutil.copy(file, self.debian / "root" / file.name)

    def follow(self, variant):
        name = f"{variant}.sh"
        install = script_of("cpp", install=True).split(f"echo '{MARK}'")[1].partition("\n")[2]
        text = script_of(variant, install=True)
        if variant != "cpp":  # their boxes come after the installation of the page
            text = f"{{\n{install}}} >install.log 2>&1\n{text}"
        (self.debian / "root" / name).write_text(text)
        environment = {key: value for key, value in os.environ.items()
                       if key.lower().endswith("_proxy")}
        environment |= {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root",
                        "DEBIAN_FRONTEND": "noninteractive"}
        begin = time.monotonic()
        done = subprocess.run(["unshare", "--mount", "--pid", "--fork", "--kill-child=KILL", "sh", "-c", INSIDE,
                               "sh", self.debian, name], env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=3 * LIMIT, check=False)
        seconds = self.check(done.stdout, done.returncode)
        took = time.monotonic() - begin
        compiling = [value for number, value in seconds.items()
                     if blocks(PAGE.read_text())[number].text == "cmake --build build\n"]
        print(f"{variant}: {took:.0f} s, of which each compilation " +
              " and ".join(f"{value:.1f} s" for value in compiling), file=sys.stderr)
        return took, compiling

    def test_from_nothing_to_a_running_task_in_ten_minutes(self):
        took, compiling = self.follow("cpp")
        self.assertLess(took, LIMIT)
        self.assertTrue(compiling)
        self.assertLess(max(compiling), COMPILE_LIMIT)
        for variant in ("c", "rust"):
            with self.subTest(variant):
                self.assertLess(self.follow(variant)[0], LIMIT)


if __name__ == "__main__":
    harness.main()
