#!/usr/bin/env python3
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Checks that compilers do not make: format, licence headers, file sizes, includes, locks, names of types,
durable steps, processes of drivers, events of tasks, unused names.

Usage: sources.py [format|events|includes|licence|locks|processes|size|steps|types|unused ...]
All without an argument.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("host", "sdk", "shim", "plugins", "examples", "tests", "bench")
SUFFIXES = (".h", ".hpp", ".cc", ".c")
# A longer file has more than one concept. Tests, their programs and the ABI are exempt.
MAX_LINES = 620


def sources():
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file():
                yield path


def check_format():
    """clang-format must have nothing to change. The C headers of the ABI are laid out by hand."""
    files = [str(p) for p in sources() if p.name not in ("drover.h",)]
    done = subprocess.run(["clang-format-19", "--dry-run", "-Werror", *files],
                          capture_output=True, text=True)
    return [line for line in done.stderr.splitlines() if "error:" in line]


def operand_end(text, start):
    """The index after the full-expression that begins at START."""
    depth = 0
    i = start
    while i < len(text):
        c = text[i]
        if c in '"':
            i += 1
            while text[i] != '"':
                i += 2 if text[i] == "\\" else 1
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
            if depth < 0:
                return i
        elif c == ";" and depth == 0:
            return i
        i += 1
    return i


def check_locks():
    """A lock must have a name: without one it is released at once."""
    kinds = "lock_guard|unique_lock|scoped_lock|shared_lock"
    found = []
    for path in sources():
        text = path.read_text()
        for match in re.finditer(rf"[;{{}})]\s*std::({kinds})\s*(<[^;(){{}}]*>)?\s*[({{]", text):
            line = text.count("\n", 0, match.end()) + 1
            found.append(f"{path.relative_to(ROOT)}:{line}: a lock without a name locks nothing")
    return found


def check_types():
    """A type of a header must have a name of its own: if two types share a name, the linker uses the
    constructors of one of them for both."""
    places, found = {}, []
    for path in sources():
        if path.suffix != ".h" or path.relative_to(ROOT).parts[0] != "host":
            continue
        text = path.read_text()
        for match in re.finditer(r"^(?:class|struct|union) (\w+)(?: final)?(?: :[^;{]+)? \{", text, re.M):
            where = f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 1}"
            first = places.setdefault(match.group(1), where)
            if first != where:
                found.append(f"{where}: {match.group(1)} is also the name of a type in {first}")
    return found


# Calls that make processes, and the files that may use them: one of a driver (docs/drivers.md, "Processes"), and the
# hook that runs the operator's commands, for which the host has no service yet.
PROCESSES = re.compile(
    r"(?<![\w.>])(?:::|std::)?(?:v?fork|system|popen|posix_spawnp?|clone[23]?|exec[lv]p?e?)\s*\("
    r"|\bSYS_(?:v?fork|clone3?|execve(?:at)?)\b|\bCommand::new\b")
PROCESS_PLACES = {"plugins/exec/trial_child.h"}


