#!/usr/bin/env python3
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""plugin_limits_test.py: the numbers of docs/plugin-limits.md are those of the code that each row names."""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/plugin-limits.md"
UNITS = {"ms": 0.001, "s": 1, "min": 60, "h": 3600, "": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


def value_of(text):
    """The number of a cell, in seconds or bytes."""
    number, _, unit = text.partition(" ")
    return float(number) * UNITS[unit]


def evaluate(name, expression):
    """The number of an expression in C++: "16u << 20", "500ms", "std::chrono::minutes(10)"."""
    text = re.sub(r"std::size_t\{(\d+)\}", r"\1", expression)
    text = re.sub(r"std::chrono::(minutes|hours)\((\d+)\)",
                  lambda match: f"{match[2]} * {60 if match[1] == 'minutes' else 3600}", text)
    text = re.sub(r"\b(\d+)(ms|s|min|h)\b", lambda match: f"{match[1]} * {UNITS[match[2]]}", text)
    text = re.sub(r"\b(\d[\d']*)(?:u|LL|ull)\b", r"\1", text).replace("'", "")
    if not re.fullmatch(r"[\d\s.*<()+-]+", text):
        raise ValueError(f"{name} = {expression}: the test cannot read this")
    number = eval(text, {"__builtins__": {}})  # digits and operators only
    return number * (1 << 20 if name.endswith("_mb") else 1)


def values_in_code(place):
    """All values that the code gives a name: some are chosen by the preprocessor."""
    path, _, name = place.partition(":")
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", (ROOT / path).read_text(), flags=re.S)
    found = re.findall(rf"^#define {name} (\d+)", text, re.M)
    found += re.findall(rf"\b{name}(?:\s*=\s*|(?={{))([^;]*);", text)
    return [evaluate(name, one.strip().strip("{}").strip()) for one in found
            if re.match(r"[{\d]|std::", one.strip())]


def rows():
    for number, line in enumerate(PAGE.read_text().splitlines(), 1):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and len(cells) == 3 and re.match(r"\d", cells[1]):
            yield number, cells


class LimitsTest(unittest.TestCase):
    def test_each_number_is_that_of_the_code(self):
        seen = 0
        for number, (_, value, place) in rows():
            if not place:
                continue
            seen += 1
            with self.subTest(f"line {number}: {place}"):
                self.assertIn(value_of(value), values_in_code(place.strip("`")))
        self.assertGreater(seen, 60)

    def test_each_limit_of_calls_has_a_row(self):
        named = {place.strip("`").partition(":")[2] for _, (_, _, place) in rows()}
        text = (ROOT / "host/driver/driver_limits.h").read_text()
        members = set(re.findall(r"^  (?:int|Duration) (\w+) = ", text, re.M))
        self.assertGreater(len(members), 20)
        self.assertEqual(members - named, set())


class EvaluateTest(unittest.TestCase):
    def test_it_reads_numbers_of_the_code(self):
        for text, wanted in (("16u << 20", 16 << 20), ("500ms", 0.5), ("std::chrono::minutes(10)", 600),
                             ("1LL << 30", 1 << 30), ("100'000", 100000)):
            self.assertEqual(evaluate("x", text), wanted)
        self.assertEqual(evaluate("memory_mb", "2048"), 2 << 30)
        self.assertRaises(ValueError, evaluate, "x", "Other()")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
