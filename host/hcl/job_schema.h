// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace drover {

// The schema by which drover-hcl reads a job file, made from the table of job fields. The decoded
// value is {"Job": {...}}, in which most fields stand as in the JSON of a job. JobOfHcl brings the
// rest into that form. [any thread]
const nlohmann::json& JobHclSchema();

// Beside the fields of the table, a decoded job has these.
namespace job_hcl_keys {
inline constexpr char kJob[] = "Job";
inline constexpr char kJobLabel[] = "Label";  // in the job: the label of its block
inline constexpr char kTasks[] = "Tasks";     // in the job: the tasks outside of groups
inline constexpr char kVault[] = "Vault";     // in the job and its groups: for their tasks
inline constexpr char kSecrets[] = "Secrets";
}  // namespace job_hcl_keys

// An attribute of a constraint or an affinity that names an operator and its value at once, such as
// regexp = "...". In a decoded job it is a field with the name of the operator.
struct OperatorAttribute {
  const char* name;
  bool of_affinities;  // whether affinities have it, too
  bool names_target;   // whether its value is the left one
  bool is_boolean;
};
inline constexpr OperatorAttribute kOperatorAttributes[] = {
    {"distinct_hosts", false, false, true},   {"distinct_property", false, true, false},
    {"regexp", true, false, false},           {"version", true, false, false},
    {"semver", true, false, false},           {"set_contains", true, false, false},
    {"set_contains_all", true, false, false}, {"set_contains_any", true, false, false},
};

}  // namespace drover
