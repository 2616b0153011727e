// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/volume/volume_record.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "host/spec/strict_json.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr JsonLimits kVolumeJson{.bytes = 4u << 20, .depth = 8};

json CapabilitiesToJson(const std::vector<VolumeCapability>& capabilities) {
  json list = json::array();
  for (const VolumeCapability& one : capabilities) {
    list.push_back({{"AccessMode", one.access_mode}, {"AttachmentMode", one.attachment_mode}});
  }
  return list;
}

json ConstraintsToJson(const std::vector<Constraint>& constraints) {
  json list = json::array();
  for (const Constraint& one : constraints) {
    list.push_back({{"LTarget", one.left}, {"RTarget", one.right}, {"Operand", one.operand}});
  }
  return list;
}

void ReadParts(const json& object, VolumeRecord* record) {
  for (const json& one : object.at("RequestedCapabilities")) {
    record->capabilities.push_back(
        {one.at("AccessMode").get<std::string>(), one.at("AttachmentMode").get<std::string>()});
  }
  for (const json& one : object.at("Constraints")) {
    record->constraints.push_back({one.at("LTarget").get<std::string>(),
                                   one.at("Operand").get<std::string>(),
                                   one.at("RTarget").get<std::string>()});
  }
  for (const json& one : object.at("Claims")) {
    record->claims.push_back(
        {one.at("ID").get<std::string>(), one.at("Namespace").get<std::string>(),
         one.at("JobID").get<std::string>(), one.at("TaskGroupName").get<std::string>(),
         one.at("AllocID").get<std::string>()});
  }
}

void ReadFields(const json& object, VolumeRecord* record) {
  object.at("ID").get_to(record->id);
  object.at("Namespace").get_to(record->name_space);
  object.at("Name").get_to(record->name);
  object.at("PluginID").get_to(record->plugin_id);
  object.at("NodeID").get_to(record->node_id);
  object.at("NodePool").get_to(record->node_pool);
  object.at("HostPath").get_to(record->host_path);
  object.at("State").get_to(record->state);
  object.at("CapacityBytes").get_to(record->capacity_bytes);
  object.at("RequestedCapacityMinBytes").get_to(record->capacity_min_bytes);
  object.at("RequestedCapacityMaxBytes").get_to(record->capacity_max_bytes);
  object.at("Parameters").get_to(record->parameters);
  object.at("CreateIndex").get_to(record->create_index);
  object.at("ModifyIndex").get_to(record->modify_index);
  object.at("CreateTime").get_to(record->create_time);
  object.at("ModifyTime").get_to(record->modify_time);
}

bool IsKnownState(const std::string& state) {
  return state == volume_state::kPending || state == volume_state::kReady ||
         state == volume_state::kUnavailable || state == volume_state::kDeleted;
}

}  // namespace

json VolumeToJson(const VolumeRecord& record) {
  return {{"ID", record.id},
          {"Namespace", record.name_space},
          {"Name", record.name},
          {"PluginID", record.plugin_id},
          {"NodeID", record.node_id},
          {"NodePool", record.node_pool},
          {"HostPath", record.host_path},
          {"State", record.state},
          {"CapacityBytes", record.capacity_bytes},
          {"RequestedCapacityMinBytes", record.capacity_min_bytes},
          {"RequestedCapacityMaxBytes", record.capacity_max_bytes},
          {"RequestedCapabilities", CapabilitiesToJson(record.capabilities)},
          {"Constraints", ConstraintsToJson(record.constraints)},
          {"Parameters", record.parameters},
          {"CreateIndex", record.create_index},
          {"ModifyIndex", record.modify_index},
          {"CreateTime", record.create_time},
          {"ModifyTime", record.modify_time}};
}

json ClaimToJson(const VolumeRecord& record, const VolumeClaim& claim) {
  return {{"ID", claim.id},
          {"Namespace", claim.job_namespace},
          {"JobID", claim.job_id},
          {"TaskGroupName", claim.group},
          {"AllocID", claim.alloc_id},
          {"VolumeID", record.id},
          {"VolumeName", record.name}};
}

std::string VolumeText(const VolumeRecord& record) {
  json out = VolumeToJson(record);
  json claims = json::array();
  for (const VolumeClaim& claim : record.claims) claims.push_back(ClaimToJson(record, claim));
  out["Claims"] = std::move(claims);
  return JsonText(out);
}

Result<VolumeRecord> ReadVolumeRecord(const std::string& text) {
  DROVER_ASSIGN(const json object, ParseStrictJson(text, kVolumeJson));
  VolumeRecord record;
  try {
    ReadFields(object, &record);
    ReadParts(object, &record);
  } catch (const json::exception& e) {
    return Error(Code::kInvalidArgument, e.what());
  }
  if (!IsVolumeId(record.id) || record.name.empty() || !IsKnownState(record.state)) {
    return Error(Code::kInvalidArgument, "the record of a volume is damaged");
  }
  return record;
}

bool Offers(const VolumeRecord& record, const VolumeRequest& request) {
  if (record.state != volume_state::kReady) return false;
  return std::ranges::any_of(record.capabilities, [&request](const VolumeCapability& one) {
    const bool access = request.access_mode.empty()
                            ? one.access_mode != access_mode::kReaderOnly || request.read_only
                            : one.access_mode == request.access_mode;
    const std::string_view attachment =
        request.attachment_mode.empty() ? kFileSystem : std::string_view(request.attachment_mode);
    return access && one.attachment_mode == attachment;
  });
}

bool IsVolumeId(std::string_view id) {
  if (id.size() != 36) return false;
  for (std::size_t i = 0; i < id.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    const char c = id[i];
    const bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    if (dash ? c != '-' : !hex) return false;
  }
  return true;
}

}  // namespace drover
