#!/usr/bin/env python3
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The declarations of the crate drover-sys: they are what sdk/rust/generate.py makes of the headers today,
and each struct is laid out as layout.c, draft_layout.c and the record of the ABI have it. Needs a C
compiler, and no Rust.

Usage: rust_bindings_test.py ROOT
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import abi_record

ROOT = None


def generator(root):
    """The module sdk/rust/generate.py of a tree."""
    sys.path.insert(0, str(root / "sdk" / "rust"))
    import generate
    return generate


class RustBindingsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.generate = generator(ROOT)
        cls.headers = cls.generate.headers()
        cls.structs = {struct.name: struct for header in cls.headers for struct in header.structs}
        cls.files = cls.generate.generated()

    def test_they_are_up_to_date(self):
        for path, text in self.files.items():
            self.assertTrue(path.exists(), f"{path} is missing: run sdk/rust/generate.py")
            self.assertEqual(path.read_text(), text, f"{path} is old: run sdk/rust/generate.py")

    def test_no_file_is_left_over(self):
        directory = self.generate.CRATE / "src" / "generated"
        self.assertEqual(set(directory.glob("*.rs")),
                         {path for path in self.files if path.parent == directory})

    def test_each_struct_has_the_layout_of_c(self):
        offsets, sizes = self.generate.layout_checks()
        self.assertGreater(len(sizes), 40)
        for struct, member, offset in offsets:
            self.assertEqual(self.structs[struct].offsets()[member], offset, f"{struct}.{member}")
        for struct, size in sizes:
            self.assertEqual(self.structs[struct].size(), size, struct)
        # drover.h is pinned as a whole.
        released = [struct.name for struct in self.headers[0].structs]
        self.assertEqual(set(released) - {struct for struct, _ in sizes}, set())

    def test_each_struct_of_a_draft_has_the_layout_of_c(self):
        offsets, sizes = self.generate.layout_checks(ROOT / "tests" / "abi" / "draft_layout.c")
        self.assertGreater(len(sizes), 15)
        for struct, member, offset in offsets:
            self.assertEqual(self.structs[struct].offsets()[member], offset, f"{struct}.{member}")
        for struct, size in sizes:
            self.assertEqual(self.structs[struct].size(), size, struct)
        # Each header of which there is one struct is pinned as a whole.
        pinned = {struct for struct, _ in sizes}
        for header in self.headers:
            of_header = {struct.name for struct in header.structs}
            if of_header & pinned:
                self.assertEqual(of_header - pinned, set(), header.path)

    def test_each_struct_has_the_layout_of_the_records(self):
        declared = self.headers[0].text()
        records = sorted((ROOT / "tests" / "abi" / "records").glob("*.abi"))
        self.assertGreater(len(records), 0)
        for path in records:
            record = abi_record.Record(path)
            self.assertGreater(len(record.structs), 40, path)
            for name, members in record.structs.items():
                offsets = self.structs[name].offsets()
                for member, offset, _ in members:
                    self.assertEqual(offsets[self.generate.rust_name(member)], offset, f"{name}.{member}")
            for enum, values in record.enums.items():
                for value, number in values:
                    text = f"pub const {value}: i32 = {number};\n"
                    if value.startswith("DROVER_"):
                        self.assertIn(text, declared, enum)

    def changed(self, name, old, new):
        """The output of --check in a copy of the tree with one change of a header."""
        with tempfile.TemporaryDirectory(prefix="drover-rust-") as directory:
            copy = pathlib.Path(directory)
            for folder in ("sdk/include", "sdk/rust/drover-sys", "tests/abi"):
                shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("target", "records"))
            shutil.copy(ROOT / "sdk" / "rust" / "generate.py", copy / "sdk" / "rust")
            header = copy / "sdk" / "include" / "drover" / name
            text = header.read_text()
            self.assertEqual(text.count(old), 1, old)
            header.write_text(text.replace(old, new))
            return subprocess.run([sys.executable, "-B", str(copy / "sdk" / "rust" / "generate.py"), "--check"],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def test_a_change_of_a_header_is_found(self):
        for name, old, new, file in (
                ("drover.h", "  uint32_t oom_killed;\n", "  int32_t oom_killed;\n", "drover_h.rs"),
                ("drover.h", "DROVER_E_TIMEOUT = 7,", "DROVER_E_TIMEOUT = 70,", "drover_h.rs"),
                ("drover_device.h", '"drover.device/1/draft"\n', '"drover.device/1"\n', "drover_device_h.rs")):
            ended = self.changed(name, old, new)
            self.assertEqual(ended.returncode, 1, ended.stdout)
            self.assertIn(file, ended.stdout)

    def test_what_it_cannot_translate_is_refused(self):
        ended = self.changed("drover.h", "  uint32_t oom_killed;\n", "  unsigned long oom_killed;\n")
        self.assertEqual(ended.returncode, 1)
        self.assertRegex(ended.stdout, r"drover\.h:\d+: a type without a fixed size")


if __name__ == "__main__":
    ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
    if shutil.which(os.environ.get("CC", "cc").split()[0]) is None:
        print("FAILED: there is no C compiler: set CC")
        sys.exit(1)
    unittest.main()
