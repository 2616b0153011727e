#!/usr/bin/env python3
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The recorded interface: what drover.h was when each of its minor versions was released.

This compiles, with debug information, a library that exports every public struct, enumeration and
constant of the header. abidw records its exports. Two checks compare that with the record:

  exact   abidiff finds no difference to the record of the minor version that the header says it is.
  prefix  each struct and function table of each record is the beginning of today's: it may only have
          grown at its end. The ids and other texts of each released header are those of today's.

"update" records a new minor version, and copies the header beside the record. It never changes an existing
record.

Usage: abi_record.py exact|prefix|update HEADER RECORDS-DIRECTORY
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree


SKIPPED = 77
# The structs that are embedded by value, and so never grow (drover.h, "Sizes").
FIXED = ('drover_run_id', 'drover_str', 'drover_pair', 'drover_array', 'drover_fd')


class Record:
    """One interface as abidw wrote it: its structs, each a list of (name, offset, type)."""

    def __init__(self, path):
        root = ElementTree.parse(path).getroot()
        self._by_id = {node.get('id'): node for node in root.iter() if node.get('id')}
        self._names = {}
        self.structs = {}
        for node in root.iter('class-decl'):
            if not node.get('name', '').startswith('drover_') or node.find('data-member') is None:
                continue
            self.structs[node.get('name')] = [
                (member.find('var-decl').get('name'), int(member.get('layout-offset-in-bits')) // 8,
                 self._type(member.find('var-decl').get('type-id')))
                for member in node.iter('data-member')]
        self.enums = {node.get('name'): {(value.get('name'), value.get('value'))
                                         for value in node.iter('enumerator')}
                      for node in root.iter('enum-decl')}
        self.constants = {node.get('name'): self._type(node.get('type-id'))
                          for node in root.iter('var-decl') if node.get('mangled-name')}

    def _type(self, type_id):
        """A type as text, deep enough that each signature has its own text."""
        if type_id in self._names:
            return self._names[type_id]
        node = self._by_id[type_id]
        self._names[type_id] = node.get('name') or type_id  # ends a cycle
        kind = node.tag
        if kind == 'pointer-type-def':
            text = self._type(node.get('type-id')) + '*'
        elif kind == 'qualified-type-def':
            text = 'const ' + self._type(node.get('type-id'))
        elif kind == 'function-type':
            parts = [self._type(part.get('type-id')) for part in node.findall('parameter')]
            text = '%s(%s)' % (self._type(node.find('return').get('type-id')), ', '.join(parts))
        elif kind == 'array-type-def':
            text = '%s[%s]' % (self._type(node.get('type-id')), node.find('subrange').get('length'))
        else:
            text = node.get('name')
        self._names[type_id] = text
        return text


def probe_source(header):
    """C code that exports all public names of the header, so that nobody must keep a list of them."""
    with open(header) as file:
        text = re.sub(r'/\*.*?\*/', '', file.read(), flags=re.S)
    structs = re.findall(r'^\}\s*(drover_\w+);', text, re.M) + \
        re.findall(r'^struct (drover_\w+) \{', text, re.M)
    enums = re.findall(r'^enum (drover_\w+) \{', text, re.M)
    numbers = [name for name, value in re.findall(r'^#define (DROVER_\w+) (\(?\d.*)$', text, re.M)
               if name != 'DROVER_ABI_MINOR']
    texts = re.findall(r'^#define (DROVER_\w+) "', text, re.M)
    lines = ['#include "drover.h"']
    lines += ['void probe_%s(%s* of) { (void)of; }' % (name, name) for name in structs]
    lines += ['void probe_%s(enum %s of) { (void)of; }' % (name, name) for name in enums]
    # A constant is a part of the interface too: its value, or length, as the size of an array.
    lines += ['char probe_%s[(%s) + 1];' % (name, name) for name in numbers]
    lines += ['char probe_%s[sizeof(%s)];' % (name, name) for name in texts]
    return '\n'.join(lines) + '\n'


