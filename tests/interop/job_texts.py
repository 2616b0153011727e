# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Makes texts of jobs in HCL by chance, with the JSON that they stand for. The grammar is the table of job
fields, as docs/job-fields.md has it."""
import json
import random
import re

OPERATORS = ("regexp", "version", "semver", "set_contains", "set_contains_all", "set_contains_any")
# What another text than any would be a fault of.
NARROW = {"Percent": 100, "Weight": 100, "OutboundPort": 65535, "Port": 65535, "Count": 99,
          "LocalBindPort": 65535, "LocalPathPort": 65535, "LocalServicePort": 65535}
# The client's structs no longer have these.
GONE = {"ConsulToken", "VaultToken"}


class Field:
    def __init__(self, hcl, name, kind):
        self.name, self.kind = name, kind
        self.is_label = hcl == "label"  # of the block
        self.hcl = re.sub(r'[ {}]|".*"', "", hcl.strip("`"))
        self.is_block = hcl.endswith("{}`")


def read_page(page):
    """The fields of the block at each place."""
    blocks = {}
    places, fields = [""], []
    for line in page.splitlines():
        if line.startswith("## "):
            places, fields = [""], []
        if line.startswith("Places: "):
            places = re.findall(r"`(/[^`]*)`", line)
        row = re.match(r"\| (`[^`]*`|label|) ?\| `(\w+)` \| ([^|]*) \|", line)
        if row:
            if row[1] and row[2] not in GONE:
                fields.append(Field(row[1], row[2], row[3]))
            for place in places:
                blocks[place] = fields
    return blocks


class Maker:
    def __init__(self, page, seed):
        self.blocks = read_page(page)
        self.chance = random.Random(seed)
        self.count = 0

    def job(self):
        """A text and its JSON."""
        lines, made = [], {}
        name = self.word()
        self.body("", made, lines, "  ")
        if self.chance.random() < 0.2:  # a task of the job is a group
            task = {"Name": self.word()}
            lines.append(f'  task "{task["Name"]}" {{')
            self.body("/TaskGroups/*/Tasks/*", task, lines, "    ")
            lines.append("  }")
            made["TaskGroups"] = [{"Name": task["Name"], "Tasks": [task]}] + made.get("TaskGroups", [])
        made.setdefault("ID", name)
        made.setdefault("Name", name)
        return "\n".join([f'job "{name}" {{', *lines, "}", ""]), made

    def word(self):
        self.count += 1
        return f"w{self.count}"

    def number(self, name):
        self.count += 1
        return self.count % NARROW.get(name, 10**6)

    def body(self, place, made, lines, indent):
        fields = [f for f in self.blocks[place] if not f.is_label]
        share = 1 if place in ("", "/TaskGroups/*") else 3
        most = min(len(fields), max(1, len(fields) // share))
        chosen = self.chance.sample(fields, self.chance.randint(0, most))
        # Less and less the further inside.
        depth = place.count("/")
        for field in chosen:
            if not field.is_block:
                self.attribute(field, made, lines, indent)
            elif self.chance.random() < 3 / (3 + depth):
                self.block(field, place, made, lines, indent)

    def attribute(self, field, made, lines, indent):
        text, value = self.value(field)
        made[field.name] = value
        lines.append(f"{indent}{field.hcl} = {text}")

    def value(self, field):
        """An expression and its value in JSON."""
        if field.kind == "boolean":
            value = self.chance.random() < 0.5
            return self.chance.choice([json.dumps(value), f'"{json.dumps(value)}"']), value
        if field.kind == "integer":
            value = self.number(field.name)
            return self.chance.choice([str(value), f'"{value}"', f"{value} + 0"]), value
        if field.kind == "duration":
            seconds = self.number("")
            return self.chance.choice([(f'"{seconds}s"', seconds * 10**9), (str(seconds), seconds),
                                       (f'"{seconds}m30s"', (seconds * 60 + 30) * 10**9)])
        if field.kind == "list of texts":
            values = [self.text() for _ in range(self.chance.randint(0, 3))]
            return "[" + ", ".join(t for t, _ in values) + "]", [v for _, v in values]
        if field.kind == "list of integers":
            values = [self.number("Port") for _ in range(self.chance.randint(0, 3))]
            return json.dumps(values), values
        assert field.kind == "text", field.kind
        return self.text()

    def text(self):
        word = self.word()
        return self.chance.choice([
            (f'"{word}"', word), (f'upper("{word}")', word.upper()),
            (f'"{word} ${{NOMAD_X}} ${{env["A"]}}"', f'{word} ${{NOMAD_X}} ${{env["A"]}}'),
            (f'"$${{{word}}}"', f"${{{word}}}"), (f'"\\"{word}\\"\\n\\u00fc"', f'"{word}"\nü'),
            (f"<<EOT\n  {word}\n    x\nEOT\n", f"  {word}\n    x\n"),
            (f'join("-", ["{word}", "x"])', f"{word}-x"), (f'true ? "{word}" : "b"', word)])

    def block(self, field, place, made, lines, indent):
        many = field.kind in ("list of objects", "map of objects")
        place = f"{place}/{field.name}" + ("/*" if many else "")
        if place not in self.blocks:
            self.open(field, made, lines, indent)
            return
        labels = [f.name for f in self.blocks[place] if f.is_label]
        for _ in range(self.chance.randint(1, 2) if many else 1):
            inner = {name: self.word() for name in labels}
            if field.name == "ScalingPolicies":
                inner["Type"] = ("cpu", "mem")[len(made.get(field.name, []))]
            words = "".join(f' "{inner[name]}"' for name in labels)
            lines.append(f"{indent}{field.hcl}{words} {{")
            self.body(place, inner, lines, indent + "  ")
            if field.name in ("Constraints", "Affinities"):
                self.operator(field.name, inner, lines, indent + "  ")
            lines.append(f"{indent}}}")
            if not many:
                made[field.name] = inner
            elif field.kind == "map of objects":
                made.setdefault(field.name, {})[inner["Name"]] = inner
            else:
                made.setdefault(field.name, []).append(inner)

    def operator(self, of, made, lines, indent):
        """An attribute for the operator and the value at once."""
        if "Operand" not in made and "RTarget" not in made and self.chance.random() < 0.5:
            text, value = self.text()
            operator = self.chance.choice(OPERATORS)
            lines.append(f"{indent}{operator} = {text}")
            made.update(Operand=operator, RTarget=value)
        elif not {"Operand", "RTarget"} & made.keys() and of == "Constraints":
            lines.append(f"{indent}distinct_hosts = true")
            made.update(Operand="distinct_hosts", RTarget="true")
        made.setdefault("Operand", "=")

    def open(self, field, made, lines, indent):
        """A body with attributes of any name."""
        most = 0 if field.name == "Mesh" else 3  # which the client knows as a block without fields
        values = {self.word(): self.open_value(field.kind) for _ in range(self.chance.randint(0, most))}
        made[field.name] = {name: value for name, (_, value) in values.items()}
        if field.kind == "map of texts" and self.chance.random() < 0.3 and field.name in ("Meta", "Env"):
            inner = ", ".join(f'"{name}" = {text}' for name, (text, _) in values.items()
                              if not text.startswith("<<"))
            made[field.name] = {name: value for name, (text, value) in values.items()
                                if not text.startswith("<<")}
            lines.append(f"{indent}{field.hcl} = {{ {inner} }}")
            return
        lines.append(f"{indent}{field.hcl} {{")
        lines.extend(f"{indent}  {name} = {text}" for name, (text, _) in values.items())
        lines.append(f"{indent}}}")

    def open_value(self, kind):
        if kind == "map of lists of texts":
            text, value = self.text()
            return (f"[{text}]", [value]) if not text.startswith("<<") else ('["a"]', ["a"])
        if kind == "any object":
            word = self.word()
            return self.chance.choice([
                self.text(), ("7", 7), ("1.5", 1.5), ("true", True), (f'["{word}", 2]', [word, 2]),
                (f'{{ a = "{word}" }}', [{"a": word}])])
        return self.text()


def normal(job):
    """JOB in the form of the API: MADE has the fields where they stand in the text."""
    for group in job.get("TaskGroups", []):
        scaling = group.get("Scaling")
        if scaling is not None:
            scaling.setdefault("Type", "horizontal")
        for network in networks_of(group):
            ports = network.pop("DynamicPorts", [])
            reserved = [p for p in ports if p.get("Value", 0) > 0]
            if reserved:
                network["ReservedPorts"] = network.get("ReservedPorts", []) + reserved
            if len(reserved) < len(ports):
                network["DynamicPorts"] = [p for p in ports if p not in reserved]
        for task in group.get("Tasks", []):
            for policy in task.get("ScalingPolicies", []):
                policy["Type"] = "vertical_" + policy["Type"]
            unnamed = [i for i in task.get("Identities", []) if i.get("Name", "default") == "default"]
            if unnamed:
                task["Identity"] = unnamed[0]
                task["Identities"].remove(unnamed[0])
    return job


def networks_of(group):
    yield from group.get("Networks", [])
    tasks = list(group.get("Tasks", []))
    services = group.get("Services", []) + [s for t in tasks for s in t.get("Services", [])]
    tasks += [s["Connect"]["SidecarTask"] for s in services
              if "SidecarTask" in s.get("Connect", {})]
    for task in tasks:
        yield from task.get("Resources", {}).get("Networks", [])


def missing(wanted, got, pointer=""):
    """The pointers of what WANTED has, and GOT has not or has otherwise."""
    if isinstance(wanted, dict):
        if not isinstance(got, dict):
            return [] if not wanted and got is None else [pointer]
        return [p for key, value in wanted.items()
                for p in missing(value, got.get(key), f"{pointer}/{key}")]
    if isinstance(wanted, list):
        if len(wanted) != len(got or []):
            return [pointer]
        return [p for i, value in enumerate(wanted) for p in missing(value, got[i], f"{pointer}/{i}")]
    return [] if wanted == got else [f"{pointer}: {wanted!r} became {got!r}"]
