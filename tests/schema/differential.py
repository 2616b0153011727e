#!/usr/bin/env python3
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""host/schema against jsonschema, the reference implementation in Python, on random cases.

differential.py JUDGE VENV [CASES [SEED]]

For every schema S and value V:
  - Validate(S, V) accepts V exactly if jsonschema does;
  - Normalize fills the defaults into a valid V, and changes nothing else;
  - the result of Normalize for any V is valid by jsonschema, and another Normalize changes nothing;
  - a "${" in V only satisfies more, when the check is not final.
jsonschema comes from the package index into VENV; without it the test is skipped (77).
"""
import copy
import json
import os
import pathlib
import random
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import package_venv
from package_venv import SKIPPED


class Cases:
    """Random schemas of our subset, and values that are often nearly valid."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, *options):
        return self.random.choice(options)

    def chance(self, probability):
        return self.random.random() < probability

    def name(self):
        return self.pick("a", "b", "cc", "A", "x/y", "", "é")

    def scalar(self):
        return self.pick(None, True, False, 0, 1, -1, 7, 2.0, 2.5, -0.5, 1e9, "", "a", "ab", "é€",
                         "1", "-7", "2.5", "true", "false", "01", "${x}", "a${y}b", "1e3")

    def value(self, depth=3):
        kind = self.random.random()
        if depth == 0 or kind < 0.5:
            return self.scalar()
        if kind < 0.75:
            return [self.value(depth - 1) for _ in range(self.random.randrange(4))]
        return {self.name(): self.value(depth - 1) for _ in range(self.random.randrange(4))}

    def schema(self, depth=3):
        kinds = ["string", "integer", "number", "boolean", "null", None]
        if depth > 0:
            kinds += ["object"] * 5 + ["array"] * 3
        kind = self.pick(*kinds)
        out = {} if kind is None else {"type": kind}
        if kind == "object":
            self.object(out, depth)
        elif kind == "array":
            if self.chance(0.8):
                out["items"] = self.schema(depth - 1)
            if self.chance(0.2):
                out["minItems"] = self.random.randrange(3)
            if self.chance(0.2):
                out["maxItems"] = self.random.randrange(4)
        else:
            if self.chance(0.15):
                out["enum"] = [self.value(1) for _ in range(1 + self.random.randrange(4))]
            if self.chance(0.05):
                out["const"] = self.value(1)
            if self.chance(0.2):
                out["minimum"] = self.pick(-1, 0, 1, 0.5)
            if self.chance(0.2):
                out["maximum"] = self.pick(0, 1, 5, 2.5)
            if self.chance(0.15):
                out["minLength"] = self.random.randrange(3)
            if self.chance(0.15):
                out["maxLength"] = self.random.randrange(4)
        return out

    def object(self, out, depth):
        names = {self.name() for _ in range(self.random.randrange(5))}
        additional = self.pick(None, False, True, "schema")
        if names and self.chance(0.9):
            out["properties"] = {name: self.schema(depth - 1) for name in sorted(names)}
            required = [name for name in sorted(names) if self.chance(0.3)]
            if required:
                out["required"] = required
        if additional == "schema":
            out["additionalProperties"] = self.schema(depth - 1)
        elif additional is not None:
            out["additionalProperties"] = additional

    def near(self, schema, depth=4):
        """A value that mostly fits, in any of the forms that clients give."""
        if depth == 0 or self.chance(0.06):
            return self.value(1)
        if "enum" in schema and self.chance(0.8):
            return self.pick(*schema["enum"])
        if "const" in schema and self.chance(0.8):
            return schema["const"]
        kind = schema.get("type")
        if kind == "object":
            out = {}
            for name, part in schema.get("properties", {}).items():
                if name in schema.get("required", []) or self.chance(0.6):
                    out[name] = self.near(part, depth - 1)
            extra = schema.get("additionalProperties")
            if self.chance(0.5 if extra else 0.05):
                out[self.name()] = self.near(extra, depth - 1) if isinstance(extra, dict) \
                    else self.value(1)
            return [out] if self.chance(0.1) else out
        if kind == "array":
            return [self.near(schema.get("items", {}), depth - 1)
                    for _ in range(self.random.randrange(4))]
        return {"string": lambda: self.pick("", "a", "ab", "é", "${x}", 1, True),
                "integer": lambda: self.pick(0, 1, 3, -1, 2.0, "2", "-1", "${x}"),
                "number": lambda: self.pick(0, 0.5, 2.5, "0.5", "1", "${x}"),
                "boolean": lambda: self.pick(True, False, "true", "false", "${x}"),
                "null": lambda: None}.get(kind, self.scalar)()