def check_processes():
    """Drivers and examples must start no processes by themselves."""
    found = []
    for folder in ("plugins", "examples"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix not in SUFFIXES + (".rs",) or not path.is_file():
                continue
            name = str(path.relative_to(ROOT))
            text = re.sub(r"//[^\n]*|/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m.group()),
                          path.read_text(), flags=re.S)
            calls = list(PROCESSES.finditer(text))
            if bool(calls) and name not in PROCESS_PLACES:
                line = text.count("\n", 0, calls[0].start()) + 1
                found.append(f"{name}:{line}: {calls[0].group().strip('( ')} makes a process: use "
                             "drover.process, or read what you want to know")
            if not calls and name in PROCESS_PLACES:
                found.append(f"{name}: makes no process any more: take it off the list")
    return found


def check_licence():
    """Each source must have its licence in its first lines."""
    return [f"{p.relative_to(ROOT)}: no SPDX-License-Identifier in the first 3 lines"
            for p in sources()
            if "SPDX-License-Identifier: Apache-2.0" not in
            "\n".join(p.read_text().splitlines()[:3])]


def check_size():
    """A file must have one concept."""
    found = []
    for path in sources():
        lines = path.read_text().count("\n")
        name = str(path.relative_to(ROOT))
        if re.search(r"_test\.|^tests/|/testdata/|/drover\.h$", name):
            continue
        if lines > MAX_LINES:
            found.append(f"{name}: {lines} lines, more than {MAX_LINES}: "
                         "split it by concept")
    return found


# Calls that make, rename, mount or remove something.
CHANGES = re.compile(
    r"(?<![\w.>])(?<!UniqueFd )(?:::)?(?:mkdir|mknod|mount|umount2?|rename|unlink|rmdir|symlink|link)(?:at2?)?\("
    r"|\b(?:std::filesystem|fs)::(?:create_\w+|rename|remove|remove_all|copy|copy_file)\("
    r"|\bSYS_(?:mount|umount2|move_mount|renameat2|mkdirat|unlinkat)\b|\bO_CREAT\b|\bofstream\b")
# The files of host/ with such calls. Each has the steps (host/base/durable_step.h) of its calls, or the
# reason why an agent may die there.
CHANGE_PLACES = {
    "agent/rotated_log.cc": "the agent's own log, which no task needs",
    "alloc/dir_tree.cc": ("kMakeAllocDir", "kMakeTaskDir", "kMountSecrets", "kDropSecrets",
                          "kRemoveAllocDir"),
    "alloc/remove_tree.cc": ("kRemoveAllocDir",),
    "artifact/artifact_cache.cc": ("kCacheArtifact",),
    "artifact/fetch_artifact.cc": ("kFetchArtifact",),
    "artifact/fetch_child.cc": ("kFetchArtifact",),
    "artifact/fetch_file.cc": ("kFetchArtifact",),
    "artifact/place_artifact.cc": ("kPlaceArtifact",),
    "artifact/staged_files.cc": ("kFetchArtifact",),
    "artifact/unpack.cc": ("kFetchArtifact",),
    "base/durable_step.cc": "the trace of the steps themselves",
    "child/confined_calls.cc": "names of flags that it refuses",
    "child/network_calls.cc": "names of system calls",
    "cli/replace_file.cc": "a file of the user, which is the old one or the new one, or a new file",
    "local_commands/plugin_project.cc": "a project of the user, which appears whole or not at all",
    "local_commands/run_command.cc": "of a run in the foreground, which nobody takes over",
    "identity/seal_key_file.cc": ("kMakeSealKey",),
    "library/plugin_node.cc": "directories of plugins, made before there is anything in them",
    "network/network_files.cc": ("kMakeNetworkFiles", "kDropNetworkFiles"),
    "network/network_lock.cc": "a lock, which means nothing while nobody holds it",
    "network/network_note.cc": ("kNoteNetwork", "kForgetNetwork"),
    "node/data_dir.cc": "directories and the lock of an agent, before there is anything in them",
    "node/leftovers.cc": "removes an empty directory, again at the next start",
    "node/node_networks.cc": "directories of networks, made before there is anything in them",
    "node/run_ledger.cc": ("kMakeLedger", "kForgetLedger"),
    "node/sticky_disk_hook.cc": ("kMoveDisk",),
    "process/cgroup_notes.cc": ("kMakeCgroup", "kRemoveCgroup", "kTryCgroup"),
    "process/cgroup_tracker.cc": ("kMakeCgroup", "kRemoveCgroup", "kTryCgroup"),
    "process/clean_namespace.cc": "in a mount namespace that ends with the descriptor of this process",
    "process/mount_tree.cc": "mounts that no path leads to; shims attach them",
    "process/named/named_notes.cc": ("kNameProcess", "kForgetNames"),
    "process/network_namespace.cc": ("kKeepNetwork", "kDropNetwork"),
    "process/place/run_places.cc": ("kMakePlace", "kRemovePlace", "kRemoveCgroup"),
    "process/resource_cgroups.cc": ("kMakeLimits", "kRemoveCgroup"),
    "process/run_directory.cc": ("kForgetEnd",),
    "process/seccomp_filter.cc": "names of system calls",
    "process/task_root.cc": "a directory in that of the task, made again by each start",
    "process/unit_cgroups.cc": "cgroups of the unit that stay, made before there is anything in them",
    "task/rendered_file.cc": ("kRenderFile",),
    "task/task_file.cc": "in the directory of a task, made again by each start",
    "task/task_socket.cc": "in the directory of a task, made again by each start and each agent",
    "volume/mkdir_plugin.cc": ("kMakeVolume", "kRemoveVolume"),
    "store/rebuild.cc": ("kReplaceStore",),  # files under other names are made again
    "store/store.cc": "the directory of the store, which stays",
}


def check_steps():
    """A change of something that outlives the agent must be part of a step, or have a reason why not. Each step
    must be done somewhere."""
    host = ROOT / "host"
    found, seen, done = [], set(), set()
    for path in sorted(host.rglob("*.cc")):
        name = str(path.relative_to(host))
        if re.search(r"_test\.|for_test|testdata/|^conformance/|_test_main|fake_", name):
            continue
        text = re.sub(r"//[^\n]*", "", path.read_text())
        done.update(re.findall(r"(?:DurableStep|BeginStep)\(Step::(\w+)", text))
        if change := CHANGES.search(text):
            seen.add(name)
            if name not in CHANGE_PLACES:
                line = text.count("\n", 0, change.start()) + 1
                found.append(f"host/{name}:{line}: {change.group()} changes what may outlive the agent: "
                             "do it in a durable step, and name it in CHANGE_PLACES")
    found += [f"host/{name}: changes nothing any more: take it out of CHANGE_PLACES"
              for name in sorted(CHANGE_PLACES.keys() - seen)]
    steps = set(re.findall(r"^  (k\w+) = \d+,", (host / "base/durable_step.h").read_text(), re.M))
    named = {step for steps in CHANGE_PLACES.values() if isinstance(steps, tuple) for step in steps}
    found += [f"host/base/durable_step.h: {step} is done nowhere" for step in sorted(steps - done)]
    found += [f"sources.py: there is no step {step}" for step in sorted(named - steps)]
    assert steps, "no steps found: they have moved"
    return found


def component(listing):
    """The lists (DEPS, PRIVATE_DEPS and so on) of the component that a folder's CMakeLists.txt declares under
    the folder's name; None if it declares none."""
    folder = listing.parent.name
    text = re.sub(r"#[^\n]*", "", listing.read_text())
    declared = re.search(r"drover_component\(" + folder + r"\b([^)]*)\)", text)
    if declared is None:
        return None
    # A variable of the listing stands for all its possible values.
    variables = dict(re.findall(r"set\((\w+) ([^)]*)\)", text))
    lists = re.split(r"\b(SOURCES|TESTS|ALONE|DEPS|PRIVATE_DEPS|TEST_DEPS|PROCESS_EACH)\b",
                     declared.group(1))
    return {kind: [name for word in words.split()
                   for name in variables.get(word.strip("${}"), word).split()]
            for kind, words in zip(lists[1::2], lists[2::2])}


def check_includes():
    """A file of host/ may include only headers of its own folder and of those that its component depends on.
    So headers keep the direction of the dependencies, as the linker keeps it for code."""
    host = ROOT / "host"
    # Test libraries, by the folder of their headers.
    libraries = {"fake_driver": "task", "minimal_alloc_runner": "alloc"}
    found, seen = [], 0
    for listing in sorted(host.glob("*/CMakeLists.txt")):
        folder = listing.parent.name
        lists = component(listing)
        if lists is None:
            found.append(f"host/{folder}/CMakeLists.txt: declares no component {folder}")
            continue
        names = [name for kind in ("DEPS", "PRIVATE_DEPS", "TEST_DEPS") for name in lists.get(kind, ())]
        allowed = {folder, *(libraries.get(name, name) for name in names)}
        for path in sorted(listing.parent.rglob("*")):
            if path.suffix not in SUFFIXES:
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                include = re.match(r'\s*#include "host/(\w+)/', line)
                if include is None:
                    continue
                seen += 1
                if include.group(1) not in allowed:
                    found.append(f"{path.relative_to(ROOT)}:{number}: includes a header of "
                                 f"host/{include.group(1)}, which host/{folder}/CMakeLists.txt does not name "
                                 "as a dependency")
    assert seen > 0, "no includes found: the folders have moved"
    return found


def check_events():
    """Some event must use each type of a task event, and each key of its details. A type that is only
    documented, or only read, is a promise that nobody keeps."""
    header = ROOT / "host/task/task_event.h"
    used = set()
    for path in [header, *sorted((ROOT / "host").rglob("*.cc"))]:
        if re.search(r"_test\.|for_test|fixture", path.name):
            continue
        text = re.sub(r"//[^\n]*", "", path.read_text())
        for match in re.finditer(r"\bTaskEvent(?: \w+)?\(|\bWith\(", text):
            arguments = text[match.end():operand_end(text, match.end())]
            if match.group() == "With(":
                used.update(re.findall(r"^\s*(event_key::k\w+)", arguments))
            else:
                used.update(re.findall(r"event_type::k\w+", arguments))
    found, known, space = [], 0, ""
    for number, line in enumerate(header.read_text().splitlines(), 1):
        if named := re.match(r"namespace (event_type|event_key) \{", line):
            space = named.group(1)
        elif line.startswith("}"):
            space = ""
        elif space and (named := re.match(r"inline constexpr .*?\b(k\w+) =", line)):
            known += 1
            if f"{space}::{named.group(1)}" not in used:
                found.append(f"host/task/task_event.h:{number}: no event has {space}::{named.group(1)}: "
                             "emit it, or take it out")
    assert known, "no types of events found: they have moved"
    return found


# Files of tests, and files that only tests include.
OF_TESTS = re.compile(r"_test\.|for_test|_test_(?:client|decoder)|fixture|testdata/"
                      r"|/(?:fake|mock|minimal|test)_\w+\.\w+$")
# Words that are no type: a name after one of them is used, not declared.
NO_TYPES = {"and", "case", "co_await", "co_return", "co_yield", "delete", "do", "elif", "else", "goto", "if", "in",
            "namespace", "new", "not", "or", "return", "throw"}
# Names that a header must declare although no code of the product names them.
DECLARED_FOR_OTHERS = {
    "async_teardown": "Beast finds it by the type of its arguments",
    "beast_close_socket": "Beast finds it by the type of its arguments",
    "is_steady": "of a clock of std::chrono",
    "ConfigKeysMarkdown": "writes docs/agent-config.md",
    "JobFieldsMarkdown": "writes docs/job-fields.md",
    "live_timers": "tests look for leftover timers",
    "teardown": "Beast finds it by the type of its arguments",
}


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def without_comments(text):
    """TEXT with its comments and literals blanked."""
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', blank, text,
                  flags=re.S)


