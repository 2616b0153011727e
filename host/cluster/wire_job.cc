// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cluster/wire_job.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/base64.h"
#include "host/cluster/snappy_block.h"
#include "host/spec/job_fields.h"
#include "host/spec/job_json.h"
#include "host/spec/strict_json.h"

// Servers name the fields of a job as in JSON, but write all of them, also those without a value.
// Numbers in a task's configuration are floating, and the payload is compressed.
namespace drover {
namespace {

using nlohmann::json;

// What only servers carry out or know, wherever it stands in a job.
constexpr std::string_view kServersPart[] = {"AllAtOnce",
                                             "Affinities",
                                             "Constraints",
                                             "ConsulNamespace",
                                             "ConsulToken",
                                             "CreateIndex",
                                             "JobModifyIndex",
                                             "ModifyIndex",
                                             "Multiregion",
                                             "NomadTokenID",
                                             "Periodic",
                                             "Priority",
                                             "Reschedule",
                                             "ReschedulePolicy",
                                             "Scaling",
                                             "ScalingPolicies",
                                             "Spreads",
                                             "Stable",
                                             "Status",
                                             "StatusDescription",
                                             "Stop",
                                             "SubmitTime",
                                             "UI",
                                             "VaultNamespace",
                                             "VaultToken",
                                             "Version",
                                             "VersionTag"};

constexpr std::size_t kMostPayload = std::size_t{1} << 20;
constexpr double kExactWhole = 0x1p53;  // up to here a double holds each whole number

bool IsServersPart(std::string_view name) {
  return std::ranges::find(kServersPart, name) != std::end(kServersPart);
}

// Returns whether VALUE is what Go has where nothing is set.
bool IsUnset(const json& value) {
  if (value.is_structured()) return std::all_of(value.begin(), value.end(), IsUnset);
  if (value.is_string()) return value.get_ref<const std::string&>().empty();
  if (value.is_boolean()) return !value.get<bool>();
  return value.is_null() || (value.is_number() && value.get<double>() == 0);
}

// Makes whole numbers of the floating ones that are whole, as the author of the job has written
// them. The reader of msgpack has bounded the depth.
void MakeWhole(json* value) {
  if (value->is_structured()) {
    for (json& member : *value) MakeWhole(&member);
  } else if (value->is_number_float()) {
    const double number = value->get<double>();
    if (std::trunc(number) == number && std::abs(number) <= kExactWhole) {
      *value = static_cast<std::int64_t>(number);
    }
  }
}

// Leaves out of OBJECT, whose fields are FIELDS, what has no meaning here. An unknown field stays
// if it is set: the reader of jobs then refuses it by its name.
void KeepNodesPart(std::span<const JobField> fields, json* object) {
  for (auto member = object->begin(); member != object->end();) {
    const auto field = std::ranges::find(fields, std::string_view(member.key()), &JobField::name);
    const bool known = field != fields.end();
    if (IsServersPart(member.key()) || (!known && IsUnset(*member)) ||
        (member.key() == "Namespace" && !known)) {
      member = object->erase(member);
      continue;
    }
    json& value = *member;
    ++member;
    if (!known) continue;
    if (field->kind == FieldKind::kBody) MakeWhole(&value);
    if (field->kind == FieldKind::kObject && value.is_object()) {
      KeepNodesPart(field->members, &value);
    }
    const bool many = field->kind == FieldKind::kObjectList || field->kind == FieldKind::kObjectMap;
    if (!many || !value.is_structured()) continue;
    for (json& one : value) {
      if (one.is_object()) KeepNodesPart(field->members, &one);
    }
  }
}

Error JobRefusal(const std::string& why) { return Error(Code::kUnimplemented, why); }

// Leaves only the group NAME in JOB. Returns its index, or nothing if there is no such group.
std::optional<std::size_t> KeepGroup(const std::string& name, json* job) {
  const auto groups = job->find("TaskGroups");
  if (groups == job->end() || !groups->is_array()) return std::nullopt;
  for (std::size_t i = 0; i < groups->size(); ++i) {
    json& group = (*groups)[i];
    const auto found = group.find("Name");
    if (found == group.end() || !found->is_string()) continue;
    if (found->get_ref<const std::string&>() != name) continue;
    json one = std::move(group);
    *groups = json::array();
    groups->push_back(std::move(one));
    return i;
  }
  return std::nullopt;
}

// Writes the payload as JSON has it.
Status ReadPayload(json* job) {
  const auto payload = job->find("Payload");
  if (payload == job->end()) return {};
  if (payload->is_null() ||
      (payload->is_string() && payload->get_ref<const std::string&>().empty())) {
    job->erase(payload);
    return {};
  }
  if (!payload->is_string()) return JobRefusal("/Payload: must be bytes");
  const auto text = ReadSnappyBlock(payload->get_ref<const std::string&>(), kMostPayload);
  if (!text) return JobRefusal("/Payload: is damaged, or has more than 1 MiB");
  *payload = Base64(*text);
  return {};
}

// Returns all FAULTS as one text. The only group of the read job has the index INDEX in the whole.
std::string FaultText(const std::vector<JobFault>& faults, std::size_t index) {
  constexpr std::string_view kOnlyGroup = "/TaskGroups/0";
  std::string text;
  for (const JobFault& fault : faults) {
    std::string pointer = fault.pointer;
    if (pointer.starts_with(kOnlyGroup)) {
      pointer = "/TaskGroups/" + std::to_string(index) + pointer.substr(kOnlyGroup.size());
    }
    if (!text.empty()) text += "; ";
    text += pointer + ": " + fault.message;
  }
  return text;
}

}  // namespace

Result<Job> ReadWireJob(const json& job, const std::string& group) {
  if (!job.is_object()) return JobRefusal("the allocation has no job");
  json own = job;
  const auto index = KeepGroup(group, &own);
  if (!index) return JobRefusal("the job has no group " + Quoted(group));
  DROVER_TRY(ReadPayload(&own));
  KeepNodesPart(JobFields(), &own);
  std::vector<JobFault> faults;
  Result<Job> read = ParseJob(JsonText(own), &faults);
  if (read.ok()) return read;
  return JobRefusal(FaultText(faults, *index));
}

}  // namespace drover
