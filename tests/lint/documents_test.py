#!/usr/bin/env python3
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""documents.py finds each kind of mistake."""
import pathlib
import tempfile
import unittest
from unittest import mock

import documents

PAGE = """\
# Architecture

The host runs tasks.

```mermaid
flowchart TD
  task --> driver & logs
  driver & logs --> base
```

| room | does |
|---|---|
| `base` | waits |
| `driver` | declares |
| `logs` | reads |
| `task` | runs |

```mermaid
sequenceDiagram
  participant C as client
  participant T as host/task<br/>TaskRunner
  participant S as shim
  C->>T: starts
```

See [the design](docs/design/task.md#the-start) and `task/task_runner`.
"""

JOB_FIELDS = """# Fields

## job

| HCL |
|---|

## spread

Places: `/Spreads/*` (inert)

## spread › target

Places: `/Spreads/*/SpreadTarget/*` (inert)

## group › dns

Places: `/TaskGroups/*/Networks/*/DNS` (refused), `/TaskGroups/*/DNS` (done)
"""

CONFIG = """| Key | Type | State | Notes |
|---|---|---|---|
| `/name` | text | done | |
| `/ui` | any block | warned | |
| `/client` | block | done | |
| `/client/reserved` | block | done | |
| `/client/reserved/cpu` | integer | done | |
| `/client/cni_path` | text | warned | |
| `/client/cni_dir` | text | warned | |
| `/plugin` | named blocks | done | |
| `/plugin/*/config` | any block | done | |
| `/plugins` | named blocks | done | |
| `/plugins/*/config` | any block | done | |
"""

COMING = """# Coming

## Blocks of a job file

| Block | Happens | What to know |
|---|---|---|
| [`job`](job-fields.md#job) | carried out | |
| [`spread`](job-fields.md#spread) | no effect | |
| [`dns`](job-fields.md#group--dns) of a group | carried out | `x` |

## Keys of a configuration

| Block | Carried out | Warned of | Refused |
|---|---|---|---|
| at the top | `name` | the block `ui` | |
| `client` | `reserved.cpu` | `cni_*` | |
| `plugin "NAME"` | `config` | | |

## Commands
"""


class DocumentsTest(unittest.TestCase):
    """A host of four rooms, with its page."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = pathlib.Path(directory.name)
        self.write("ARCHITECTURE.md", PAGE)
        self.write("docs/design/task.md", "# Tasks\n\n## The start\n\nIt starts.\n")
        self.write("docs/development.md", "# Development\n")
        self.write("docs/job-fields.md", JOB_FIELDS)
        self.write("docs/agent-config.md", CONFIG)
        self.write("docs/coming-from-nomad.md", COMING)
        self.write("bench/README.md", "# Costs\n")
        self.write("shim/main.c", "")
        self.write("host/task/task_runner.h", "class TaskRunner : public Runner {\n")
        self.component("base", "")
        self.component("logs", "DEPS base")
        self.component("driver", "DEPS base")
        self.component("task", "DEPS base logs PRIVATE_DEPS driver OpenSSL::SSL")

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def component(self, name, lists):
        self.write(f"host/{name}/CMakeLists.txt", f"drover_component({name}\n  SOURCES a.cc {lists})")

    def change(self, old, new):
        self.assertIn(old, PAGE)
        self.write("ARCHITECTURE.md", PAGE.replace(old, new))

    def found(self, check):
        with mock.patch.object(documents, "ROOT", self.root):
            return documents.CHECKS[check]()

    def assert_found(self, check, text):
        found = self.found(check)
        self.assertEqual(len(found), 1, found)
        self.assertIn(text, found[0])

    def test_a_page_that_is_right(self):
        for check in documents.CHECKS:
            self.assertEqual(self.found(check), [])

    def test_an_arrow_that_is_missing(self):
        self.change("driver & logs\n", "driver\n")
        self.assert_found("rooms", "lacks the arrow task --> logs")

    def test_an_arrow_that_is_no_dependency(self):
        self.change("  driver & logs --> base", "  driver & logs --> base\n  logs --> driver")
        self.assert_found("rooms", "logs --> driver is no dependency")

    def test_an_arrow_for_which_a_longer_way_stands(self):
        self.change("task --> driver & logs", "task --> driver & logs & base")
        self.assert_found("rooms", "task --> base is no dependency of host/task/CMakeLists.txt, or a longer way")

    def test_an_arrow_that_is_there_twice(self):
        self.change("  driver & logs --> base", "  driver & logs --> base\n  logs --> base")
        self.assert_found("rooms", "logs --> base twice")

    def test_arrows_in_a_row(self):
        self.change("driver & logs\n  driver & logs --> base", "driver & logs --> base")
        self.assertEqual(self.found("rooms"), [])
        self.change("driver & logs\n  driver & logs --> base", "driver --> base")
        self.assertEqual(len(self.found("rooms")), 2, "those from task to logs, and from there to base")

    def test_a_new_room(self):
        self.component("http", "DEPS base")
        self.assertEqual(self.found("rooms"), [
            "ARCHITECTURE.md: the figure of the rooms lacks the arrow http --> base",
            "ARCHITECTURE.md: the table of the rooms lacks http"])

    def test_a_row_without_a_room(self):
        self.change("| `task` | runs |", "| `task` | runs |\n| `plugin` | calls |")
        self.assert_found("rooms", "has plugin, which is no folder")

    def test_a_participant_that_has_moved(self):
        self.change("as shim", "as host/shim")
        self.assert_found("figures", "names host/shim, which is no folder")

    def test_a_participant_with_another_name(self):
        self.write("host/task/task_runner.h", "class TaskRunner;\nclass Runner {\n")
        self.assert_found("figures", "names TaskRunner, which no header of host/task declares")

    def test_a_path_that_has_moved(self):
        self.change("`task/task_runner`", "`task/runner`")
        self.assert_found("paths", "there is no task/runner")

    def test_a_path_with_a_name_left_open(self):
        self.change("`task/task_runner`", "`host/task/NAME_runner.h`")
        self.assertEqual(self.found("paths"), [])
        self.change("`task/task_runner`", "`host/task/NAME_hook.h`")
        self.assert_found("paths", "there is no host/task/NAME_hook.h")

    def test_a_link_to_nothing(self):
        self.change("docs/design/task.md#the-start", "docs/design/tasks.md")
        self.assert_found("links", "links to docs/design/tasks.md, which does not exist")

    def test_a_link_to_a_heading_that_is_gone(self):
        self.write("docs/design/task.md", "# Tasks\n\nThey start.\n")
        self.assert_found("links", "#the-start, which is no heading there")

    def reword(self, old, new):
        self.assertIn(old, COMING)
        self.write("docs/coming-from-nomad.md", COMING.replace(old, new))

    def test_a_block_without_a_row(self):
        self.reword("| [`dns`](job-fields.md#group--dns) of a group | carried out | `x` |\n", "")
        self.assert_found("nomad", "the block group › dns of docs/job-fields.md has no row")

    def test_a_block_whose_state_has_changed(self):
        self.reword("| no effect |", "| refused |")
        self.assert_found("nomad", "the block spread is not 'refused' but 'no effect'")

    def test_a_key_without_a_place(self):
        self.reword("`reserved.cpu`", "")
        self.assert_found("nomad", "client: reserved.cpu is done, but stands under nothing")

    def test_a_key_whose_state_has_changed(self):
        self.reword("| `name` | the block `ui` | |", "| `name` | | `ui` |")
        self.assert_found("nomad", "at the top: ui is warned, but stands under refused")

    def test_a_key_in_two_columns(self):
        self.reword("| `cni_*` | |", "| `cni_*` | `cni_path` |")
        self.assert_found("nomad", "client: cni_path is warned, but stands under warned and refused")

    def test_a_key_that_is_gone(self):
        self.reword("`config`", "`config`, `args`")
        self.assert_found("nomad", "plugin: args is no key of docs/agent-config.md")

    def test_a_long_sentence(self):
        self.change("The host runs tasks.", "It works. The host runs" + " very many" * 17 + " tasks.")
        self.assert_found("sentences", "38 words in a sentence")

    def test_long_sentences(self):
        self.change("The host runs tasks.", ("The host runs" + " very many" * 8 + " tasks. ") * 2)
        self.assert_found("sentences", "the median sentence has 20 words")

    def test_a_long_page(self):
        self.write("ARCHITECTURE.md", PAGE + "\n" * documents.MAX_LINES)
        self.assert_found("sentences", "move depth to docs/design")

    def test_a_piece_of_code_is_a_word(self):
        self.assertEqual([count for count, _ in documents.sentences("A `long piece of code` is. | `a` |")], [3, 1])


if __name__ == "__main__":
    unittest.main()
