#!/usr/bin/env python3
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Makes docs/cli.md from the output of `drover --help` for each command.

Usage: DROVER_BUILD_DIR=... cli_docs.py --update | --check
"""
import difflib
import os
import re
import subprocess
import sys

import harness

PAGE = harness.ROOT / "docs" / "cli.md"
HEAD = """\
# The command line

The page has the output of `drover --help` for each command. It is generated: after a change of the options run
`DROVER_BUILD_DIR=build/release tests/e2e/cli_docs.py --update`. [operators.md](operators.md) describes how the
commands behave.

- Options may be written with one dash, as Nomad writes them: `-json` is `--json`. A value may stand
  behind `=`, also that of one letter: `-t='{{.ID}}'`. Words behind `--` are taken as they are.
- **Exit codes** of every command: 0 done; 1 the job, the test or the command has failed; 2 the
  command line, the configuration or the job is wrong, and nothing was done; 130 interrupted. Those
  of `job run`, `job plan`, `job stop` and `alloc stop` are what Nomad's commands return.
- Results go to standard output, complaints and the log to standard error.
"""


def help_of(command):
    done = subprocess.run([str(harness.binary()), *command, "--help"], capture_output=True,
                          text=True, timeout=harness.LIMIT, stdin=subprocess.DEVNULL,
                          env={**os.environ, "COLUMNS": "80", "LC_ALL": "C.UTF-8"}, check=True)
    return "\n".join(line.rstrip() for line in done.stdout.strip().splitlines())


def below(help_text):
    """The names of the commands that a help lists."""
    listed = re.search(r"^Subcommands:\n((?:  .*\n?)*)", help_text, re.M)
    return re.findall(r"^  (\w\S*)", listed[1], re.M) if listed else []


def sections(command=()):
    """Yields each command with its help, and then the commands below it."""
    text = help_of(command)
    yield command, text
    for name in below(text):
        yield from sections((*command, name))


def page():
    return HEAD + "".join(f"\n## drover{''.join(' ' + word for word in command)}\n\n"
                          f"```\n{text}\n```\n" for command, text in sections())


def differences():
    now = PAGE.read_text() if PAGE.exists() else ""
    return "".join(difflib.unified_diff(now.splitlines(True), page().splitlines(True),
                                        "docs/cli.md", "drover --help"))


def main():
    if sys.argv[1:] == ["--update"]:
        PAGE.write_text(page())
    elif sys.argv[1:] == ["--check"]:
        found = differences()
        print(found, end="")
        sys.exit(1 if found else 0)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
