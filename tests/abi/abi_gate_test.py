#!/usr/bin/env python3
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The gate of the ABI, against broken changes: each is made on a copy of today's header, and must be caught
by the records of the released versions (abi_record.py prefix), by the layout (layout.c), or by both.

Each change raises DROVER_ABI_MINOR, too, as somebody does who believes that it is an addition. Without
abigail-tools the records check only texts, so that part is skipped and reports it.

Usage: abi_gate_test.py HEADER RECORDS-DIRECTORY
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import abi_record

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.abspath(abi_record.__file__)
HEADER = RECORDS = None

# A change: what is replaced, by what, what the records say of it, and what the compiler says of layout.c.
# None: this part of the gate cannot see it, and the other one does.
STOP = ("typedef struct drover_stop_args {\n  uint32_t struct_size;\n  uint32_t reserved;\n"
        "  int64_t timeout;\n  drover_str signal;\n} drover_stop_args;\n")
CHANGES = {
    "a member that moved":
        (STOP, STOP.replace("  int64_t timeout;\n  drover_str signal;\n",
                            "  drover_str signal;\n  int64_t timeout;\n"),
         "drover_stop_args: where timeout", "drover_stop_args, timeout"),
    "a member that is gone":
        ("  uint32_t oom_killed;\n", "", "drover_exit_result: where oom_killed", "oom_killed"),
    "a member with another name":
        ("  uint32_t oom_killed;\n", "  uint32_t out_of_memory;\n", "drover_exit_result: where oom_killed",
         "oom_killed"),
    "a member with another type of the same size":
        ("  int64_t kill_timeout;\n", "  uint64_t kill_timeout;\n", "drover_task_config: where kill_timeout", None),
    "a member with a larger type":
        ("  int32_t exit_code;\n", "  int64_t exit_code;\n", "drover_exit_result: where exit_code",
         "drover_exit_result, exit_code"),
    "a member in the middle":
        (STOP, STOP.replace("  int64_t timeout;\n", "  int64_t grace;\n  int64_t timeout;\n"),
         "drover_stop_args: where timeout", "drover_stop_args, timeout"),
    "a struct that shrunk":
        (STOP, STOP.replace("  drover_str signal;\n", ""), "drover_stop_args.signal is gone", "signal"),
    "a struct that is gone":
        ("typedef struct drover_process_info {\n  uint32_t struct_size;\n  int32_t pid;\n} drover_process_info;\n", "",
         "drover_process_info is gone", "drover_process_info"),
    "a fixed struct that grew":
        ("typedef struct drover_str {\n  const char* data;\n  size_t size;\n",
         "typedef struct drover_str {\n  const char* data;\n  size_t size;\n  size_t hash;\n",
         "drover_str never changes", "drover_str"),
    "an enumerator with another value":
        ("  DROVER_E_TIMEOUT = 7,", "  DROVER_E_TIMEOUT = 11,", "DROVER_E_TIMEOUT is not 7 any more", None),
    "an enumerator that is gone":
        ("  DROVER_LOG_WARN = 3,\n", "", "DROVER_LOG_WARN is not 3 any more", None),
    "a flag with another value":
        ("#define DROVER_CAP_STATS (1ull << 2)", "#define DROVER_CAP_STATS (1ull << 5)",
         "probe_DROVER_CAP_STATS has another value", None),
    "a constant with another value":
        ("#define DROVER_ERROR_MESSAGE_MAX 1000", "#define DROVER_ERROR_MESSAGE_MAX 2000",
         "DROVER_ERROR_MESSAGE_MAX has another value", "drover_error"),
    "a function with another argument":
        ("  int32_t (*call_is_cancelled)(const drover_host* host, uint64_t call_id);",
         "  int32_t (*call_is_cancelled)(const drover_host* host, uint32_t call_id);",
         "drover_host: where call_is_cancelled", None),
    "a function with another result":
        ("  void (*call_cancelled)(drover_instance* self, uint64_t call_id);",
         "  int32_t (*call_cancelled)(drover_instance* self, uint64_t call_id);",
         "drover_driver: where call_cancelled", None),
    "a verb that moved":
        ('  X(destroy, "[task]") \\\n  X(inspect, "[any-thread]") \\\n',
         '  X(inspect, "[any-thread]") \\\n  X(destroy, "[task]") \\\n',
         "drover_driver: where destroy", "drover_driver, destroy"),
    "an id with another text of the same length":
        ('"drover.process/1"', '"drover.process/2"', "DROVER_PROCESS_ID is not \"drover.process/1\" any more",
         None),
    "an id that is gone":
        ('#define DROVER_TIMER_ID "drover.timer/1"\n', "", "DROVER_TIMER_ID is not \"drover.timer/1\" any more",
         None),
    "another symbol of the entry":
        ('"drover_driver_entry_v1"', '"drover_driver_entry_v2"', "DROVER_ENTRY_SYMBOL is not", None),
}


