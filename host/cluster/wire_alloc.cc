// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cluster/wire_alloc.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <utility>

#include "host/base/text.h"
#include "host/cluster/wire_job.h"
#include "host/cluster/wire_object.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

using nlohmann::json;

// The most that one allocation may have of each. A node has far fewer.
constexpr std::size_t kMostWireTasks = 1024;
constexpr std::size_t kMostWirePorts = 4096;
constexpr std::size_t kMostWireNetworks = 64;
constexpr std::size_t kMostWireCores = 65536;
constexpr std::size_t kMostWirePreempted = 4096;

// Reads a text that must be one of VALUES by NAME_OF.
template <typename T, typename F>
void ReadWireName(const WireObject& in, const char* name, std::initializer_list<T> values,
                  F name_of, T* out) {
  std::string text;
  in.Read(name, &text);
  if (text.empty()) return;
  for (const T value : values) {
    if (text == name_of(value)) {
      *out = value;
      return;
    }
  }
  in.Fault(name, Quoted(text) + " is not known");
}

AllocatedPort ReadWirePort(const WireObject& in, const std::string& task) {
  AllocatedPort port;
  port.task = task;
  in.Read("Label", &port.label);
  in.Read("Value", &port.value);
  in.Read("To", &port.to);
  in.Read("HostIP", &port.host_ip);
  if (port.value < 0 || port.value > 65535) {
    in.Fault("Value", std::to_string(port.value) + " is not a port");
  }
  return port;
}

// Adds the ports of the networks of IN, which are of TASK; of the group if it is empty.
void AddNetworkPorts(const WireObject& in, const std::string& task,
                     std::vector<AllocatedPort>* ports) {
  for (const WireObject& network : in.List("Networks", kMostWireNetworks)) {
    std::string ip;
    network.Read("IP", &ip);
    for (const char* const list : {"ReservedPorts", "DynamicPorts"}) {
      for (const WireObject& one : network.List(list, kMostWirePorts)) {
        AllocatedPort port = ReadWirePort(one, task);
        if (port.host_ip.empty()) port.host_ip = ip;
        ports->push_back(std::move(port));
      }
    }
  }
}

// Reads the cores that are reserved, in ascending order.
std::vector<int> ReadWireCores(const WireObject& cpu) {
  std::vector<int> cores;
  const json* const list = cpu.Find("ReservedCores");
  if (list == nullptr) return cores;
  bool right = list->is_array() && list->size() <= kMostWireCores;
  for (std::size_t i = 0; right && i < list->size(); ++i) {
    const json& core = (*list)[i];
    right = core.is_number_integer() && core.get<double>() >= 0 && core.get<double>() <= 65535;
    if (right) cores.push_back(core.get<int>());
  }
  if (!right) cpu.Fault("ReservedCores", "must be a list of numbers from 0 to 65535");
  std::ranges::sort(cores);
  const auto doubled = std::ranges::unique(cores);
  cores.erase(doubled.begin(), doubled.end());
  return cores;
}

void ReadWireDevices(const WireObject& resources, std::vector<AllocatedDevice>* devices) {
  for (const WireObject& in : resources.List("Devices", kMostDeviceRequests)) {
    AllocatedDevice& device = devices->emplace_back();
    in.Read("Vendor", &device.group.vendor);
    in.Read("Type", &device.group.type);
    in.Read("Name", &device.group.name);
    in.Read("DeviceIDs", &device.ids);
  }
}

// Reads what the servers have reserved: from AllocatedResources, or else in the older form.
void ReadWireResources(const WireObject& in, Allocation* alloc) {
  const bool is_current = in.Find("AllocatedResources") != nullptr;
  const WireObject current = in.Object("AllocatedResources");
  const WireObject shared = is_current ? current.Object("Shared") : in.Object("SharedResources");
  for (const WireObject& port : shared.List("Ports", kMostWirePorts)) {
    alloc->ports.push_back(ReadWirePort(port, ""));
  }
  if (alloc->ports.empty()) AddNetworkPorts(shared, "", &alloc->ports);
  const auto tasks =
      is_current ? current.Map("Tasks", kMostWireTasks) : in.Map("TaskResources", kMostWireTasks);
  for (const auto& [name, task] : tasks) {
    AddNetworkPorts(task, name, &alloc->ports);
    if (!is_current) continue;
    std::vector<int> cores = ReadWireCores(task.Object("Cpu"));
    if (!cores.empty()) alloc->cores[name] = std::move(cores);
    std::vector<AllocatedDevice> devices;
    ReadWireDevices(task, &devices);
    if (!devices.empty()) alloc->devices[name] = std::move(devices);
  }
}

