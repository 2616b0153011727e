#!/usr/bin/env python3
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Writes docs/sdk-reference.md: what the headers of the SDK declare, with their comments.

Usage: reference.py [--update]

Without --update it only compares, and fails if the page is old. A declaration keeps its comments; the bodies
of functions, private members and the namespace abi are left out.
"""
import difflib
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
HEADERS = ROOT / "sdk/include/drover"
PAGE = ROOT / "docs/sdk-reference.md"
# Headers that authors do not include themselves: parts of others.
INTERNAL = {"codec.hpp", "gate.hpp", "open_table.hpp", "view.hpp"}
HEAD = """\
# Reference of the SDK

Every declaration of the headers below `drover/`, with its comment. The page is generated: after a change of a header
run `python3 sdk/reference.py --update`. [drivers.md](drivers.md) explains how the parts belong together, and
[abi.md](abi.md) which of them are stable. A header whose ids end in `/draft` may still change.

C: begin with [drover.h](#droverh), and `drover_c.h` where it is there. C++: begin with
[driver.hpp](#driverhpp), [process_driver.hpp](#process_driverhpp) and [entry.hpp](#entryhpp).
"""


def skip_space(text, at):
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def comment_end(text, at):
    """The end of the comment at AT, or AT if there is none. Lines of // that follow each other are one."""
    if text.startswith("/*", at):
        return text.index("*/", at) + 2
    while text.startswith("//", at):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        following = re.compile(r"\n[ \t]*(?=//)").match(text, end)
        if not following:
            return end
        at = following.end()
    return at


def comment_text(comment):
    """The words of a comment, as paragraphs and lists."""
    if comment.startswith("/*"):
        lines = [re.sub(r"^\s*\* ?", "", line) for line in comment[2:-2].strip().splitlines()]
    else:
        lines = [re.sub(r"^\s*// ?", "", line) for line in comment.splitlines()]
    return "\n".join(line.rstrip() for line in lines).strip()


def literal_end(text, at):
    """The end of the literal at AT, or AT if there is none."""
    raw = re.compile(r'R"([^(\s]*)\(').match(text, at)
    if raw:
        end = f"){raw[1]}\""
        return text.index(end, at) + len(end)
    if text[at] in "\"'" and not (text[at] == "'" and at > 0 and text[at - 1].isalnum()):
        match = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'', re.S).match(text, at)
        return match.end() if match else at + 1
    return at


def block_end(text, at):
    """The end of the block that begins with the bracket at AT."""
    depth = 0
    while at < len(text):
        after = literal_end(text, at)
        after = after if after != at else comment_end(text, at)
        if after != at:
            at = after
            continue
        depth += {"{": 1, "}": -1, "(": 1, ")": -1}.get(text[at], 0)
        at += 1
        if depth == 0:
            return at
    raise ValueError("a block has no end")


def directive_end(text, at):
    """The end of a preprocessor line, with the lines that continue it."""
    while True:
        end = text.find("\n", at)
        if end < 0:
            return len(text)
        if text[end - 1] != "\\":
            return end
        at = end + 1


def head_end(text, at):
    """The place of the ; or { with which the head of a declaration ends."""
    while at < len(text):
        after = literal_end(text, at)
        after = after if after != at else comment_end(text, at)
        if after != at:
            at = after
        elif text[at] == "(":
            at = block_end(text, at)
        elif text[at] in ";{":
            return at
        else:
            at += 1
    return at


def is_scope(head):
    plain = re.sub(r"//[^\n]*|/\*.*?\*/", "", head, flags=re.S)
    plain = re.sub(r"^\s*template\s*<.*?>\s*(?=class|struct|union|enum)", "", plain, flags=re.S)
    return re.match(r"\s*(?:typedef\s+)?(?:class|struct|union|enum)\b", plain) is not None and "(" not in plain


class Declaration:
    def __init__(self, comment, text, kind):
        self.comment, self.text, self.kind = comment, text, kind  # kind: define, scope, function, other

    @property
    def name(self):
        text = re.sub(r"//[^\n]*|/\*.*?\*/", "", self.text, flags=re.S).strip()
        text = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)\s*", "", text)
        if self.kind == "define":
            return re.match(r"#define (\w+)", text)[1]
        if self.kind == "scope":
            text = re.sub(r"^template\s*<.*?>\s*(?=class|struct)", "", text, flags=re.S)
            return re.match(r"(?:typedef\s+)?(?:class|struct|union|enum(?: class)?)\s+([\w:]+)", text)[1]
        if found := re.match(r"(?:template\s*<[^=]*?>\s*)?using (\w+) =", text):
            return found[1]
        if found := re.search(r"\(\*(\w+)\)\(", text):
            return found[1]
        if found := re.search(r"([\w~:]+|operator\S+)\s*\(", text):
            return found[1]
        return re.findall(r"\w+", text.split("=")[0])[-1]


