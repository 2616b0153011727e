#!/usr/bin/env python3
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Makes the Debian package of the SDK, drover-sdk-dev: all that an author of plugins needs, without Drover.

Usage: sdk_deb.py BUILD_DIRECTORY FILE.deb [--version VERSION] [--sanitized NAME=BUILD_DIRECTORY ...]

The package has the headers, the CMake package, the pkg-config files, drover-testhost, drover-plugin (the kit,
with the templates of new projects), and the documents. For each --sanitized build it also has
drover-testhost-NAME and drover-plugin-NAME. Prints nothing unless it fails.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import tempfile

import deb

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROGRAMS = ("drover-testhost", "drover-plugin")
# The documents for authors of plugins. Links among them work where they are installed.
DOCUMENTS = ("abi", "devices", "driver-parts", "drivers", "go-driver", "kit", "mock-driver", "places", "plugin-debugging",
             "plugin-lifetime", "plugin-limits", "porting-nomad-driver", "prepare", "publishing-plugins", "schema",
             "sdk-reference", "task-hooks", "testhost", "tutorial-driver")


def abi_version():
    text = (ROOT / "sdk/include/drover/drover.h").read_text()
    return ".".join(re.search(rf"^#define DROVER_ABI_{part} (\d+)", text, re.M).group(1)
                    for part in ("MAJOR", "MINOR"))


def default_version():
    """The version of the ABI comes first: it is what drivers ask for."""
    return f"{abi_version()}.0+drover{deb.project_version()}"


def stage(build, root, sanitized):
    """Puts the files of the package below ROOT; returns its programs."""
    deb.output("cmake", "--install", build, "--component", "sdk", "--prefix", root / "usr")
    programs = [root / "usr/bin" / name for name in PROGRAMS]
    for name, directory in sanitized.items():
        for program in PROGRAMS:
            source = directory / "bin" / program
            if not source.exists():
                raise SystemExit(f"sdk_deb.py: there is no {source}: build it first")
            target = root / "usr/bin" / f"{program}-{name}"
            shutil.copy2(source, target)
            programs.append(target)
    for program in programs:
        deb.output("strip", "--strip-debug", program)
    documents = root / "usr/share/doc/drover-sdk-dev"
    for name in DOCUMENTS:
        deb.write(documents / f"{name}.md", (ROOT / f"docs/{name}.md").read_text())
    deb.write(documents / "copyright", (ROOT / "LICENSE").read_text())
    return programs


def make(build, file, version, sanitized):
    with tempfile.TemporaryDirectory(prefix="drover-sdk-deb-") as name:
        root = pathlib.Path(name) / "root"
        programs = stage(build, root, sanitized)
        size = sum(path.stat().st_size for path in root.rglob("*") if path.is_file()) // 1024
        deb.write(root / "DEBIAN/control", f"""\
Package: drover-sdk-dev
Version: {version}
Architecture: {deb.output("dpkg", "--print-architecture").strip()}
Maintainer: The Drover Authors
Installed-Size: {size}
Depends: {", ".join(deb.dependencies(programs))}
Recommends: cmake | pkgconf, python3
Suggests: drover, g++ | clang, cargo
Section: devel
Priority: optional
Description: Headers and tools for task drivers of Drover
 The C ABI and its C++ wrapper, a CMake package, two pkg-config files, a host
 for the tests of drivers, the conformance kit, and projects to begin with.
""")
        deb.output("dpkg-deb", "--root-owner-group", "-Zgzip", "--build", root, file)


def sanitized_build(text):
    name, mark, directory = text.partition("=")
    if not mark or not re.fullmatch("[a-z]+", name):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=BUILD_DIRECTORY")
    return name, pathlib.Path(directory).resolve()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("build", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--version", default=default_version())
    parser.add_argument("--sanitized", type=sanitized_build, action="append", default=[],
                        help="NAME=BUILD_DIRECTORY of a build with a sanitizer; may be repeated")
    arguments = parser.parse_args()
    try:
        make(arguments.build, arguments.file, arguments.version, dict(arguments.sanitized))
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"sdk_deb.py: {' '.join(error.cmd)}: {error.stderr.strip()}") from None


if __name__ == "__main__":
    main()
