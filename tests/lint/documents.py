#!/usr/bin/env python3
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Checks documents against the code, and the length of their sentences.

Usage: documents.py [figures|links|nomad|paths|rooms|sentences ...]
All without an argument.
"""
import fnmatch
import pathlib
import re
import statistics
import sys

import sources

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAX_LINES = 180  # of ARCHITECTURE.md
MAX_MEDIAN, MAX_WORDS = 16, 35  # words of a sentence


def architecture():
    return (ROOT / "ARCHITECTURE.md").read_text()


def design_pages():
    return [ROOT / "ARCHITECTURE.md", *sorted((ROOT / "docs/design").glob("*.md"))]


def figures(text):
    return re.findall(r"```mermaid\n(.*?)```", text, re.S)


def rooms():
    """The folders of host/, each with the folders that its component depends on."""
    listings = sorted((ROOT / "host").glob("*/CMakeLists.txt"))
    folders = {listing.parent.name for listing in listings}
    needs = {}
    for listing in listings:
        lists = sources.component(listing) or {}
        needs[listing.parent.name] = folders.intersection(lists.get("DEPS", ()), ) | \
            folders.intersection(lists.get("PRIVATE_DEPS", ()))
    return needs


def reduction(needs):
    """The arrows without those between rooms that a longer way also connects."""
    def below(room):
        return set().union(*({next_room} | below(next_room) for next_room in needs[room]))

    return {(room, to) for room in needs for to in needs[room]
            if not any(to in below(other) for other in needs[room])}


def arrows(figure):
    """The arrows of a flowchart, one line or several: a & b --> c & d --> e."""
    ranks = [[re.findall(r"\w+", rank) for rank in line.split("-->")] for line in figure.splitlines()]
    return [(start, end) for line in ranks for starts, ends in zip(line, line[1:])
            for start in starts for end in ends]


def check_rooms():
    """The figure of the rooms has each folder of host/. Its arrows are the dependencies of the CMake
    targets, without those that a longer way also connects. The table has each room once."""
    needs = rooms()
    assert needs, "no rooms found: they have moved"
    drawn = [figure for figure in figures(architecture()) if figure.startswith("flowchart")]
    if len(drawn) != 1:
        return [f"ARCHITECTURE.md: has {len(drawn)} flowcharts, not the one of the rooms"]
    listed, wanted = arrows(drawn[0]), reduction(needs)
    found = [f"ARCHITECTURE.md: the figure of the rooms lacks the arrow {start} --> {end}"
             for start, end in sorted(wanted - set(listed))]
    found += [f"ARCHITECTURE.md: {start} --> {end} is no dependency of host/{start}/CMakeLists.txt, or a longer "
              "way connects them" for start, end in sorted(set(listed) - wanted)]
    found += [f"ARCHITECTURE.md: the figure of the rooms has {start} --> {end} twice"
              for start, end in sorted({arrow for arrow in listed if listed.count(arrow) > 1})]
    rows = re.findall(r"^\| `(\w+)` \|", architecture(), re.M)
    found += [f"ARCHITECTURE.md: the table of the rooms lacks {room}" for room in sorted(needs.keys() - set(rows))]
    found += [f"ARCHITECTURE.md: the table of the rooms has {room}, which is no folder of host/"
              for room in sorted(set(rows) - needs.keys())]
    return found


def declares(folder, name):
    return any(re.search(rf"^(?:class|struct) {name}\b[^;]*$", path.read_text(), re.M)
               for path in folder.rglob("*.h"))


def check_figures():
    """Each participant of a sequence names a folder and, if it names a class, a class of that folder."""
    found, seen = [], 0
    for figure in figures(architecture()):
        for place, name in re.findall(r"participant \w+ as ([\w/]+)(?:<br/>(\w+))?", figure):
            if place == "client":
                continue
            seen += 1
            if not (ROOT / place).is_dir():
                found.append(f"ARCHITECTURE.md: a figure names {place}, which is no folder")
            elif name and not declares(ROOT / place, name):
                found.append(f"ARCHITECTURE.md: a figure names {name}, which no header of {place} declares")
    assert seen, "no participants found: the figures have changed"
    return found


def check_paths():
    """A path in `code` of the pages for developers, such as host/task/task_hook.h or task/task_hook, exists."""
    found, seen = [], 0
    tops = {path.name for path in ROOT.iterdir() if path.is_dir()} - {"build"}
    for page in [*design_pages(), ROOT / "docs/development.md"]:
        for name in re.findall(r"`([\w.-]+(?:/[\w.-]+)+)`", page.read_text()):
            top = name.split("/")[0]
            if top not in tops and top not in rooms():
                continue
            seen += 1
            # NAME_hook.h stands for any file of such a name.
            pattern = re.sub("[A-Z]{4,}", "*", name)
            places = [place for place, there in ((pattern, top in tops), ("host/" + pattern, top in rooms()))
                      if there]
            if not any(next(ROOT.glob(place + suffix), None)
                       for place in places for suffix in ("", *sources.SUFFIXES)):
                found.append(f"{page.relative_to(ROOT)}: there is no {name}")
    assert seen, "no paths found: the pages have changed"
    return found


def anchor_of(heading):
    return re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-")


def check_links():
    """The target of a link between the documents exists, with its heading."""
    def anchors(page):
        text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
        return {anchor_of(heading) for heading in re.findall(r"^#+ (.*)$", text, re.M)}

    found, seen = [], 0
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "bench/README.md"]:
        text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
        for target, anchor in re.findall(r"\]\(([^()\s#:]*)(?:#([\w-]+))?\)", text):
            seen += 1
            place = page.parent / target if target else page
            if not place.exists():
                found.append(f"{page.relative_to(ROOT)}: links to {target}, which does not exist")
            elif anchor and anchor not in anchors(place):
                found.append(f"{page.relative_to(ROOT)}: links to {target}#{anchor}, which is no heading there")
    assert seen, "no links found: the pages have changed"
    return found


# The states of job fields, and what the page for people who come from Nomad says of them. A block with places of
# several states has the first of them.
WORDS_OF_STATES = {"done": "carried out", "warned": "warning", "inert": "no effect", "refused": "refused"}


def job_blocks():
    """The blocks of docs/job-fields.md by their headings, each with its state."""
    blocks = {}
    for section in (ROOT / "docs/job-fields.md").read_text().split("\n## ")[1:]:
        heading, text = section.split("\n", 1)
        places = re.search(r"^Places: .*$", text, re.M)
        states = re.findall(r"\((\w+)\)", places[0]) if places else ["done"]
        blocks[heading] = min(states, key=list(WORDS_OF_STATES).index)
    return blocks


def wrong_blocks(page):
    """What is wrong with the table of blocks. Blocks of a refused block, or of one without effect, need no row."""
    rows = re.findall(r"^\| \[`[^`]*`\]\(job-fields\.md#([\w-]+)\)[^|]*\| ([^|]*) \|", page, re.M)
    blocks = job_blocks()
    for heading, state in blocks.items():
        said = {words for anchor, words in rows if anchor == anchor_of(heading)}
        above = heading.rpartition(" › ")[0]
        if not said and blocks.get(above) not in ("refused", "inert"):
            yield f"the block {heading} of docs/job-fields.md has no row"
        for words in said - {WORDS_OF_STATES[state]}:
            yield f"the block {heading} is not {words!r} but {WORDS_OF_STATES[state]!r}"


def config_keys():
    """The keys of docs/agent-config.md as block, name in it and state. Keys without a block are `at the top`."""
    rows = re.findall(r"^\| `/(\S*)` \| ([^|]*) \| (\w+) \|", (ROOT / "docs/agent-config.md").read_text(), re.M)
    for key, kind, state in rows:
        block, _, name = key.replace("/*/", "/").partition("/")
        # A block stands for itself only if its keys are not listed. The keys of plugins are those of plugin.
        if kind not in ("block", "blocks", "named blocks") and block != "plugins":
            yield (block, name.replace("/", "."), state) if name else ("at the top", block, state)


def wrong_keys(page):
    """What is wrong with the table of keys: a key stands in the column of its state, and nowhere else."""
    rows = {name.split()[0] if tick else name: cells.split("|") for tick, name, cells in re.findall(
        r"^\| (`?)([\w \"]+)(?:`| )[^|]*\|((?:[^|]*\|){3})$", page, re.M)}
    used = set()
    for block, name, state in config_keys():
        columns = []
        for column, cell in zip(("done", "warned", "refused"), rows.get(block, ())):
            matching = {pattern for pattern in re.findall(r"`([^`]*)`", cell) if fnmatch.fnmatchcase(name, pattern)}
            used |= {(block, pattern) for pattern in matching}
            columns += [column] if matching else []
        if columns != [state]:
            yield f"{block}: {name} is {state}, but stands under {' and '.join(columns) or 'nothing'}"
    values = {("tls", "tls12")}  # this is no key of the block
    for block, cells in rows.items():
        for pattern in re.findall(r"`([^`]*)`", "".join(cells[:3])):
            if (block, pattern) not in used | values:
                yield f"{block}: {pattern} is no key of docs/agent-config.md"


def check_nomad():
    """The page for people who come from Nomad says of each block and key what docs/job-fields.md and
    docs/agent-config.md say."""
    name = "docs/coming-from-nomad.md"
    page = (ROOT / name).read_text()
    blocks, _, keys = page.partition("\n## Keys of")
    assert keys, "no table of keys found: the page has changed"
    keys = keys.partition("\n## ")[0]
    return [f"{name}: {found}" for found in [*wrong_blocks(blocks), *wrong_keys(keys)]]


def sentences(text):
    """The sentences of paragraphs, list items and cells of tables, each with the number of its words. A piece
    of code is one word."""
    text = re.sub(r"```.*?```", "\n", text, flags=re.S)
    text = re.sub(r"`[^`\n]*`", "Code", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text).replace("**", "")
    text = re.sub(r"^#.*$|^\|[\s:|-]*$", "", text, flags=re.M)
    text = re.sub(r"^\s*(?:[-*>]|\d+\.) ", "\n", text, flags=re.M)
    text = re.sub(r"^\|(.*)\|$", lambda row: "\n\n" + row[1].replace("|", "\n\n") + "\n\n", text, flags=re.M)
    for block in re.split(r"\n\s*\n", text):
        for sentence in re.split(r"(?<=[.!?])\s+", " ".join(block.split())):
            words = re.findall(r"[A-Za-z0-9][\w'/%-]*", sentence)
            if words:
                yield len(words), sentence


def check_sentences():
    """ARCHITECTURE.md is short, and so are its sentences and those of docs/design."""
    found = []
    lines = architecture().count("\n")
    if lines > MAX_LINES:
        found.append(f"ARCHITECTURE.md: {lines} lines, more than {MAX_LINES}: move depth to docs/design")
    for page in design_pages():
        name, text = page.relative_to(ROOT), page.read_text()
        found += [f"{name}: {count} words in a sentence, more than {MAX_WORDS}: {sentence}"
                  for count, sentence in sentences(text) if count > MAX_WORDS]
        # Cells of tables do not count for the median.
        prose = [count for count, _ in sentences(re.sub(r"^\|.*$", "", text, flags=re.M))]
        median = statistics.median(prose)
        if median > MAX_MEDIAN:
            found.append(f"{name}: the median sentence has {median:g} words, more than {MAX_MEDIAN}")
    return found


CHECKS = {"figures": check_figures, "links": check_links, "nomad": check_nomad, "paths": check_paths,
          "rooms": check_rooms, "sentences": check_sentences}


def main():
    names = sys.argv[1:] or list(CHECKS)
    found = []
    for name in names:
        if name not in CHECKS:
            sys.exit(f"documents.py: unknown check {name!r}: {', '.join(CHECKS)}")
        found += CHECKS[name]()
    for line in found:
        print(line)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
