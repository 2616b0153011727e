// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/spec/job_fields.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

using nlohmann::json;
using enum FieldKind;
using enum FieldState;

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
    case kObject:
      return "object";
    case kObjectList:
      return "list of objects";
    case kAny:
      return "any";
  }
  return "";
}

void AppendRows(std::span<const JobField> fields, const std::string& pointer, std::string* out) {
  for (const JobField& field : fields) {
    const std::string here = JsonPointer(pointer, field.name);
    std::string notes = field.note;
    if (*field.no_effect != '\0') {
      if (!notes.empty()) notes += "; ";
      notes += "accepted: ";
      std::string separator;
      for (const json& value : json::parse(field.no_effect)) {
        notes += separator + "`" + value.dump() + "`";
        separator = ", ";
      }
    }
    *out += "| `" + here + "` | " + std::string(KindName(field.kind)) + " | " +
            std::string(StateName(field.state)) + " | " + notes + " |\n";
    AppendRows(field.members, field.kind == kObjectList ? here + "/*" : here, out);
  }
}

}  // namespace

std::string JobFieldsMarkdown() {
  std::string out =
      "# Fields of a job\n\n"
      "Every field of a job's JSON and what this version does with it. The page is generated from\n"
      "the table by which jobs are checked (`host/spec/job_fields.cc`).\n\n"
      "- **done**: read and carried out. The notes name the values, or the default.\n"
      "- **refused**: the job is refused, with the field's JSON pointer, when the value would "
      "have\n"
      "  an effect. `null`, `false`, `0`, `\"\"`, `[]`, `{}` and the values named are accepted.\n"
      "- **warned**: accepted and not carried out; the answer to a registration, a plan or a "
      "check\n"
      "  warns of it, unless the value would have no effect, as above.\n"
      "- **inert**: accepted and without effect on this host.\n\n"
      "`*` stands for each element of a list. Names are case-sensitive, `null` is the same as\n"
      "leaving a field out, and a field that is not listed is a fault. A duration is a whole "
      "number\n"
      "of nanoseconds or a text like `\"1m30s\"`, 100 years at most. The job may stand alone or as "
      "`{\"Job\": "
      "...}`.\n\n"
      "| Field | Type | State | Notes |\n"
      "|---|---|---|---|\n";
  AppendRows(JobFields(), "", &out);
  return out;
}

}  // namespace drover