// Returns N of a name "job.group[N]"; 0 for any other name.
int IndexInName(std::string_view name) {
  const std::size_t open = name.rfind('[');
  if (open == std::string_view::npos || !name.ends_with(']')) return 0;
  const auto index = ParseNumber<int>(name.substr(open + 1, name.size() - open - 2));
  return index && *index >= 0 ? *index : 0;
}

}  // namespace

bool IsWireUuid(std::string_view id) {
  if (id.size() != 36) return false;
  for (std::size_t i = 0; i < id.size(); ++i) {
    const bool is_hyphen = i == 8 || i == 13 || i == 18 || i == 23;
    const char c = id[i];
    if (is_hyphen ? c != '-' : HexDigit(c) < 0 || (c >= 'A' && c <= 'F')) return false;
  }
  return true;
}

Result<WireAlloc> ReadWireAlloc(const json& value, const std::string& node_id,
                                const std::string& datacenter) {
  std::optional<Error> fault;
  const WireObject in(value, "the allocation", &fault);
  WireAlloc read;
  Allocation& alloc = read.alloc;
  in.Read("ID", &alloc.id);
  if (!IsWireUuid(alloc.id)) in.Fault("ID", Quoted(alloc.id) + " is not a UUID in lower case");
  in.Read("NodeID", &alloc.node_id);
  if (alloc.node_id != node_id) in.Fault("NodeID", "is that of another node");
  in.Read("NodeName", &alloc.node_name);
  alloc.datacenter = datacenter;
  in.Read("Name", &alloc.name);
  alloc.index = IndexInName(alloc.name);
  in.Read("EvalID", &alloc.eval_id);
  in.Read("TaskGroup", &alloc.group_name);
  in.Read("PreviousAllocation", &alloc.previous);
  in.Read("DeploymentID", &alloc.deployment_id);
  in.Object("DeploymentStatus").Read("Canary", &alloc.canary);
  ReadWireName(in, "DesiredStatus",
               {DesiredStatus::kRun, DesiredStatus::kStop, DesiredStatus::kEvict},
               DesiredStatusName, &alloc.desired_status);
  in.Read("DesiredDescription", &alloc.desired_description);
  in.Object("DesiredTransition").Read("NoShutdownDelay", &alloc.no_shutdown_delay);
  ReadWireName(in, "ClientStatus",
               {ClientStatus::kPending, ClientStatus::kRunning, ClientStatus::kComplete,
                ClientStatus::kFailed, ClientStatus::kLost, ClientStatus::kUnknown},
               ClientStatusName, &alloc.client_status);
  in.Read("CreateIndex", &alloc.create_index);
  in.Read("ModifyIndex", &alloc.modify_index);
  in.Read("AllocModifyIndex", &alloc.alloc_modify_index);
  in.Read("CreateTime", &alloc.create_time);
  in.Read("ModifyTime", &alloc.modify_time);
  in.Read("SignedIdentities", &read.identities);
  in.Read("PreemptedAllocations", &read.preempted);
  if (read.preempted.size() > kMostWirePreempted) in.Fault("PreemptedAllocations", "is too long");
  ReadWireResources(in, &alloc);
  if (fault) return *fault;
  const json* const job = in.Find("Job");
  Result<Job> own = ReadWireJob(job != nullptr ? *job : json(), alloc.group_name);
  if (own.ok()) {
    alloc.job = std::make_shared<const Job>(std::move(*own));
  } else {
    read.refusal = own.error();
  }
  return read;
}

}  // namespace drover
