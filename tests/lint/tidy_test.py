#!/usr/bin/env python3
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""tidy_test.py BUILD_DIRECTORY: tidy.py checks changed files again, and no others."""
import json
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
        self.entry = {"command": "c++ -o a.o -c a.cc", "file": str(self.source)}
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

    def test_the_build_has_recorded_the_inputs_of_its_objects(self):
        files = [files for name, files in tidy.inputs(BUILD).items()
                 if name.endswith("/coordinator.cc.o")]
        self.assertEqual(len(files), 1)
        found = {(BUILD / path).resolve() for path in files[0]}  # some have relative paths
        self.assertTrue(tidy.ROOT / "host/alloc/coordinator.h" in found)


class LookTest(unittest.TestCase):
    GOOD = "namespace { int number() { return 1; } }\nint NAME() { return number(); }\n"
    BAD = ("#include <utility>\nstruct Text { Text(Text&&); ~Text(); };\nvoid take(Text);\n"
           "Text NAME(Text s) { take(std::move(s)); return s; }\n")

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.build = pathlib.Path(directory.name)
        (self.build / ".clang-tidy").write_text((tidy.ROOT / ".clang-tidy").read_text())

    def entries(self, **texts):
        """Compile commands of files with these texts, in which NAME is that of the file."""
        made = []
        for name, text in texts.items():
            file = self.build / f"{name}.cc"
            file.write_text(text.replace("NAME", name))
            made.append({"directory": str(self.build), "file": str(file),
                         "command": f"clang++-19 -std=c++20 -o {name}.o -c {file}"})
        (self.build / "compile_commands.json").write_text(json.dumps(made))
        return made

    def look(self, entries):
        """The output, by names, and the names of the files that were checked alone."""
        alone = []
        with mock.patch.object(tidy, "look", side_effect=tidy.look) as single:
            said = tidy.look_together(str(self.build), entries)
            alone = [pathlib.Path(call.args[0]["file"]).stem for call in single.call_args_list]
        return {pathlib.Path(file).stem: text for file, text in said.items()}, sorted(alone)

    def test_findings_are_reported_for_their_file(self):
        said, alone = self.look(self.entries(a="int NAME;\n", b=self.BAD, c=self.GOOD))
        self.assertIn("bugprone-use-after-move", said.pop("b"))
        self.assertEqual((said, alone), ({"a": "", "c": ""}, ["b"]))

    def test_files_with_a_name_in_common_are_looked_at_apart(self):
        said, alone = self.look(self.entries(a=self.GOOD, b="int NAME;\n", c=self.GOOD))
        self.assertEqual((said, alone), (dict.fromkeys("abc", ""), ["c"]))

    def test_sources_that_are_compiled_together_are_known_by_themselves(self):
        unity = self.build / "Unity"
        unity.mkdir()
        whole = unity / "unity_0_cxx.cxx"
        whole.write_text('/* generated by CMake */\n\n#include "/x/a.cc"\n\n#include "/x/b.cc"\n\n')
        entry = {"directory": "/x", "file": str(whole), "command": f"clang++-19 -o ab.o -c {whole}"}
        self.assertEqual([one["file"] for one in tidy.sources(entry)], ["/x/a.cc", "/x/b.cc"])
        alone = self.entries(a=self.GOOD)[0]
        self.assertEqual(tidy.sources(alone), [alone])

    def test_only_files_of_one_command_are_looked_at_together(self):
        entries = self.entries(a=self.GOOD, b=self.GOOD)
        self.assertEqual(tidy.batches(entries), [entries])
        entries[1]["command"] = "clang++-19 -DOTHER -std=c++20 -o b.o -c b.cc"
        self.assertEqual(tidy.batches(entries), [[entries[0]], [entries[1]]])
        entries[1]["command"] = "clang++-19 '-DTEXT=\"a b\"' -std=c++20 -o b.o -c b.cc"
        self.assertEqual(tidy.flags(entries[1]), ['-DTEXT="a b"', "-std=c++20"])
        many = [entries[0]] * (tidy.TOGETHER + 1)
        self.assertEqual([len(batch) for batch in tidy.batches(many)], [tidy.TOGETHER, 1])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
