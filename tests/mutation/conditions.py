#!/usr/bin/env python3
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Finds the conditions of a C++ file and wraps each, so that one of them can be negated at run time.

It is a tokenizer, no parser: enough for this repository's style. If it takes an expression of another type
than bool for a condition, the compiler ignores that: see PREAMBLE.
"""
import collections
import dataclasses
import re

TOKEN = re.compile(r"""
    (?P<skip>\s+|//[^\n]*|/\*.*?\*/|^[ \t]*\#[^\n]*(?:\\\n[^\n]*)*)
  | (?P<text>(?:u8|[uUL])?R"(?P<tag>[^()\\ ]*)\(.*?\)(?P=tag)"|(?:u8|[uUL])?"(?:\\.|[^"\\])*"
            |'(?:\\.|[^'\\])+')
  | (?P<number>\.?\d(?:[\w.]|'\w)*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<op>&&|\|\||<=>|[-+*/%&|^=!<>]=|->|::|\+\+|--|<<|\.\.\.|.)
""", re.VERBOSE | re.DOTALL | re.MULTILINE)

OPEN = {"(": ")", "[": "]", "{": "}"}
CLOSE = set(OPEN.values())

# Included before the mutated text. ID is the number of the mutant.
PREAMBLE = """
#include <cstdlib>
#include <type_traits>
#include <utility>
namespace drover_mutation {
inline const int kActive = [] {
  const char* id = std::getenv("DROVER_MUTANT");
  return id == nullptr ? -1 : std::atoi(id);
}();
// A condition: whatever converts to bool where it stands.
template <int kId, typename T>
bool Condition(T&& value) {
  return static_cast<bool>(std::forward<T>(value)) != (kActive == kId);
}
// A value that is mutated only if it is a bool.
template <int kId, typename T>
  requires std::is_same_v<std::remove_cvref_t<T>, bool>
bool Value(T&& value) {
  return value != (kActive == kId);
}
template <int kId, typename T>
[[deprecated]] T Value(T&& value) {
  return std::forward<T>(value);
}
}  // namespace drover_mutation
"""
NOT_BOOL = re.compile(r"'Value<(\d+),")  # the name in warnings about the deprecated function


@dataclasses.dataclass
class Token:
    kind: str
    text: str
    start: int
    end: int


@dataclasses.dataclass
class Condition:
    start: int
    end: int
    sure: bool  # its place allows only a condition
    line: int = 0
    text: str = ""  # on one line, and "#2" for the second of the same text
    declares: str = ""  # "if (T name = ...)": the name, which is the condition


def tokenize(source):
    return [Token(m.lastgroup if m.lastgroup != "tag" else "text", m.group(), m.start(), m.end())
            for m in TOKEN.finditer(source) if m.lastgroup != "skip"]


class Finder:
    def __init__(self, source):
        self.source = source
        self.tokens = tokenize(source)
        self.found = {}

    def text(self, i):
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ""

    def group_end(self, i):
        """The index of the token that closes the bracket at I."""
        depth = 0
        for j in range(i, len(self.tokens)):
            if self.text(j) in OPEN:
                depth += 1
            elif self.text(j) in CLOSE:
                depth -= 1
                if depth == 0:
                    return j
        raise ValueError(f"no end of the bracket at offset {self.tokens[i].start}")

    def split(self, i, end, separators):
        """The ranges between SEPARATORS at the top level of the tokens [I, END)."""
        parts, begin = [], i
        while i < end:
            if self.text(i) in OPEN:
                i = self.group_end(i)
            elif self.text(i) in separators:
                parts.append((begin, i))
                begin = i + 1
            i += 1
        return parts + [(begin, end)]

    def expression_end(self, i, stops):
        while i < len(self.tokens):
            if self.text(i) in OPEN:
                i = self.group_end(i)
            elif self.text(i) in stops or self.text(i) in CLOSE:
                return i
            i += 1
        return i

    def add(self, i, end, sure, declares=""):
        if i >= end:
            return
        start, stop = self.tokens[i].start, self.tokens[end - 1].end
        known = self.found.get((start, stop))
        if known is None:
            self.found[start, stop] = Condition(
                start, stop, sure, self.source.count("\n", 0, start) + 1,
                " ".join(self.source[start:stop].split()), declares)
        else:
            known.sure = known.sure or sure

    def condition(self, i, end, sure=True):
        """The tokens [I, END) and, where they are joined by && and ||, each operand."""
        self.add(i, end, sure)
        if len(self.split(i, end, {"?"})) > 1:
            return  # its parts are found by the question mark
        for separators in ({"||"}, {"&&"}):
            operands = self.split(i, end, separators)
            if len(operands) > 1:
                for operand in operands:
                    self.condition(*operand)
                return
        while i < end and self.text(i) == "!":
            i += 1
        if self.text(i) == "(" and self.group_end(i) == end - 1:
            self.condition(i + 1, end - 1, sure)

    def scan(self):
        for i, token in enumerate(self.tokens):
            before, after = self.text(i - 1), self.text(i + 1)
            if token.text in ("if", "while") and after == "(":
                begin, end = self.split(i + 2, self.group_end(i + 1), {";"})[-1]
                parts = self.split(begin, end, {"="})
                if len(parts) == 1:
                    self.condition(begin, end)
                elif token.text == "if":  # a while has no place for the condition after the declaration
                    self.add(begin, end, sure=True, declares=self.text(parts[0][1] - 1))
            elif token.text == "for" and after == "(":
                parts = self.split(i + 2, self.group_end(i + 1), {";"})
                if len(parts) == 3:
                    self.condition(*parts[1])
            elif token.text == "?":
                begin = i
                depth = 0
                while begin > 0:
                    text = self.text(begin - 1)
                    if text in CLOSE:
                        depth += 1
                    elif text in OPEN and depth > 0:
                        depth -= 1
                    elif depth == 0 and (text in OPEN or text in ("return", "co_return", ",", ";",
                                                                  "=", "?", ":", "}")):
                        break
                    begin -= 1
                self.condition(begin, i)
            elif token.text in ("return", "co_return") and after not in (";", "{"):
                self.value(i + 1, self.expression_end(i + 1, {";"}))
            elif token.text == "=" and before not in ("operator", "[") and self.text(i - 2) != "using":
                self.value(i + 1, self.expression_end(i + 1, {";", ","}))
        # From the outside in, in the order of the text.
        found = sorted(self.found.values(), key=lambda c: (c.start, -c.end))
        seen = collections.Counter()
        for c in found:
            seen[c.text] += 1
            if seen[c.text] > 1:
                c.text += f" #{seen[c.text]}"
        return found

    def value(self, i, end):
        """A returned or assigned value: mutated if it is a bool."""
        first = self.tokens[i]
        alone = end - i == 1
        if first.text in ("[", "{", "default", "delete", "co_await"):
            return
        if alone and (first.kind in ("number", "text") or first.text == "nullptr"):
            return
        # A wrapped local would be copied by the return instead of moved.
        truth = first.text in ("true", "false") or f"bool {first.text}" in self.source
        if alone and not truth and not first.text.endswith("_"):
            return
        joined = any(len(self.split(i, end, {op})) > 1 for op in ("&&", "||"))
        self.condition(i, end, sure=joined and len(self.split(i, end, {"?"})) == 1)


def wrap(source, conditions):
    """SOURCE with every condition wrapped; the mutants are numbered as CONDITIONS are."""
    edits = []
    for number, c in enumerate(conditions):
        name = "Condition" if c.sure else "Value"
        length = c.end - c.start
        if c.declares:
            edits.append((c.end, 0, length, f"; ::drover_mutation::Condition<{number}>({c.declares})"))
            continue
        # At one place, closing brackets come first, the inner before the outer. Then come opening brackets,
        # the outer before the inner.
        edits.append((c.start, 1, -length, f"::drover_mutation::{name}<{number}>("))
        edits.append((c.end, 0, length, ")"))
    pieces, at = [], 0
    for offset, _, _, text in sorted(edits):
        pieces += [source[at:offset], text]
        at = offset
    return "".join(pieces + [source[at:]])


def find(source):
    return Finder(source).scan()
