// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

#include "host/base/time.h"
#include "host/spec/job_faults.h"

// Every field of a job, in JSON and in HCL, and its state in this version. The reader checks jobs
// by this table, job files in HCL are decoded by it, and the documentation is generated from it. So
// these cannot differ.
namespace drover {

enum class FieldKind {
  kText,
  kInteger,  // a whole number within 32 bits
  kBoolean,
  kDuration,  // nanoseconds, or text like "1m30s"
  kTextMap,   // an object whose values are texts
  kTextList,
  kTextListMap,  // an object whose values are lists of texts
  kIntegerList,
  kBody,        // an object with members of any name and kind
  kObject,      // one object with MEMBERS
  kObjectList,  // a list of objects with MEMBERS
  kObjectMap,   // an object whose values are objects with MEMBERS; the key is also their Name
  kAny,
};

enum class FieldState {
  kDone,     // read and carried out
  kRefused,  // gives a fault, unless the value has no effect
  kWarned,   // accepted, but only gives a warning, unless the value has no effect
  kInert,    // accepted with any value, and without effect on this host
};

// As the name in HCL: the field is the label of the block to which it belongs.
inline constexpr char kLabel[] = "(label)";
// As the name in HCL: a job file in HCL cannot have the field.
inline constexpr char kNoHcl[] = "";
// As the last value of a field: see even_empty.
inline constexpr bool kEvenEmpty = true;

struct JobField {
  const char* name;  // in JSON
  const char* hcl;   // the name of the attribute or block, or kLabel, or kNoHcl
  FieldKind kind;
  FieldState state;
  // If the field itself is refused or inert, so are all its members, whatever their states are.
  std::span<const JobField> members = {};
  // For a refused or warned field, a JSON list of values that have no effect. Null, false, 0, "",
  // [], {} and objects that contain only such values have no effect and are not listed, except that
  // an object with even_empty always has one. If the field is a text, the first value of the list
  // is its default.
  const char* no_effect = "";
  // For the documentation. Of a warned field: why it is not carried out. Of a refused field: what
  // to do instead. The warning or the fault says it, too.
  const char* note = "";
  // The object has an effect as soon as it is there: {} is not the same as leaving it out. A task
  // with an empty "vault" wants a token, for example.
  bool even_empty = false;

  bool HasHcl() const { return *hcl != '\0'; }
  bool IsLabel() const { return hcl == std::string_view(kLabel); }
};

// The fields of the job itself; all deeper fields are members of these.
std::span<const JobField> JobFields();

// Returns whether NAME is a field of the job itself that the server fills in. A client that reads
// a job and sends it back includes this field, but its value has no meaning then.
bool IsServerField(std::string_view name);

// Checks the names, types and states of all fields in JOB (an object) and below. WARNINGS, if not
// null, receives the fields that are accepted but not carried out.
void CheckJobFields(const nlohmann::json& job, const std::string& pointer, JobFaults* faults,
                    JobFaults* warnings = nullptr);

// Returns the table of the fields as Markdown, for docs/job-fields.md.
std::string JobFieldsMarkdown();

// Reads a duration from JSON: a whole number of nanoseconds, or a text like "1m30s". Returns false
// if VALUE is neither.
bool ReadJsonDuration(const nlohmann::json& value, Duration* duration);

}  // namespace drover
