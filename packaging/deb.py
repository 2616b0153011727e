#!/usr/bin/env python3
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Makes a Debian package of a build: the program, its drivers, the units of systemd.

Usage: deb.py BUILD_DIRECTORY FILE.deb [--version VERSION] [--without-hcl]

Prints nothing unless it fails. The SDK has a package of its own: sdk_deb.py.
"""
import argparse
import pathlib
import re
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SCRIPTS = ("postinst", "prerm", "postrm")
UNITS = ("drover.service", "drover-tasks.service", "drover@.service")


def output(*command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True,
                          text=True).stdout


def project_version():
    text = (HERE.parent / "CMakeLists.txt").read_text()
    return re.search(r"project\(Drover VERSION (\S+)", text).group(1)


def dependencies(programs):
    """The packages of this machine that have the libraries which PROGRAMS are linked with."""
    libraries = set()
    for program in programs:
        libraries.update(re.findall(r"=> (/\S+)", output("ldd", program)))
    packages = set()
    for library in libraries:
        # Since the merge of /lib and /usr/lib a file may be listed under its other name.
        names = {library, str(pathlib.Path(library).resolve()), library.removeprefix("/usr")}
        found = subprocess.run(["dpkg-query", "--search", *sorted(names)], capture_output=True,
                               text=True).stdout
        packages.update(line.split(":")[0] for line in found.splitlines())
    return sorted(packages)


def write(path, text, mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)


def stage(build, root, without_hcl):
    """Puts the files of the package below ROOT; returns its programs that are linked with libraries."""
    for component in ("host", "plugins"):
        output("cmake", "--install", build, "--component", component, "--prefix", root / "usr")
    if not without_hcl and not (root / "usr/bin/drover-hcl").exists():
        raise SystemExit("deb.py: the build has no drover-hcl, so the package could read no HCL; "
                         "build it with Go, or add --without-hcl")
    programs = [root / "usr/bin/drover", *sorted((root / "usr/lib/drover/plugins").glob("*.so"))]
    for program in programs:
        output("strip", "--strip-debug", program)
    for unit in UNITS:
        text = (HERE / unit).read_text().replace("/usr/local/bin/", "/usr/bin/")
        write(root / "usr/lib/systemd/system" / unit, text)
    write(root / "etc/drover/agent.json", (HERE / "debian/agent.json").read_text())
    write(root / "usr/share/doc/drover/copyright", (HERE.parent / "LICENSE").read_text())
    for script in SCRIPTS:
        write(root / "DEBIAN" / script, (HERE / "debian" / script).read_text(), 0o755)
    write(root / "DEBIAN/conffiles", "/etc/drover/agent.json\n")
    return programs


def make(build, file, version, without_hcl):
    with tempfile.TemporaryDirectory(prefix="drover-deb-") as name:
        root = pathlib.Path(name) / "root"
        programs = stage(build, root, without_hcl)
        size = sum(path.stat().st_size for path in root.rglob("*") if path.is_file()) // 1024
        write(root / "DEBIAN/control", f"""\
Package: drover
Version: {version}
Architecture: {output("dpkg", "--print-architecture").strip()}
Maintainer: The Drover Authors
Installed-Size: {size}
Depends: {", ".join(dependencies(programs))}
Suggests: containernetworking-plugins, iptables, tzdata
Section: admin
Priority: optional
Description: Runs jobs through task drivers
 An agent that runs groups of tasks through driver plugins and speaks Nomad's
 HTTP API. Tasks go on while it is restarted or upgraded.
""")
        output("dpkg-deb", "--root-owner-group", "-Zgzip", "--build", root, file)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("build", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--version", default=project_version())
    parser.add_argument("--without-hcl", action="store_true", help="for a build without Go")
    arguments = parser.parse_args()
    try:
        make(arguments.build, arguments.file, arguments.version, arguments.without_hcl)
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"deb.py: {' '.join(error.cmd)}: {error.stderr.strip()}") from None


if __name__ == "__main__":
    main()
