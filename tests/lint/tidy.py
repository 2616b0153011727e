#!/usr/bin/env python3
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""clang-tidy over the sources of the host and the drivers, with the commands of a finished build.

Usage: tidy.py BUILD_DIRECTORY [FILE ...]

A file is not checked again while its command, checks and inputs are those of its last clean run. Its
stamp, below BUILD_DIRECTORY/tidy, is the hash of them. ninja has recorded the inputs.

A check spends most time in headers. So files of the same command are checked together, as one file that
includes them all. If they have names in common or findings, each is checked alone.
"""
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIDY = "clang-tidy-19"
TOGETHER = 16  # more files hardly save time, and are more likely to have a name in common
CHECKED = re.compile(r"(host|plugins|sdk)/(?!.*(_test|/testdata/)).*\.cc$")


def inputs(build):
    """The files that each object was compiled from, by the object's path."""
    known, current = {}, None
    done = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True,
                          check=True)
    for line in done.stdout.splitlines():
        if line.startswith("    "):
            current.append(line.strip())
        elif ": #deps" in line:
            current = known.setdefault(line.split(": #deps")[0], [])
    return known


def output(entry):
    """The object of a compile command, as ninja calls it."""
    words = shlex.split(entry["command"])
    return words[words.index("-o") + 1]


class Stamps:
    """The files without findings, by their contents."""

    def __init__(self, build):
        self.build = pathlib.Path(build).resolve()
        self.directory = self.build / "tidy"
        self.directory.mkdir(exist_ok=True)
        self.inputs = inputs(self.build)
        self.contents = {}
        version = subprocess.run([TIDY, "--version"], capture_output=True, text=True, check=True)
        self.common = version.stdout + (ROOT / ".clang-tidy").read_text()

    def content(self, path):
        """A hash of a file. A precompiled header differs each time, so its hash is that of its sources."""
        if path not in self.contents:
            made_of = self.inputs.get(os.path.relpath(path, self.build), [])
            if path.endswith(".pch") and made_of:
                self.contents[path] = self.combined(made_of)
            else:
                self.contents[path] = hashlib.sha256((self.build / path).read_bytes()).digest()
        return self.contents[path]

    def combined(self, files):
        hashed = hashlib.sha256()
        for path in sorted(files):
            hashed.update(path.encode() + self.content(path))
        return hashed.digest()

    def key(self, entry):
        """The hash of the entry's command and inputs; None: its inputs are not known, or one is gone."""
        try:
            inputs_hash = self.combined(self.inputs[output(entry)])
        except (KeyError, FileNotFoundError):
            return None
        whole = self.common.encode() + entry["command"].encode() + inputs_hash
        return hashlib.sha256(whole).hexdigest()

    def path(self, entry):
        name = os.path.relpath(entry["file"], ROOT) + output(entry)
        return self.directory / hashlib.sha256(name.encode()).hexdigest()[:16]

    def clean(self, entry, key):
        path = self.path(entry)
        return key is not None and path.exists() and path.read_text() == key

    def store(self, entry, key):
        if key is not None:
            self.path(entry).write_text(key)


def sources(entry):
    """Entries of the sources of a compile command: several if they are compiled together."""
    if "/Unity/" not in entry["file"]:
        return [entry]
    included = re.findall(r'^#include "(.+)"$', pathlib.Path(entry["file"]).read_text(), re.MULTILINE)
    return [entry | {"file": file} for file in included]


def look(entry):
    """The output of clang-tidy for one file; empty without findings."""
    done = subprocess.run([TIDY, "--quiet", entry["file"], "--", *flags(entry)],
                          cwd=entry["directory"], capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def flags(entry):
    """The options of a compile command. Files that are checked together have the same ones."""
    words = shlex.split(entry["command"])
    return words[1:words.index("-o")]


def batches(entries):
    """Lists of entries with the same options, each of at most TOGETHER."""
    same = collections.defaultdict(list)
    for entry in sorted(entries, key=lambda entry: entry["file"]):
        same[tuple(flags(entry))].append(entry)
    return [group[at:at + TOGETHER] for group in same.values()
            for at in range(0, len(group), TOGETHER)]


def look_together(build, entries):
    """The output of clang-tidy for each of ENTRIES, which have the same options, by its file."""
    files = [entry["file"] for entry in entries]
    if len(files) > 1:
        with tempfile.NamedTemporaryFile("w", dir=build, prefix="tidy-", suffix=".cc") as whole:
            whole.write("".join(f'#include "{file}"\n' for file in files))
            whole.flush()
            done = subprocess.run([TIDY, "--quiet", f"--config-file={ROOT / '.clang-tidy'}",
                                   whole.name, "--", *flags(entries[0])],
                                  cwd=entries[0]["directory"], capture_output=True, text=True)
        if done.returncode == 0:
            return dict.fromkeys(files, "")
        named = set(re.findall(r"^(\S+?):\d+:\d+: error", done.stdout, re.MULTILINE))
        others = [entry for entry in entries if entry["file"] not in named]
        if others and len(others) < len(entries):
            said = look_together(build, others)
            entries = [entry for entry in entries if entry["file"] in named]
        else:
            said = {}
        return said | {entry["file"]: look(entry) for entry in entries}
    return {entry["file"]: look(entry) for entry in entries}


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    build, wanted = sys.argv[1], {str(pathlib.Path(f).resolve()) for f in sys.argv[2:]}
    entries = {}
    for command in json.loads((pathlib.Path(build) / "compile_commands.json").read_text()):
        for entry in sources(command):
            name = os.path.relpath(entry["file"], ROOT)
            if CHECKED.match(name) and (not wanted or entry["file"] in wanted):
                entries.setdefault(entry["file"], entry)
    if not entries:
        sys.exit("tidy.py: no sources to look at in " + build)
    stamps = Stamps(build)
    keys = {file: stamps.key(entry) for file, entry in entries.items()}
    todo = [entry for file, entry in entries.items() if not stamps.clean(entry, keys[file])]
    found = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for looked in pool.map(lambda batch: look_together(build, batch), batches(todo)):
            for file, said in looked.items():
                if said:
                    found += 1
                    print(said, flush=True)
                else:
                    stamps.store(entries[file], keys[file])
    print(f"clang-tidy: {len(todo)} of {len(entries)} files looked at, {found} with findings")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
