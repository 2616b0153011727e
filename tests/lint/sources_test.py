#!/usr/bin/env python3
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""sources.py finds what it is there to find."""
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


if __name__ == "__main__":
    unittest.main()
