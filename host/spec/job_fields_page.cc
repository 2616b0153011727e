// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "host/spec/job_fields.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

using nlohmann::json;
using enum FieldKind;
using enum FieldState;

constexpr char kIntroduction[] = R"(# Fields of a job

Every field of a job, in HCL and in JSON, and what this version does with it. The page is generated
from the table by which jobs are checked (`host/spec/job_fields.cc`).

- **done**: read and carried out. The notes name the values, or the default.
- **refused**: the job is refused, with the field's JSON pointer, when the value would have an
  effect. `null`, `false`, `0`, `""`, `[]`, `{}` and the values named are accepted. The notes say
  which blocks have an effect even if they are empty.
- **warned**: accepted and not carried out; the answer to a registration, a plan or a check warns of
  it, unless the value would have no effect, as above.
- **inert**: accepted and without effect on this host.

A section is a block in HCL and an object in JSON. It begins with the JSON pointers of its places,
where `*` stands for each element of a list or map. A place that is refused or inert is so as a
whole, whatever its fields are.

In HCL, `name {}` is a block, `name "Field" {}` a block whose label is that field, and every other
name an attribute. A block that is a list or a map in JSON may stand several times. A map of texts
is a block or an attribute: `meta { a = "b" }`, `meta = { "a.b" = "c" }`. A port with `static` comes
into `ReservedPorts`. Besides the fields, HCL has:

- `job "NAME"`: the `ID`, and the `Name`, unless the attributes `id` and `name` name others
- `task`, `vault` and `secret` in a job, and `vault` and `secret` in a group: a task of a job becomes
  a group of its own; a `vault` holds for all tasks that have none; a `secret` is added to all tasks
- in a `constraint`: `distinct_hosts`, `distinct_property`, `regexp`, `version`, `semver`,
  `set_contains`, `set_contains_all` and `set_contains_any`, each with the value of its operator; in
  an `affinity` also, but for the first two
- `identity` without a name or with the name `default`: the task's `Identity`, and any other one of
  its `Identities`

In JSON, names are case-sensitive, `null` is the same as leaving a field out, and the job may stand
alone or as `{"Job": ...}`. A field that is not listed is a fault. A duration is a whole number of
nanoseconds or a text like `"1m30s"`, 100 years at most.
)";

std::string_view StateName(FieldState state) {
  switch (state) {
    case kDone:
      return "done";
    case kRefused:
      return "refused";
    case kWarned:
      return "warned";
    case kInert:
      break;
  }
  return "inert";
}

std::string_view KindName(FieldKind kind) {
  switch (kind) {
    case kText:
      return "text";
    case kInteger:
      return "integer";
    case kBoolean:
      return "boolean";
    case kDuration:
      return "duration";
    case kTextMap:
      return "map of texts";
    case kTextList:
      return "list of texts";
    case kTextListMap:
      return "map of lists of texts";
    case kIntegerList:
      return "list of integers";
    case kBody:
      return "any object";
    case kObject:
      return "object";
    case kObjectList:
      return "list of objects";
    case kObjectMap:
      return "map of objects";
    case kAny:
      return "any";
  }
  return "";
}

bool IsBlock(FieldKind kind) {
  return kind == kTextMap || kind == kTextListMap || kind == kBody || kind == kObject ||
         kind == kObjectList || kind == kObjectMap;
}

std::string HclForm(const JobField& field) {
  if (field.IsLabel()) return "label";
  if (!field.HasHcl()) return "";
  std::string form = field.hcl;
  if (IsBlock(field.kind)) {
    for (const JobField& member : field.members) {
      if (member.IsLabel()) form += std::string(" \"") + member.name + "\"";
    }
    form += " {}";
  }
  return "`" + form + "`";
}

std::string Notes(const JobField& field) {
  std::string notes = field.note;
  if (field.even_empty) notes += std::string(notes.empty() ? "" : "; ") + "even if it is empty";
  if (*field.no_effect == '\0') return notes;
  if (!notes.empty()) notes += "; ";
  notes += "accepted: ";
  std::string separator;
  for (const json& value : json::parse(field.no_effect)) {
    notes += separator + "`" + value.dump() + "`";
    separator = ", ";
  }
  return notes;
}

// A place in a job where a block with FIELDS stands.
struct Place {
  std::span<const JobField> fields;
  std::string title;
  std::string pointer;
  FieldState state;  // if refused or inert, of the whole block
};

// Returns the place of the block FIELD in the block at OUTER.
Place Within(const Place& outer, const JobField& field) {
  const std::string name = field.HasHcl() ? field.hcl : field.name;
  const std::string here = JsonPointer(outer.pointer, field.name);
  const bool whole = outer.state == kRefused || outer.state == kInert;
  return {field.members, outer.title == "job" ? name : outer.title + " › " + name,
          field.kind == kObject ? here : here + "/*", whole ? outer.state : field.state};
}

// Returns the places of all blocks, the outer ones first.
std::vector<Place> AllPlaces() {
  std::vector<Place> places = {{JobFields(), "job", "", kDone}};
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Place outer = places[i];
    for (const JobField& field : outer.fields) {
      if (!field.members.empty()) places.push_back(Within(outer, field));
    }
  }
  return places;
}

void AppendPlaces(const std::vector<Place>& all, const Place& first, std::string* out) {
  std::string separator = "Places: ";
  for (const Place& place : all) {
    if (place.fields.data() != first.fields.data()) continue;
    *out += separator + "`" + place.pointer + "` (" + std::string(StateName(place.state)) + ")";
    separator = ", ";
  }
  *out += "\n\n";
}

void AppendTable(std::span<const JobField> fields, std::string* out) {
  *out += "| HCL | JSON | Type | State | Notes |\n|---|---|---|---|---|\n";
  for (const JobField& field : fields) {
    *out += "| " + HclForm(field) + " | `" + field.name + "` | " +
            std::string(KindName(field.kind)) + " | " + std::string(StateName(field.state)) +
            " | " + Notes(field) + " |\n";
  }
}

}  // namespace

std::string JobFieldsMarkdown() {
  const std::vector<Place> places = AllPlaces();
  std::set<const JobField*> seen;
  std::string out = kIntroduction;
  for (const Place& place : places) {
    if (!seen.insert(place.fields.data()).second) continue;
    out += "\n## " + place.title + "\n\n";
    if (!place.pointer.empty()) AppendPlaces(places, place, &out);
    AppendTable(place.fields, &out);
  }
  return out;
}

}  // namespace drover