def tidied_head(head):
    """The head of a function without its initializers and attributes of the SDK."""
    head = re.sub(r"\)\s*:\s*[\w:<>]+\s*[({].*$", ")", head.rstrip(), flags=re.S)
    return re.sub(r"\b(?:DROVER_SDK_ONCE|DROVER_C_API|inline|static inline)\s+", "", head)


def scope_body(text, is_class):
    """The public and protected declarations of a class, one below the other."""
    access, out, at = ("private" if is_class else "public"), [], 0
    for declaration in declarations(text, in_class=True):
        if declaration.kind == "access":
            access = declaration.text
            continue
        if access == "private":
            continue
        if access != at:
            if access != "public" or is_class:
                out.append(f" {access}:")
            at = access
        if declaration.comment:
            out += ["  " + ("// " + line).rstrip() for line in declaration.comment.splitlines()]
        out += ["  " + line for line in declaration.text.splitlines()]
    return "\n".join(out)


def dedent(text, column):
    """TEXT, whose first line began at COLUMN, as if it began at column 0."""
    return re.sub(rf"\n {{{column}}}", "\n", text.strip()).rstrip()


def read_define(text, at):
    """Reads #define lines that follow each other. Returns their text and end."""
    begin = at
    while True:
        end = directive_end(text, at)
        following = end + 1
        after = re.compile(r"[ \t]*(/\*[^\n]*\*/[ \t]*\n)?(?=#define )").match(text, following)
        if text[following:following + 8] != "#define " and not (after and after[1]):
            return text[begin:end], end
        if after and after[1]:
            return text[begin:end], end
        at = following


def declarations(text, in_class=False):
    at, comment = 0, ""

    def shown(head):
        """HEAD, and the comment behind the declaration that ends at AT."""
        nonlocal at
        column = begin_of_head - text.rfind("\n", 0, begin_of_head) - 1
        note = re.compile(r"[ \t]*(//[^\n]*|/\*[^\n]*?\*/)").match(text, at)
        if note is None:
            return dedent(head, column)
        at = note.end()
        return dedent(head, column) + ("" if "NOLINT" in note[1] else "  " + note[1])

    while True:
        begin = at
        at = skip_space(text, at)
        if at >= len(text):
            return
        if text.count("\n", begin, at) > 1:
            comment = ""  # a comment that stands for itself
        after = comment_end(text, at)
        if after != at:
            raw = text[at:after]
            comment = "" if re.search(r"-{10,}", raw) else comment_text(raw)
            at = after
            continue
        if text[at] == "#":
            if text.startswith("#define ", at):
                found, at = read_define(text, at)
                if not re.match(r"#define \w+_H$", found):
                    yield Declaration(comment, found, "define")
            else:
                at = directive_end(text, at)
            comment = ""
            continue
        if in_class and (label := re.compile(r"(public|protected|private):").match(text, at)):
            yield Declaration("", label[1], "access")
            at, comment = label.end(), ""
            continue
        if text[at] == ";":
            at += 1
            continue
        begin_of_head, end = at, head_end(text, at)
        head = text[at:end]
        if end >= len(text):
            return
        if text[end] == ";":
            at = end + 1
            if not re.match(r"(?:friend|static_assert)\b|(?:template\s*<.*>\s*)?(?:class|struct) \w+$", head,
                            re.S) and "= delete" not in head:
                yield Declaration(comment, shown(head + ";"), "other")
            comment = ""
            continue
        block = block_end(text, end)
        if space := re.match(r"(?:inline )?namespace(?: (\w+))?\s*$", head):
            if space[1] and space[1] != "abi":
                yield from declarations(text[end + 1:block - 1])
            at, comment = block, ""
            continue
        if is_scope(head):
            at = text.index(";", block) + 1
            is_cpp = not head.lstrip().startswith("typedef") and not re.match(r"\s*(?:enum|struct drover_)", head)
            if is_cpp:
                plain = re.sub(r"^\s*template\s*<.*?>\s*(?=class|struct)", "", head, flags=re.S)
                body = scope_body(text[end + 1:block - 1], plain.lstrip().startswith("class"))
                whole = dedent(head, 0) + " {\n" + body + "\n};"
            else:
                whole = shown(text[begin_of_head:at])
            yield Declaration(comment, whole, "scope")
        elif "(" in head or "operator" in head:
            at = block
            # A function that a class declares is defined outside of it: that says nothing new.
            if not re.match(r"\s*~", head) and not re.search(r"\w(?:<\w+>)?::[~\w]+$", head.split("(")[0].strip()):
                yield Declaration(comment, shown(tidied_head(head) + ";"), "function")
        else:
            at = text.index(";", block) + 1
            yield Declaration(comment, shown(text[begin_of_head:at]), "other")
        comment = ""