class AbiGateTest(unittest.TestCase):
    def setUp(self):
        self._directory = tempfile.TemporaryDirectory(prefix="drover-gate-")
        self.addCleanup(self._directory.cleanup)
        os.mkdir(os.path.join(self._directory.name, "drover"))
        self._copy = os.path.join(self._directory.name, "drover", "drover.h")
        with open(HEADER) as file:
            # The rules in comments are no part of what is compared.
            self._text = re.sub(r"[ \t]*/\*.*?\*/", "", file.read(), flags=re.S)
        self._text = re.sub(r" +\\\n", r" \\\n", self._text)  # nor is how lines are laid out
        self._text = re.sub(r"(#define DROVER_ABI_MINOR) \d+", r"\1 999", self._text)

    def write(self, text):
        with open(self._copy, "w") as file:
            file.write(text)

    def layout(self):
        """What the compiler says of layout.c with the copy."""
        compiler = os.environ.get("CC", "cc").split()
        return subprocess.run([*compiler, "-std=c11", "-Wno-attributes", "-fsyntax-only", "-I",
                               self._directory.name, os.path.join(HERE, "layout.c")],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def records(self):
        """What abi_record.py says of the copy."""
        return subprocess.run([sys.executable, "-B", SCRIPT, "prefix", self._copy, RECORDS],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def test_the_header_as_it_is_passes(self):
        self.write(self._text)
        layout = self.layout()
        self.assertEqual(layout.returncode, 0, layout.stdout)
        if abi_record.have_tools():
            records = self.records()
            self.assertEqual(records.returncode, 0, records.stdout)

    def test_additions_pass_the_records(self):
        end = "  drover_str signal;\n} drover_stop_args;\n"
        self.assertEqual(self._text.count(end), 1)
        text = self._text.replace(end, end.replace("\n", "\n  uint64_t flags;\n", 1))
        self.write(text.replace("  DROVER_E_RESOURCE_EXHAUSTED = 10\n",
                                "  DROVER_E_RESOURCE_EXHAUSTED = 10,\n  DROVER_E_LATER = 11\n"))
        # layout.c has a line for each member, so it must be extended: that the struct grew is seen.
        self.assertIn("drover_stop_args", self.layout().stdout)
        if abi_record.have_tools():
            records = self.records()
            self.assertEqual(records.returncode, 0, records.stdout)

    def test_there_are_ten_changes_and_each_is_seen_somewhere(self):
        self.assertGreaterEqual(len(CHANGES), 10)
        for name, (_, _, records, layout) in CHANGES.items():
            self.assertTrue(records or layout, name)

    def test_each_broken_change_is_caught(self):
        tools = abi_record.have_tools()
        for name, (old, new, records, layout) in CHANGES.items():
            with self.subTest(name):
                self.assertEqual(self._text.count(old), 1, old)
                self.write(self._text.replace(old, new))
                compiled = self.layout()
                if layout is None:
                    self.assertEqual(compiled.returncode, 0, compiled.stdout)
                else:
                    self.assertNotEqual(compiled.returncode, 0, "layout.c accepts " + name)
                    self.assertIn(layout, compiled.stdout)
                if not tools:
                    print("SKIP: the records are not asked about " + name)
                    continue
                ended = self.records()
                self.assertEqual(ended.returncode, 1, name + ": " + ended.stdout)
                self.assertIn(records, ended.stdout)
                self.assertIn("increase DROVER_ABI_MINOR", ended.stdout)


if __name__ == "__main__":
    HEADER, RECORDS = os.path.abspath(sys.argv.pop(1)), os.path.abspath(sys.argv.pop(1))
    if shutil.which(os.environ.get("CC", "cc").split()[0]) is None:
        print("FAILED: there is no C compiler: set CC")
        sys.exit(1)
    unittest.main()
