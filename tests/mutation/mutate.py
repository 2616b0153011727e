#!/usr/bin/env python3
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Negates one condition of a source file after the other. Each must break a unit test.

Usage: mutate.py --build DIRECTORY [--jobs N] [--verbose] SOURCE TEST_TARGET GTEST_FILTER

This compiles SOURCE (relative to the root) once with every condition wrapped, and links it before the
libraries of TEST_TARGET, which must be built. It runs the program once per condition with that one
negated: first the tests of GTEST_FILTER, then, if they pass, all tests. A mutant that fails, crashes or
hangs is caught. A mutant that no test catches is a survivor: add a test, or explain in equivalent.txt why
no test can catch it. All files are in a temporary directory. Needs the Ninja generator.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

import conditions

ROOT = pathlib.Path(__file__).resolve().parents[2]
EQUIVALENT = pathlib.Path(__file__).with_name("equivalent.txt")
# Seconds, far more than the tests need. A mutant that loops for ever costs the first one, that of the
# source's own tests. The second one is for the whole target, which may use disks and processes.
OWN_TIMEOUT = 20
TARGET_TIMEOUT = 300
LAUNCHERS = ("ccache", "sccache", "distcc")


def fail(message):
    sys.exit(f"mutate.py: {message}")


def run(command, cwd, what):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    if done.returncode != 0:
        fail(f"{what} failed:\n{shlex.join(command)}\n{done.stdout}{done.stderr}")
    return done.stderr


def compile_command(build, source, text, output):
    """The build's command for SOURCE, but with TEXT as its input."""
    entries = json.loads((build / "compile_commands.json").read_text())
    path = str(ROOT / source)
    entry = next((e for e in entries if os.path.normpath(
        os.path.join(e["directory"], e["file"])) == path), None)
    if entry is None:
        fail(f"{source} is not built in {build}")
    words = shlex.split(entry["command"])
    if os.path.basename(words[0]) in LAUNCHERS:
        words = words[1:]
    kept, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif word in ("-o", "-c", "-MF", "-MT", "-MQ"):
            skip = word != "-c"
        elif word == entry["file"] or word == path or word in ("-MD", "-Werror"):
            pass
        else:
            kept.append(word)
    # Only warnings about values that are no bool are needed.
    return [*kept, "-iquote", os.path.dirname(path), "-Wno-everything",
            "-Wdeprecated-declarations", "-c", str(text), "-o", str(output)], entry["directory"]


def link_command(build, target, mutant, output):
    """The command that links TARGET, with MUTANT before the libraries that hold the original."""
    lines = subprocess.run(["ninja", "-C", str(build), "-t", "commands", target], text=True,
                           capture_output=True).stdout.splitlines()
    if not lines:
        fail(f"{build} has no target {target}, or is not made by Ninja")
    words = shlex.split(lines[-1])
    if words and words[0] == ":":
        words = words[words.index("&&") + 1:]
        words = words[:words.index("&&")]
    if os.path.basename(words[0]) in LAUNCHERS:
        words = words[1:]
    at = words.index("-o")
    program = words[at + 1]
    if not (build / program).exists():
        fail(f"{program} has not been built in {build}")
    words[at + 1] = str(output)
    first = next(i for i, word in enumerate(words) if word.endswith(".o"))
    return [*words[:first], str(mutant), *words[first:]]


def test(program, mutant, gtest_filter, cwd):
    """Runs the tests; all of the target without a filter. Returns None if they pass, else their failure."""
    timeout = OWN_TIMEOUT if gtest_filter else TARGET_TIMEOUT
    env = dict(os.environ, DROVER_MUTANT=str(mutant))
    try:
        done = subprocess.run([program, "--gtest_fail_fast", "--gtest_brief=1",
                               f"--gtest_filter={gtest_filter or '*'}"], cwd=cwd, env=env,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout,
                              start_new_session=True)
    except subprocess.TimeoutExpired:
        return f"hangs for {timeout} s"
    if done.returncode == 0:
        return None
    if done.returncode < 0:
        return f"dies by signal {-done.returncode}"
    failed = [line for line in done.stdout.decode(errors="replace").splitlines()
              if line.startswith("[  FAILED  ]")]
    return failed[0] if failed else f"exits with {done.returncode}"


def equivalents(source):
    """{text of the condition: reason} of the lines of equivalent.txt for SOURCE."""
    found = {}
    for number, line in enumerate(EQUIVALENT.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = [part.strip() for part in line.split(" @ ")]
        if len(parts) != 3 or not all(parts):
            fail(f"{EQUIVALENT}:{number}: not FILE @ CONDITION @ REASON")
        if parts[0] == source:
            found[parts[1]] = parts[2]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--verbose", action="store_true", help="also print what caught each mutant")
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("filter")
    args = parser.parse_args()
    build = args.build.resolve()

    source = (ROOT / args.source).read_text()
    found = conditions.find(source)
    excused = equivalents(args.source)
    with tempfile.TemporaryDirectory(prefix="drover-mutation-") as directory:
        directory = pathlib.Path(directory)
        text = directory / pathlib.Path(args.source).name
        text.write_text(f'{conditions.PREAMBLE}\n#line 1 "{ROOT / args.source}"\n'
                        f"{conditions.wrap(source, found)}")
        command, cwd = compile_command(build, args.source, text, directory / "mutant.o")
        warnings = run(command, cwd, "compiling the mutants")
        # The warnings name the instances for other types than bool, which are no conditions.
        others = {int(number) for number in conditions.NOT_BOOL.findall(warnings)}
        mutants = [n for n in range(len(found)) if n not in others]
        if not mutants:
            fail(f"{args.source} holds no condition")
        program = directory / args.target
        run(link_command(build, args.target, directory / "mutant.o", program), build, "linking")

        broken = test(program, -1, None, directory)
        if broken:
            fail(f"the tests of {args.target} do not pass without a mutant: {broken}")

        def judge(number):
            return (test(program, number, args.filter, directory)
                    or test(program, number, None, directory))

        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            verdicts = list(pool.map(judge, mutants))

    survivors, stale, used = [], [], set()
    for number, verdict in zip(mutants, verdicts):
        c = found[number]
        place = f"{args.source}:{c.line}: {c.text}"
        if c.text in excused:
            used.add(c.text)
            if verdict:
                stale.append(f"{place}\n    is said to be equivalent, but: {verdict}")
        elif verdict is None:
            survivors.append(place)
        if args.verbose:
            print(f"{place}\n    {verdict or 'SURVIVED'}")
    stale += [f"{args.source}: {text}\n    is said to be equivalent, but is no condition of it"
              for text in excused if text not in used]
    print(f"{args.source}: {len(mutants)} mutants, {len(survivors)} survived, "
          f"{len(used)} equivalent")
    for line in survivors:
        print(f"survived: {line}")
    for line in stale:
        print(f"stale: {line}")
    sys.exit(1 if survivors or stale else 0)


if __name__ == "__main__":
    main()
