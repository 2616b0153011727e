// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

#include "host/base/time.h"
#include "host/spec/job_fields.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

using nlohmann::json;
using enum FieldKind;
using enum FieldState;

bool IsZero(const json& value) {
  switch (value.type()) {
    case json::value_t::null:
      return true;
    case json::value_t::boolean:
      return !value.get<bool>();
    case json::value_t::string:
      return value.get_ref<const std::string&>().empty();
    case json::value_t::array:
      return value.empty();
    case json::value_t::object:
      return std::all_of(value.begin(), value.end(), IsZero);
    default:
      return value.is_number() && value.get<double>() == 0;
  }
}

bool HasNoEffect(const JobField& field, const json& value);

// Returns whether no member of OBJECT has an effect.
bool HaveNoEffect(std::span<const JobField> fields, const json& object) {
  const auto items = object.items();
  return std::all_of(items.begin(), items.end(), [fields](const auto& item) {
    const auto field = std::ranges::find(fields, std::string_view(item.key()), &JobField::name);
    return field == fields.end() ? IsZero(item.value()) : HasNoEffect(*field, item.value());
  });
}

bool HasNoEffect(const JobField& field, const json& value) {
  if (value.is_object() && field.even_empty) return false;
  if (field.kind == kObject && value.is_object()) return HaveNoEffect(field.members, value);
  if (IsZero(value)) return true;
  Duration duration{};
  const bool is_duration = field.kind == kDuration && ReadJsonDuration(value, &duration);
  if (is_duration && duration == 0s) return true;
  if (*field.no_effect == '\0') return false;
  for (const json& harmless : json::parse(field.no_effect)) {
    Duration other{};
    if (harmless == value) return true;
    if (is_duration && ReadJsonDuration(harmless, &other) && duration == other) return true;
  }
  return false;
}

std::string TypeOf(const json& value) {
  return value.is_array()    ? "a list"
         : value.is_object() ? "an object"
         : value.is_string() ? "the text " + Quoted(value.get_ref<const std::string&>())
                             : value.dump();
}

std::string ExpectedType(FieldKind kind) {
  switch (kind) {
    case kText:
      return "a text";
    case kInteger:
      return "a whole number from -2147483648 to 2147483647";
    case kBoolean:
      return "true or false";
    case kDuration:
      return "a duration: a whole number of nanoseconds, or a text like \"1m30s\"";
    case kTextMap:
      return "an object with texts as values";
    case kTextList:
      return "a list of texts";
    case kTextListMap:
      return "an object with lists of texts as values";
    case kIntegerList:
      return "a list of whole numbers";
    case kBody:
    case kObject:
      return "an object";
    case kObjectMap:
      return "an object with objects as values";
    case kObjectList:
      return "a list of objects";
    case kAny:
      break;
  }
  return "a value";
}

bool FitsInteger(const json& value) {
  if (value.is_number_unsigned()) {
    return value.get<std::uint64_t>() <= std::uint64_t{std::numeric_limits<std::int32_t>::max()};
  }
  return value.is_number_integer() &&
         value.get<std::int64_t>() >= std::numeric_limits<std::int32_t>::min() &&
         value.get<std::int64_t>() <= std::numeric_limits<std::int32_t>::max();
}

bool HasKind(FieldKind kind, const json& value) {
  Duration unused{};
  switch (kind) {
    case kText:
      return value.is_string();
    case kInteger:
      return FitsInteger(value);
    case kBoolean:
      return value.is_boolean();
    case kDuration:
      return ReadJsonDuration(value, &unused);
    case kTextMap:
    case kTextListMap:
    case kBody:
    case kObject:
    case kObjectMap:
      return value.is_object();
    case kTextList:
    case kIntegerList:
    case kObjectList:
      return value.is_array();
    case kAny:
      return true;
  }
  return false;
}

// Checks that each value of OBJECT is a list of texts.
void CheckTextLists(const json& object, const std::string& pointer, JobFaults* faults) {
  for (const auto& [key, list] : object.items()) {
    const std::string here = JsonPointer(pointer, key);
    if (!list.is_array()) {
      faults->Add(here, "must be " + ExpectedType(kTextList) + ", but is " + TypeOf(list));
      continue;
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i].is_string()) continue;
      faults->Add(JsonPointer(here, i), "must be a text, but is " + TypeOf(list[i]));
    }
  }
}

