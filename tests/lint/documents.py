#!/usr/bin/env python3
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Checks documents against the code, and the length of their sentences.

Usage: documents.py [figures|links|paths|rooms|sentences ...]
All without an argument.
"""
import pathlib
import re
import statistics
import sys

import sources

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAX_LINES = 150  # of ARCHITECTURE.md
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
    """The arrows of a flowchart, one line or several: a & b --> c & d."""
    return [(start, end)
            for line in figure.splitlines() if "-->" in line
            for start in re.findall(r"\w+", line.split("-->")[0])
            for end in re.findall(r"\w+", line.split("-->")[1])]


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


def check_links():
    """The target of a link between the documents exists, with its heading."""
    def anchors(page):
        text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
        headings = re.findall(r"^#+ (.*)$", text, re.M)
        return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}

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


CHECKS = {"figures": check_figures, "links": check_links, "paths": check_paths, "rooms": check_rooms,
          "sentences": check_sentences}


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