def explicit(schema):
    """Our schema as JSON Schema: in ours, absent additionalProperties means false."""
    out = {}
    for keyword, value in schema.items():
        if keyword == "properties":
            out[keyword] = {name: explicit(part) for name, part in value.items()}
        elif keyword in ("items", "additionalProperties") and isinstance(value, dict):
            out[keyword] = explicit(value)
        else:
            out[keyword] = value
    if schema.get("type") == "object":
        out.setdefault("additionalProperties", False)
    return out


def add_defaults(cases, schema, is_valid):
    """Gives some properties a valid default."""
    for part in schema.get("properties", {}).values():
        add_defaults(cases, part, is_valid)
        if cases.chance(0.4):
            value = cases.near(part)
            if is_valid(explicit(part), value):
                part["default"] = value
    for keyword in ("items", "additionalProperties"):
        if isinstance(schema.get(keyword), dict):
            add_defaults(cases, schema[keyword], is_valid)


def filled(schema, value):
    """The result that Normalize must return for a valid value."""
    value = copy.deepcopy(value)
    if schema.get("type") == "object" and isinstance(value, dict):
        properties = schema.get("properties", {})
        for name, part in properties.items():
            if name not in value and "default" in part:
                value[name] = copy.deepcopy(part["default"])
        extra = schema.get("additionalProperties")
        for name in value:
            part = properties.get(name, extra if isinstance(extra, dict) else {})
            value[name] = filled(part, value[name])
    elif schema.get("type") == "array" and isinstance(value, list) and "items" in schema:
        value = [filled(schema["items"], element) for element in value]
    return value


def has_reference(value):
    return "${" in json.dumps(value)


def main():
    judge, venv = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 10000
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 20260101
    try:
        import jsonschema
    except ImportError:
        python = package_venv.interpreter_with(venv, "jsonschema", "jsonschema==4.23.0")
        if python is None:
            print("SKIP: jsonschema cannot be installed from the package index")
            return SKIPPED
        os.execv(python, [str(python), *sys.argv])

    def is_valid(schema, value):
        return jsonschema.Draft202012Validator(schema).is_valid(value)

    cases = Cases(seed)
    requests = []
    while len(requests) < count:
        schema = cases.schema()
        add_defaults(cases, schema, is_valid)
        for _ in range(8):
            requests.append({"schema": schema, "value": cases.near(schema),
                             "final": cases.chance(0.7)})
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    run = subprocess.run([str(judge)], input=lines, capture_output=True, text=True, timeout=200)
    if run.returncode != 0:
        print(f"the judge ended with {run.returncode}: {run.stderr[-500:]}")
        return 1
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    if len(answers) != len(requests):
        print(f"{len(answers)} answers for {len(requests)} requests")
        return 1

    failures, seen = 0, {"valid": 0, "normalized": 0, "references": 0}
    again = []
    for request, answer in zip(requests, answers):
        schema, value = request["schema"], request["value"]
        says, normalized = [], "normalized" in answer
        if "schema_error" in answer:
            says.append("the schema is refused")
        else:
            reference = is_valid(explicit(schema), value)
            seen["valid"] += reference
            seen["normalized"] += normalized
            open_end = not request["final"] and has_reference(value)
            seen["references"] += open_end
            if answer["valid"] != reference:
                says.append(f"jsonschema says {reference}")
            if reference and not normalized:
                says.append("valid, but not normalized")
            if reference and normalized and answer["normalized"] != filled(schema, value):
                says.append(f"expected {json.dumps(filled(schema, value))}")
            if normalized and not open_end:
                if not is_valid(explicit(schema), answer["normalized"]):
                    says.append("normalized to an invalid value")
                again.append((request, answer["normalized"]))
        if says:
            failures += 1
            if failures <= 5:
                print("; ".join(says), json.dumps(request), json.dumps(answer), sep="\n  ")

    lines = "".join(json.dumps({**request, "value": value}) + "\n" for request, value in again)
    run = subprocess.run([str(judge)], input=lines, capture_output=True, text=True, timeout=200)
    for (request, value), line in zip(again, run.stdout.splitlines()):
        if json.loads(line).get("normalized") != value:
            failures += 1
            if failures <= 5:
                print("not stable", json.dumps(request), line, sep="\n  ")

    print(f"seed {seed}: {len(requests)} cases, {seen}, {failures} failures")
    if min(seen.values()) < count // 50:
        print("the cases are too one-sided to mean anything")
        return 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
