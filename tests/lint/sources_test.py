#!/usr/bin/env python3
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""sources.py finds each kind of mistake."""
import pathlib
import tempfile
import unittest
from unittest import mock

import sources


class IncludesTest(unittest.TestCase):
    """Folders of a host: base, and task above it."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = pathlib.Path(directory.name)
        self.write("host/base/CMakeLists.txt", "drover_component(base SOURCES a.cc)")
        self.write("host/base/a.cc", '#include "host/base/a.h"\n')
        self.write("host/task/CMakeLists.txt",
                   "drover_component(task SOURCES b.cc\n  DEPS base  # and nothing else\n  TEST_DEPS fake_driver)")
        self.write("host/task/b.cc", '#include <map>\n#include "host/base/a.h"\n')

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def found(self):
        with mock.patch.object(sources, "ROOT", self.root):
            return sources.check_includes()

    def test_what_the_lists_allow(self):
        self.assertEqual(self.found(), [])

    def test_an_upward_include(self):
        self.write("host/base/a.cc", '#include "host/base/a.h"\n#include "host/task/b.h"\n')
        self.assertEqual(len(self.found()), 1)
        self.assertIn("host/base/a.cc:2: includes a header of host/task", self.found()[0])

    def test_a_dependency_that_is_taken_away(self):
        self.write("host/task/CMakeLists.txt", "drover_component(task SOURCES b.cc)  # DEPS base")
        self.assertEqual(len(self.found()), 1)

    def test_a_folder_below_a_folder(self):
        self.write("host/base/deep/c.h", '  #include "host/task/b.h"\n')
        self.assertEqual(len(self.found()), 1)

    def test_a_folder_that_declares_no_component(self):
        self.write("host/more/CMakeLists.txt", "add_library(more c.cc)")
        self.assertIn("declares no component", self.found()[0])


class UnusedTest(unittest.TestCase):
    """A host with a header whose names are used in every way, and one that lacks a use."""

    HEADER = """// Copyright
#include <vector>
namespace drover {
inline constexpr int kLimit = 3;
// Says foo(bar).
std::vector<int> Free(int* in, const char& as);
enum class Kind { kOne };
class Door {
 public:
  explicit Door(int n) : n_(n) {}
  virtual ~Door() = default;
  virtual int Open() const = 0;
  int& width() { return n_; }

  // For tests.
  int closed() const { return n_; }
  int broken() const { return n_; }

 private:
  int Close();
  int n_ = 0;
};
}  // namespace drover
"""
    SOURCE = """#include "host/base/door.h"
namespace drover {
std::vector<int> Free(int* in, const char& as) { return {*in, as}; }
int Door::Close() { return n_; }
struct Wooden : Door {
  int Open() const override { return Close(); }
};
int Use(Wooden* door, int a, Kind kind) {
  if (kind == Kind::kOne && Free(&a, 'c').empty()) return door->Open();
  return a * door->width() > kLimit;
}
}  // namespace drover
"""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = pathlib.Path(directory.name)
        self.write("host/base/door.h", self.HEADER)
        self.write("host/base/door.cc", self.SOURCE)

    write = IncludesTest.write

    def found(self):
        with mock.patch.object(sources, "ROOT", self.root), \
             mock.patch.object(sources, "DECLARED_FOR_OTHERS", {}):
            return sources.check_unused()

    def test_what_is_used(self):
        self.assertEqual(self.found(), [])

    def test_each_use_is_needed(self):
        for use, instead, name, line in (
                ("Free(&a, 'c').empty()", "a", "Free", 6), ("door->Open()", "a", "Open", 12),
                ("door->width()", "a", "width", 13), ("> kLimit", "", "kLimit", 4),
                ("return Close();", "return 1;", "Close", 20)):
            self.write("host/base/door.cc", self.SOURCE.replace(use, instead))
            self.assertEqual([text.split(": take")[0] for text in self.found()],
                             [f"host/base/door.h:{line}: nothing but tests uses {name}"])

    def test_a_use_by_tests_comments_and_texts_alone(self):
        self.write("host/base/door.cc", self.SOURCE.replace("door->width()", 'a /* width() */; "width()"'))
        self.write("host/base/door_test.cc", "int b = door->width();")
        self.assertIn("host/base/door.h:13: nothing but tests uses width", self.found()[0])

    def test_a_header_for_tests(self):
        self.write("host/base/hinge.h", "// For tests: a hinge.\nint Bend();\n")
        self.assertEqual(self.found(), [])
        self.write("host/base/hinge.h", "// A hinge.\nint Bend();\n")
        self.assertEqual(len(self.found()), 1)

    def test_a_list_that_names_what_is_used(self):
        with mock.patch.object(sources, "ROOT", self.root), \
             mock.patch.object(sources, "DECLARED_FOR_OTHERS", {"Free": "a reason", "Gone": "another"}):
            self.assertEqual(len(sources.check_unused()), 2)


if __name__ == "__main__":
    unittest.main()