// The lists for the findings in a job.
struct Findings {
  JobFaults* faults;
  JobFaults* warnings;  // null if the caller wants no warnings
};

// Returns why FIELD is refused and, if the table says so, what to do instead.
std::string RefusalOf(const JobField& field) {
  const std::string why = "is not supported by this version";
  return *field.note == '\0' ? why : why + ": " + field.note;
}

void CheckMembers(const json& object, std::span<const JobField> fields, const std::string& pointer,
                  const Findings& found);

void CheckValue(const JobField& field, const json& value, const std::string& pointer,
                const Findings& found) {
  JobFaults* const faults = found.faults;
  if (value.is_null() || field.state == kInert) return;
  if (field.state == kRefused) {
    if (!HasNoEffect(field, value)) faults->Add(pointer, RefusalOf(field));
    return;
  }
  if (!HasKind(field.kind, value)) {
    faults->Add(pointer, "must be " + ExpectedType(field.kind) + ", but is " + TypeOf(value));
    return;
  }
  // Only the fields of an object give warnings, not the object itself.
  if (field.state == kWarned && found.warnings != nullptr && field.kind != kObject &&
      !HasNoEffect(field, value)) {
    found.warnings->Add(pointer, std::string("is not carried out by this version: ") + field.note);
  }
  if (field.kind == kObject) CheckMembers(value, field.members, pointer, found);
  if (field.kind == kTextMap) {
    for (const auto& [key, text] : value.items()) {
      if (!text.is_string()) {
        faults->Add(JsonPointer(pointer, key), "must be a text, but is " + TypeOf(text));
      }
    }
  }
  if (field.kind == kTextListMap) CheckTextLists(value, pointer, faults);
  if (field.kind == kObjectMap) {
    for (const auto& [key, item] : value.items()) {
      const std::string here = JsonPointer(pointer, key);
      if (item.is_object()) {
        CheckMembers(item, field.members, here, found);
      } else {
        faults->Add(here, "must be an object, but is " + TypeOf(item));
      }
    }
  }
  if (field.kind == kTextList || field.kind == kObjectList) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      const std::string item = JsonPointer(pointer, i);
      const FieldKind kind = field.kind == kTextList ? kText : kObject;
      if (!HasKind(kind, value[i])) {
        faults->Add(item, "must be " + ExpectedType(kind) + ", but is " + TypeOf(value[i]));
      } else if (kind == kObject) {
        CheckMembers(value[i], field.members, item, found);
      }
    }
  }
}

bool EqualIgnoringCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return (x >= 'A' && x <= 'Z' ? x + 32 : x) == (y >= 'A' && y <= 'Z' ? y + 32 : y);
  });
}

void CheckMembers(const json& object, std::span<const JobField> fields, const std::string& pointer,
                  const Findings& found) {
  for (const auto& [key, value] : object.items()) {
    const std::string_view name = key;
    const auto named = [name](const JobField& field) { return name == field.name; };
    const auto field = std::find_if(fields.begin(), fields.end(), named);
    if (field != fields.end()) {
      CheckValue(*field, value, JsonPointer(pointer, key), found);
      continue;
    }
    const auto alike = [name](const JobField& f) { return EqualIgnoringCase(name, f.name); };
    const auto meant = std::find_if(fields.begin(), fields.end(), alike);
    found.faults->Add(JsonPointer(pointer, key), meant == fields.end()
                                                     ? std::string("there is no such field")
                                                     : "there is no such field; did you mean \"" +
                                                           std::string(meant->name) + "\"?");
  }
}

}  // namespace

void CheckJobFields(const json& job, const std::string& pointer, JobFaults* faults,
                    JobFaults* warnings) {
  CheckMembers(job, JobFields(), pointer, {faults, warnings});
}

bool ReadJsonDuration(const json& value, Duration* duration) {
  if (value.is_number_unsigned()) {
    const auto count = value.get<std::uint64_t>();
    if (count > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) return false;
    *duration = Duration(static_cast<std::int64_t>(count));
    return true;
  }
  if (value.is_number_integer()) {
    *duration = Duration(value.get<std::int64_t>());
    return true;
  }
  if (!value.is_string()) return false;
  const auto parsed = ParseDuration(value.get_ref<const std::string&>());
  if (parsed.ok()) *duration = *parsed;
  return parsed.ok();
}

}  // namespace drover
