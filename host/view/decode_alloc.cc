// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/view/decode_alloc.h"

#include <nlohmann/json.hpp>

#include "host/base/time.h"
#include "host/view/json_fields.h"

namespace drover {
namespace {

using nlohmann::json;

TaskEvent DecodeEvent(const json& from) {
  TaskEvent event;
  event.type = RawField(from, "Type");
  event.time = NumberField(from, "Time");
  event.display_message = RawField(from, "DisplayMessage");
  for (const auto& [key, value] : MapField(from, "Details").items()) {
    if (value.is_string()) event.details[key] = value.get<std::string>();
  }
  return event;
}

// Returns the ports of the group and of its tasks.
std::vector<AllocatedPort> DecodePorts(const json& allocated) {
  std::vector<AllocatedPort> out;
  const auto add = [&out](const json& port, std::string address, const std::string& task) {
    out.push_back({RawField(port, "Label"), static_cast<int>(NumberField(port, "Value")),
                   static_cast<int>(NumberField(port, "To")), std::move(address), task});
  };
  for (const json& port : ListField(MapField(allocated, "Shared"), "Ports")) {
    add(port, TextField(port, "HostIP"), "");
  }
  for (const auto& [task, resources] : MapField(allocated, "Tasks").items()) {
    for (const json& network : ListField(resources, "Networks")) {
      for (const char* list : {"ReservedPorts", "DynamicPorts"}) {
        for (const json& port : ListField(network, list)) add(port, TextField(network, "IP"), task);
      }
    }
  }
  return out;
}

}  // namespace

Allocation DecodeAlloc(const json& from) {
  Allocation alloc;
  // The id and the name are printed and used in paths, so no character in them may control a
  // terminal.
  alloc.id = TextField(from, "ID");
  alloc.name = TextField(from, "Name");
  alloc.group_name = RawField(from, "TaskGroup");
  for (const ClientStatus status :
       {ClientStatus::kPending, ClientStatus::kRunning, ClientStatus::kComplete,
        ClientStatus::kFailed, ClientStatus::kLost, ClientStatus::kUnknown}) {
    if (RawField(from, "ClientStatus") == ClientStatusName(status)) alloc.client_status = status;
  }
  if (RawField(from, "DesiredStatus") != "run") alloc.desired_status = DesiredStatus::kStop;
  alloc.create_index = static_cast<std::uint64_t>(NumberField(from, "CreateIndex"));
  alloc.modify_index = static_cast<std::uint64_t>(NumberField(from, "ModifyIndex"));
  alloc.ports = DecodePorts(MapField(from, "AllocatedResources"));
  return alloc;
}

std::map<std::string, TaskStateRecord> DecodeTaskStates(const json& states) {
  std::map<std::string, TaskStateRecord> out;
  for (const auto& [task, from] : AsMap(states).items()) {
    TaskStateRecord& record = out[task];
    for (const RunnerState state :
         {RunnerState::kPending, RunnerState::kRunning, RunnerState::kDead}) {
      if (RawField(from, "State") == RunnerStateName(state)) record.state = state;
    }
    record.failed = FlagField(from, "Failed");
    record.restarts = static_cast<std::uint64_t>(NumberField(from, "Restarts"));
    record.started_at = ParseRfc3339(RawField(from, "StartedAt")).value_or(0);
    record.finished_at = ParseRfc3339(RawField(from, "FinishedAt")).value_or(0);
    for (const json& event : ListField(from, "Events")) {
      record.events.push_back(DecodeEvent(event));
    }
  }
  return out;
}

}  // namespace drover