def without_guards(text):
    text = re.sub(r"#ifdef __cplusplus\n.*?#endif\n", "", text, flags=re.S)
    return re.sub(r"\A(?:/\*.*?\*/\n|//[^\n]*\n)", "", text, count=1, flags=re.S)  # the licence


def summary_of(text):
    """The comment about the whole header: before its includes, or directly before its namespace."""
    at = skip_space(text, 0)
    end = comment_end(text, at)
    if end != at:
        return comment_text(text[at:end])
    found = re.search(r"\n\n((?://[^\n]*\n)+)namespace drover", text)
    return comment_text(found[1]) if found else ""


def first_paragraphs(text):
    """TEXT as a document: lists stay lists, and what else is indented is code."""
    out, mode = [], ""

    def close():
        while out and not out[-1]:
            out.pop()
        if mode == "code":
            out.append("```")
        out.append("")

    for line in text.splitlines():
        indented = line.startswith("  ") and bool(line.strip())
        if line.strip() and not indented and mode:
            close()
            mode = ""
        if indented and not mode:
            mode = "list" if line.lstrip().startswith("- ") else "code"
            out += [""] if out and out[-1] else []
            out += ["```"] if mode == "code" else []
        out.append(line[2:] if mode else line)
    if mode:
        close()
    return "\n".join(out).rstrip()


def chapter(header):
    text = without_guards(header.read_text())
    language = "c" if header.suffix == ".h" else "cpp"
    out = [f"## {header.name}\n"]
    if summary := summary_of(text):
        out.append(first_paragraphs(summary) + "\n")
    body = text[text.index("#pragma once"):] if "#pragma once" in text else text[text.index("#ifndef"):]
    for declaration in declarations(body):
        if declaration.comment == summary:
            declaration.comment = ""
        if declaration.kind == "define" and language == "cpp":
            if not declaration.comment:
                continue  # a detail of the header
            declaration.text = declaration.text.split("\\\n")[0]
        out.append(f"### {declaration.name}\n")
        if declaration.comment:
            out.append(first_paragraphs(declaration.comment) + "\n")
        out.append(f"```{language}\n{declaration.text.rstrip()}\n```\n")
    return "\n".join(out)


def page():
    headers = [path for path in HEADERS.iterdir() if path.name not in INTERNAL]
    order = sorted(headers, key=lambda path: (path.suffix != ".h", path.name != "drover.h", path.name))
    return HEAD + "\n" + "\n".join(chapter(header) for header in order)


def main():
    text = page()
    if sys.argv[1:] == ["--update"]:
        PAGE.write_text(text)
        return
    if sys.argv[1:]:
        sys.exit(__doc__)
    old = PAGE.read_text() if PAGE.exists() else ""
    if old != text:
        sys.stdout.writelines(list(difflib.unified_diff(old.splitlines(True), text.splitlines(True),
                                                        "docs/sdk-reference.md", "the headers"))[:60])
        sys.exit("docs/sdk-reference.md is old: run python3 sdk/reference.py --update")


if __name__ == "__main__":
    main()
