#!/usr/bin/env python3
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The two checks of abi_record.py, against headers that each have one change.

Usage: abi_record_test.py HEADER
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

import abi_record

SCRIPT = os.path.abspath(abi_record.__file__)
HEADER = None


class AbiRecordTest(unittest.TestCase):
    def setUp(self):
        self._directory = tempfile.TemporaryDirectory(prefix='drover-abi-test-')
        self.addCleanup(self._directory.cleanup)
        self._records = os.path.join(self._directory.name, 'records')
        os.mkdir(self._records)
        with open(HEADER) as file:
            # Comments are no part of the record, so these tests find members without them.
            self._text = re.sub(r'[ \t]*/\*.*?\*/', '', file.read(), flags=re.S)
        self._text = re.sub(r' +\\\n', r' \\\n', self._text)  # nor is how lines are laid out
        self.run_script('update', self._text)

    def run_script(self, mode, text):
        header = os.path.join(self._directory.name, 'drover.h')
        with open(header, 'w') as file:
            file.write(text)
        return subprocess.run([sys.executable, SCRIPT, mode, header, self._records],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def check(self, old, new, exact, prefix):
        """EXACT and PREFIX: the text that the check must print, or None if it must pass."""
        self.assertEqual(self._text.count(old), 1, old)
        changed = self._text.replace(old, new)
        for mode, wanted in (('exact', exact), ('prefix', prefix)):
            ended = self.run_script(mode, changed)
            if wanted is None:
                self.assertEqual(ended.returncode, 0, ended.stdout)
            else:
                self.assertEqual(ended.returncode, 1, '%s: %s' % (mode, ended.stdout))
                self.assertIn(wanted, ended.stdout)
                self.assertIn('increase DROVER_ABI_MINOR', ended.stdout)

    def test_the_same_header(self):
        cap = '#define DROVER_CAP_EXEC (1ull << 1)'
        self.check(cap, '/* a comment */\n' + cap, None, None)

    def test_a_member_at_the_end(self):
        end = '  drover_str signal;\n} drover_stop_args;\n'
        self.check(end, end.replace('\n', '\n  uint64_t flags;\n', 1), 'flags', None)

    def test_a_verb_at_the_end(self):
        end = '  void (*call_cancelled)(drover_instance* self, uint64_t call_id);\n'
        self.check(end, end + '  void (*later)(drover_instance* self);\n', 'later', None)

    def test_a_member_in_the_middle(self):
        start = 'typedef struct drover_stop_args {\n  uint32_t struct_size;\n  uint32_t reserved;\n'
        self.check(start, start + '  int64_t grace;\n', 'grace',
                   'drover_stop_args: where timeout (offset 8, int64_t) was is now grace')

    def test_a_verb_in_the_middle(self):
        self.check('  X(stop, "[task]") \\\n', '', 'stop', 'where stop (offset 72')

    def test_a_member_that_is_gone(self):
        self.check('  uint32_t oom_killed;\n', '', 'oom_killed',
                   'drover_exit_result: where oom_killed')

    def test_another_type_of_the_same_size(self):
        self.check('  uint32_t oom_killed;\n', '  int32_t oom_killed;\n', 'oom_killed',
                   'drover_exit_result: where oom_killed')

    def test_another_signature(self):
        self.check('  void (*stream_cancel)(drover_instance* self, uint64_t stream_id);',
                   '  void (*stream_cancel)(drover_instance* self, uint32_t stream_id);',
                   'stream_cancel', 'drover_driver: where stream_cancel')

    def test_another_value(self):
        self.check('  DROVER_E_TIMEOUT = 7,', '  DROVER_E_TIMEOUT = 70,', 'DROVER_E_TIMEOUT',
                   'drover_code: DROVER_E_TIMEOUT is not 7 any more')

    def test_another_constant(self):
        self.check('#define DROVER_CAP_EXEC (1ull << 1)', '#define DROVER_CAP_EXEC (1ull << 9)',
                   'probe_DROVER_CAP_EXEC', 'probe_DROVER_CAP_EXEC has another value')

    def test_a_struct_that_is_gone(self):
        self.check('typedef struct drover_wait_args {', 'typedef struct drover_wait_none {',
                   'drover_wait_args', 'drover_wait_args is gone')

    def test_a_version_without_a_record(self):
        minor = [line for line in self._text.splitlines() if 'DROVER_ABI_MINOR ' in line and
                 line.startswith('#define')][0]
        self.check(minor, '#define DROVER_ABI_MINOR 999', 'there is no record of this version', None)

    def test_a_record_is_not_written_again(self):
        ended = self.run_script('update', self._text)
        self.assertEqual(ended.returncode, 1)
        self.assertIn('stays: increase DROVER_ABI_MINOR', ended.stdout)


if __name__ == '__main__':
    HEADER = sys.argv.pop(1)
    if not abi_record.have_tools():
        sys.exit(abi_record.SKIPPED)
    unittest.main()
