// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/volume/volume_draft.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "host/spec/job_members.h"
#include "host/spec/job_place.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr char kPlace[] = "/Volume";
constexpr std::size_t kMostName = 128;
constexpr std::size_t kMostPath = 4096;

bool IsPluginName(const std::string& name) {
  return !name.empty() && name.size() <= kMostName && name[0] != '.' &&
         job_checks::IsPlain(name, "-_.");
}

// Reads a number of bytes that is not negative.
void ReadBytes(const JobMembers& in, const char* name, std::int64_t* out) {
  const json* const value = in.Find(name);
  if (value == nullptr) return;
  const bool fits = value->is_number_integer() &&
                    (!value->is_number_unsigned() ||
                     value->get<std::uint64_t>() <= static_cast<std::uint64_t>(INT64_MAX)) &&
                    value->get<std::int64_t>() >= 0;
  if (fits) {
    *out = value->get<std::int64_t>();
  } else {
    in.Fault(name, "must be a number of bytes, 0 or more");
  }
}

// Reads a text, and reports a value of another kind.
void ReadText(const JobMembers& in, const char* name, std::string* out) {
  const json* const value = in.Find(name);
  if (value != nullptr && !value->is_string()) in.Fault(name, "must be a text");
  in.Read(name, out);
}

void ReadCapability(const JobMembers& in, VolumeCapability* capability) {
  capability->attachment_mode = kFileSystem;
  ReadText(in, "AccessMode", &capability->access_mode);
  ReadText(in, "AttachmentMode", &capability->attachment_mode);
  if (std::ranges::find(access_mode::kAll, capability->access_mode) == access_mode::kAll.end()) {
    in.Fault("AccessMode", Quoted(capability->access_mode) +
                               " is not known; write single-node-writer, "
                               "single-node-reader-only, single-node-single-writer or "
                               "single-node-multi-writer");
  }
  if (capability->attachment_mode != kFileSystem) {
    in.Fault("AttachmentMode", Quoted(capability->attachment_mode) +
                                   " is not supported by this version; \"file-system\" is");
  }
}

void ReadCapabilities(const JobMembers& in, VolumeRecord* record) {
  in.ReadList("RequestedCapabilities", &record->capabilities, ReadCapability, kMostCapabilities);
  if (record->capabilities.size() > kMostCapabilities) {
    in.Fault("RequestedCapabilities",
             "has more than " + std::to_string(kMostCapabilities) + " elements");
  }
  if (record->capabilities.empty()) {
    in.Fault("RequestedCapabilities",
             "is missing; a volume needs a capability, such as {\"AccessMode\": "
             "\"single-node-writer\", \"AttachmentMode\": \"file-system\"}");
  }
}

void ReadConstraint(const JobMembers& in, Constraint* constraint) {
  ReadText(in, "LTarget", &constraint->left);
  ReadText(in, "RTarget", &constraint->right);
  std::string operand;
  ReadText(in, "Operand", &operand);
  if (!operand.empty()) constraint->operand = operand;
  if (constraint->left.empty()) in.Fault("LTarget", "is missing");
}

void ReadParameters(const JobMembers& in, StringMap* parameters) {
  const json* const value = in.Find("Parameters");
  if (value == nullptr) return;
  const bool texts =
      value->is_object() &&
      std::all_of(value->begin(), value->end(), [](const json& one) { return one.is_string(); });
  if (!texts) return in.Fault("Parameters", "must be an object with texts as values");
  in.Read("Parameters", parameters);
  std::size_t bytes = 0;
  for (const auto& [key, text] : *parameters) bytes += key.size() + text.size();
  if (bytes > kMostParameterBytes) {
    in.Fault("Parameters", "has more than " + std::to_string(kMostParameterBytes) + " bytes");
  }
}

void ReadPlugin(const JobMembers& in, VolumeRecord* record) {
  record->plugin_id = "mkdir";
  std::string plugin;
  ReadText(in, "PluginID", &plugin);
  if (!plugin.empty()) record->plugin_id = plugin;
  if (!IsPluginName(record->plugin_id)) {
    in.Fault("PluginID", Quoted(record->plugin_id) + " is not the name of a plugin");
  }
  if (in.Find("HostPath") != nullptr && *in.Find("HostPath") != "") {
    in.Fault("HostPath", "is for a volume that is registered; a plugin chooses the path");
  }
}

void ReadHostPath(const JobMembers& in, VolumeRecord* record) {
  ReadText(in, "HostPath", &record->host_path);
  const std::string& path = record->host_path;
  if (path.empty()) {
    in.Fault("HostPath", "is missing; write the path of the volume on the machine");
  } else if (!IsVolumePath(path)) {
    in.Fault("HostPath", "must be an absolute path of at most " + std::to_string(kMostPath) +
                             " bytes, without control characters");
  }
  ReadBytes(in, "CapacityBytes", &record->capacity_bytes);
}

}  // namespace

bool IsVolumePath(const std::string& path) {
  return path.starts_with('/') && path.size() <= kMostPath && !job_checks::HasControl(path);
}

Status CheckVolumeName(const std::string& name) {
  if (!name.empty() && name.size() <= kMostName && job_checks::IsPlain(name, "-_.[]")) return {};
  return Error(Code::kInvalidArgument,
               Quoted(name) + " is not the name of a volume: 1 to 128 letters, digits and -_.[]");
}

Result<VolumeRecord> ReadVolumeDraft(const json& object, VolumeRequestKind kind) {
  if (!object.is_object()) {
    return Error(Code::kInvalidArgument, "/Volume: is missing, or is no object");
  }
  JobFaults faults;
  const JobMembers in(object, kPlace, &faults);
  VolumeRecord record;
  ReadText(in, "ID", &record.id);
  if (!record.id.empty() && !IsVolumeId(record.id)) {
    in.Fault("ID", Quoted(record.id) + " is not the id of a volume; leave it out for a new one");
  }
  std::string name_space;
  ReadText(in, "Namespace", &name_space);
  if (!name_space.empty()) record.name_space = name_space;
  if (record.name_space != "*" &&  // a client gets another answer
      (record.name_space.size() > kMostName || !job_checks::IsPlain(record.name_space, "-"))) {
    in.Fault("Namespace",
             Quoted(record.name_space.substr(0, kMostName)) +
                 " is not the name of a namespace: at most 128 letters, digits and \"-\"");
  }
  ReadText(in, "Name", &record.name);
  if (const Status name = CheckVolumeName(record.name); !name.ok()) {
    in.Fault("Name", name.error().message());
  }
  ReadText(in, "NodeID", &record.node_id);
  ReadText(in, "NodePool", &record.node_pool);
  ReadBytes(in, "RequestedCapacityMinBytes", &record.capacity_min_bytes);
  ReadBytes(in, "RequestedCapacityMaxBytes", &record.capacity_max_bytes);
  if (record.capacity_max_bytes != 0 && record.capacity_max_bytes < record.capacity_min_bytes) {
    in.Fault("RequestedCapacityMaxBytes", "is less than RequestedCapacityMinBytes");
  }
  ReadCapabilities(in, &record);
  in.ReadList("Constraints", &record.constraints, ReadConstraint);
  ReadParameters(in, &record.parameters);
  if (kind == VolumeRequestKind::kCreate) {
    ReadPlugin(in, &record);
  } else {
    ReadHostPath(in, &record);
  }
  if (faults.empty()) return record;
  return Error(Code::kInvalidArgument, faults.ToError().message());
}

}  // namespace drover
