#!/usr/bin/env python3
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""tidy_test.py BUILD_DIRECTORY: tidy.py looks again at what has changed, and at nothing else."""
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

import tidy

BUILD = pathlib.Path(sys.argv[1])


class StampsTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.build = pathlib.Path(directory.name)
        self.source = self.build / "a.cc"
        self.source.write_text("int a;")
        self.header = self.build / "a.h"
        self.header.write_text("int h;")
        self.deps = {"a.o": [str(self.source), str(self.header), str(self.build / "all.pch")],
                     "all.pch": [str(self.header)]}
        self.entry = {"command": "c++ -o a.o -c a.cc"}
        (self.build / "all.pch").write_text("made at one time")

    def stamps(self):
        with mock.patch.object(tidy, "inputs", lambda build: self.deps):
            return tidy.Stamps(self.build)

    def is_clean(self):
        stamps = self.stamps()
        return stamps.clean(self.entry, stamps.key(self.entry))

    def look(self):
        stamps = self.stamps()
        stamps.store(self.entry, stamps.key(self.entry))

    def test_what_was_clean_is_clean_until_something_changes(self):
        self.assertFalse(self.is_clean())
        for change in (lambda: self.source.write_text("int b;"),
                       lambda: self.header.write_text("int i;"),
                       lambda: self.entry.update(command="c++ -O2 -o a.o -c a.cc"),
                       lambda: self.deps["a.o"].append(str(self.build / "all.pch"))):
            self.look()
            self.assertTrue(self.is_clean())
            change()
            self.assertFalse(self.is_clean())

    def test_a_precompiled_header_is_what_it_was_made_of(self):
        self.look()
        (self.build / "all.pch").write_text("made at another time")
        self.assertTrue(self.is_clean())

    def test_what_was_not_built_or_has_lost_a_file_is_looked_at(self):
        self.look()
        self.header.unlink()
        self.assertFalse(self.is_clean())
        self.deps.clear()
        self.look()
        self.assertFalse(self.is_clean())

    def test_the_build_has_told_the_inputs_of_its_objects(self):
        files = [files for name, files in tidy.inputs(BUILD).items()
                 if name.endswith("/coordinator.cc.o")]
        self.assertEqual(len(files), 1)
        found = {(BUILD / path).resolve() for path in files[0]}  # some are told relatively
        self.assertTrue(tidy.ROOT / "host/alloc/coordinator.h" in found)


class LookTest(unittest.TestCase):
    def test_a_finding_is_told(self):
        with tempfile.TemporaryDirectory() as directory:
            build = pathlib.Path(directory)
            bad = build / "bad.cc"
            bad.write_text("#include <string>\n#include <utility>\n"
                           "std::string take(std::string);\n"
                           "std::string f(std::string s) { take(std::move(s)); return s; }\n")
            (build / ".clang-tidy").write_text((tidy.ROOT / ".clang-tidy").read_text())
            (build / "compile_commands.json").write_text(
                f'[{{"directory": "{build}", "file": "{bad}", '
                f'"command": "clang++-19 -std=c++20 -o bad.o -c {bad}"}}]')
            self.assertIn("bugprone-use-after-move", tidy.look(str(build), str(bad)))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
