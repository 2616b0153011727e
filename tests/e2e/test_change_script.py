# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""A recorded script of requests about changes, in change_script.jsonl, with what Nomad answers. Each line has a method, a
path, perhaps a body, and what must be so:

status  of the answer, 200 unless given
text    a regular expression that the body of an error has
has     values of the answer, by JSON pointers: a value, {"~": REGEX}, {"len": NUMBER} or {"set": BOOLEAN}
bytes   the whole body
wait    the request is repeated until all of this holds
save    values of the answer that later lines have as ${NAME}, by JSON pointers
differs what Drover answers instead, and why, in a sentence of docs/compatibility.md"""
import base64
import json
import pathlib
import re

import harness
from agent_harness import AgentTest

SCRIPT = pathlib.Path(__file__).with_name("change_script.jsonl")
PAGE = harness.ROOT / "docs/compatibility.md"
HEADING = "## What the script of changes found\n"


def lines():
    return [json.loads(line) for line in SCRIPT.read_text().splitlines()]


class NotThere(Exception):
    pass


def at(value, pointer):
    """What a JSON pointer names."""
    for key in pointer.split("/")[1:]:
        try:
            value = value[int(key)] if isinstance(value, list) else value[key]
        except (KeyError, IndexError, TypeError, ValueError):
            raise NotThere(pointer) from None
    return value


def matches(value, wanted):
    if isinstance(wanted, dict) and list(wanted) == ["~"]:
        return isinstance(value, str) and re.search(wanted["~"], value) is not None
    if isinstance(wanted, dict) and list(wanted) == ["len"]:
        return len(value or []) == wanted["len"]
    if isinstance(wanted, dict) and list(wanted) == ["set"]:
        return not wanted["set"] or bool(value)
    return value == wanted


def faults(reply, wanted):
    """What of an answer is not as WANTED says, in words."""
    found = []
    if reply.status != wanted.get("status", 200):
        found.append(f"status {reply.status}")
    body = reply.body.decode(errors="replace")
    if "text" in wanted and not re.search(wanted["text"], body):
        found.append(f"text {body!r}")
    if "bytes" in wanted and body != wanted["bytes"]:
        found.append(f"bytes {body!r}")
    if "has" not in wanted:
        return found
    try:
        value = json.loads(body)
    except ValueError:
        return [*found, f"no JSON: {body!r}"]
    for pointer, one in wanted["has"].items():
        try:
            got = at(value, pointer)
        except NotThere:
            found.append(f"{pointer} is not there")
            continue
        if not matches(got, one):
            found.append(f"{pointer} is {got!r} and not {one!r}")
    return found


class ChangeScriptTest(AgentTest):
    def filled(self, value):
        """VALUE with the saved texts in the places of their names."""
        if isinstance(value, str):
            return re.sub(r"\$\{(\w+)\}", lambda name: self.saved[name[1]], value)
        if isinstance(value, list):
            return [self.filled(one) for one in value]
        if isinstance(value, dict) and list(value) == ["bytes"]:
            return base64.b64encode(bytes(value["bytes"])).decode()
        if isinstance(value, dict):
            return {key: self.filled(one) for key, one in value.items()}
        return value

    def ask(self, line):
        """Sends the request of a line until its answer is as it must be, if it may wait. Returns the answer and what is
        wrong with it."""
        # A text of the line is a regular expression, in which no name stands.
        wanted = {**line, "has": self.filled(line["has"])} if "has" in line else line
        last = []

        def right():
            reply = self.agent.ask(line["method"], self.filled(line["path"]), self.filled(line.get("body")))
            last[:] = [reply, faults(reply, wanted)]
            return not last[1]
        if line.get("wait"):
            try:
                harness.wait_until(right, line["name"])
            except AssertionError:
                pass
        else:
            right()
        return last

    def test_the_script(self):
        self.saved = {}
        for number, line in enumerate(lines(), 1):
            where = f"line {number} ({line['name']})"
            reply, wrong = self.ask(line)
            if "differs" in line:
                self.assertNotEqual(wrong, [], f"{where}: there is no difference any more")
                wrong = faults(reply, self.filled(line["differs"]))
            # Later lines depend on this one.
            self.assertEqual(wrong, [], f"{where}\n{reply.body.decode(errors='replace')[:2000]}")
            for name, pointer in line.get("save", {}).items():
                self.saved[name] = at(json.loads(reply.body), pointer)

    def test_each_difference_is_on_the_page(self):
        part = PAGE.read_text().partition(HEADING)[2].partition("\n## ")[0]
        listed = re.findall(r"^- (.*)$", part, re.M)
        self.assertEqual(sorted(listed), sorted(line["differs"]["why"] for line in lines() if "differs" in line))


if __name__ == "__main__":
    harness.main()