def declares(text, name):
    """Whether the match NAME is a declaration: a type stands before it, and after it a character that may
    follow the name of a function, an object or a member."""
    if not re.match(r"\(|;|\{|\[|\s*=[^=]|\s+\{", text[name.end():name.end() + 4]):
        return False
    before = re.sub(r"(?:\b\w+(?:<[^<>;()]*>)?::)+$", "", text[max(0, name.start() - 160):name.start()])
    if not before or not before[-1].isspace():
        return False
    before = before.rstrip()
    if marks := re.search(r"(.?)[&*>]+$", before):  # after a type they stand without a space
        return marks.group(1).strip() != "" and not before.endswith("->")
    if re.search(r"\n +(?:struct|union)$", before):  # an object may follow the braces of its type
        return False
    word = re.search(r"(\w+)$", before)
    return word is not None and word.group(1) not in NO_TYPES


def is_for_tests(lines, number):
    """Whether a comment at the declaration in line NUMBER, or above its group of lines, has the words."""
    while number > 0 and lines[number - 1].strip():
        if re.search(r"//.*\bfor tests\b", lines[number - 1], re.I):
            return True
        number -= 1
    return False


def check_unused():
    """The product or its benchmarks must use each name that a header of host/ declares. A name that only tests
    use needs a comment: "For tests"."""
    declared, used = {}, set()
    for path in sources():
        name = str(path.relative_to(ROOT))
        if OF_TESTS.search(name) or name.startswith(("tests/", "examples/")):
            continue
        raw = path.read_text()
        # A file with a head that marks it as one for tests.
        own = bool(re.search(r"^(?://|/\*).*\bfor (?:a )?tests?\b", raw, re.I | re.M))
        text = without_comments(raw)
        lines = raw.splitlines()
        for match in re.finditer(r"\b[A-Za-z_]\w*\b", text):
            word = match.group()
            if not declares(text, match):
                used.add(word)
            elif name.startswith("host/") and path.suffix == ".h" and not own:
                number = text.count("\n", 0, match.start()) + 1
                declared.setdefault(word, []).append((name, number, is_for_tests(lines, number)))
    found = [f"{name}:{number}: nothing but tests uses {word}: take it out, or say \"For tests\" in a comment"
             for word, places in declared.items() if word not in used and word not in DECLARED_FOR_OTHERS
             for name, number, marked in places if not marked]
    found += [f"sources.py: {word} is used, or no header declares it: take it out of DECLARED_FOR_OTHERS"
              for word in DECLARED_FOR_OTHERS if word in used or word not in declared]
    return found


CHECKS = {"format": check_format, "events": check_events, "includes": check_includes,
          "licence": check_licence, "locks": check_locks, "processes": check_processes,
          "size": check_size, "steps": check_steps,
          "types": check_types, "unused": check_unused}


def main():
    names = sys.argv[1:] or list(CHECKS)
    found = []
    for name in names:
        if name not in CHECKS:
            sys.exit(f"sources.py: unknown check {name!r}: {', '.join(CHECKS)}")
        found += CHECKS[name]()
    assert any(sources()), "no sources found: the folders have moved"
    for line in found:
        print(line)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