def write_record(header, to):
    with tempfile.TemporaryDirectory(prefix='drover-abi-') as directory:
        source, library = os.path.join(directory, 'probe.c'), os.path.join(directory, 'probe.so')
        with open(source, 'w') as file:
            file.write(probe_source(header))
        with open(header) as file, open(os.path.join(directory, 'drover.h'), 'w') as copy:
            copy.write(file.read())
        subprocess.run([os.environ.get('CC', 'cc'), '-std=gnu11', '-g', '-gdwarf-4', '-O0',
                        '-fPIC', '-shared', '-I', directory, '-o', library, source], check=True)
        subprocess.run(['abidw', '--no-show-locs', '--no-corpus-path', '--no-comp-dir-path',
                        '--no-elf-needed', '--no-architecture', '--type-id-style', 'hash',
                        '--out-file', to, library], check=True)
    with open(to) as file:  # the compiler's name and version are no part of the interface
        text = re.sub(r"<abi-instr [^>]*>", "<abi-instr version='1.0' language='LANG_C11'>",
                      file.read())
    with open(to, 'w') as file:
        file.write(text)


def grown(old, new):
    """The reasons why NEW is not OLD with additions at the ends; an empty list if it is."""
    faults = []
    for name, members in old.structs.items():
        now = new.structs.get(name)
        if now is None:
            faults.append('%s is gone' % name)
            continue
        for i, member in enumerate(members):
            if i >= len(now):
                faults.append('%s.%s is gone' % (name, member[0]))
            elif now[i] != member:
                faults.append('%s: where %s (offset %d, %s) was is now %s (offset %d, %s)' %
                              ((name,) + member + now[i]))
                break
        if name in FIXED and len(now) > len(members):
            faults.append('%s never changes, and has now %s' % (name, now[len(members)][0]))
    for name, values in old.enums.items():
        for value in sorted(values - new.enums.get(name, set())):
            faults.append('%s: %s is not %s any more' % (name, value[0], value[1]))
    faults += ['%s has another value' % name for name, size in old.constants.items()
               if new.constants.get(name) != size]
    return faults


def texts(header):
    """The constants of a header that are texts, such as the ids. A record has only their lengths."""
    with open(header) as file:
        return dict(re.findall(r'^#define (DROVER_\w+) ("[^"\n]*")', file.read(), re.M))


def changed_texts(old, new):
    """The reasons why the texts of the released header OLD are not those of NEW."""
    now = texts(new)
    return ['%s is not %s any more' % (name, value) for name, value in texts(old).items()
            if now.get(name) != value]


def current_name(header):
    with open(header) as file:
        text = file.read()
    return 'v%s.%s.abi' % tuple(re.search(r'#define DROVER_ABI_%s (\d+)' % what, text).group(1)
                                for what in ('MAJOR', 'MINOR'))


def have_tools():
    if shutil.which('abidw') and shutil.which('abidiff'):
        return True
    print('SKIP: abidw and abidiff are not installed (Debian package abigail-tools)')
    return False


def main():
    mode, header, directory = sys.argv[1:4]
    if not have_tools():
        return SKIPPED
    name = current_name(header)
    record = os.path.join(directory, name)
    if mode == 'update':
        if os.path.exists(record):
            print('%s is a record of a release and stays: increase DROVER_ABI_MINOR' % record)
            return 1
        write_record(header, record)
        # Drivers of this version are compiled with the header as it is now.
        copy = os.path.join(directory, name[:-len('.abi')], 'drover', 'drover.h')
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        shutil.copyfile(header, copy)
        return 0
    advice = ('the interface has changed: increase DROVER_ABI_MINOR in drover.h, run '
              'tests/abi/abi_record.py update sdk/include/drover/drover.h tests/abi/records, and '
              'write the new layout into tests/abi/layout.c')
    with tempfile.TemporaryDirectory(prefix='drover-abi-') as scratch:
        now = os.path.join(scratch, name)
        write_record(header, now)
        if mode == 'exact':
            if not os.path.exists(record):
                print('%s: there is no record of this version; %s' % (record, advice))
                return 1
            if subprocess.run(['abidiff', '--harmless', record, now]).returncode != 0:
                print(advice)
                return 1
            return 0
        faults = []
        for old in sorted(os.listdir(directory)):
            if old.endswith('.abi'):
                path = os.path.join(directory, old)
                faults += ['%s: %s' % (old, fault) for fault in grown(Record(path), Record(now))]
            released = os.path.join(directory, old, 'drover', 'drover.h')
            if os.path.exists(released):
                faults += ['%s: %s' % (old, fault) for fault in changed_texts(released, header)]
        print('\n'.join(faults + ([advice] if faults else [])), end='')
        return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
