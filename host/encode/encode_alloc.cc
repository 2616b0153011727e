// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cstdio>

#include "host/encode/encode.h"
#include "host/encode/encode_device.h"
#include "host/placement/datacenters.h"
#include "host/spec/blocks/device_json.h"
#include "host/state/node_capacity.h"
#include "host/task/task_event.h"

namespace drover {
namespace {

using nlohmann::json;

std::int64_t Number(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

json EncodeEvent(const TaskEvent& event) {
  const auto text = [&](const char* key) { return std::string(event.Detail(key)); };
  const Result<Duration> kill_timeout = ParseDuration(event.Detail(event_key::kKillTimeout));
  return {{"Type", event.type},
          {"Time", event.time},
          {"DisplayMessage",
           event.display_message.empty() ? DisplayMessage(event) : event.display_message},
          {"Details", event.details},
          {"Message", text(event_key::kMessage)},
          {"FailsTask", event.fails_task()},
          {"RestartReason", text(event_key::kRestartReason)},
          {"SetupError", text(event_key::kSetupError)},
          {"DriverError", text(event_key::kDriverError)},
          {"DriverMessage", text(event_key::kDriverMessage)},
          {"ExitCode", Number(event.Detail(event_key::kExitCode))},
          {"Signal", Number(event.Detail(event_key::kSignal))},
          {"KillTimeout", kill_timeout.ok() ? kill_timeout->count() : 0},
          {"KillError", text(event_key::kKillError)},
          {"KillReason", text(event_key::kKillReason)},
          {"StartDelay", Number(event.Detail(event_key::kStartDelay))},
          {"DownloadError", text(event_key::kDownloadError)},
          {"ValidationError", text(event_key::kValidationError)},
          {"DiskLimit", 0},
          {"FailedSibling", text(event_key::kFailedSibling)},
          {"VaultError", ""},
          {"TaskSignalReason", ""},
          {"TaskSignal", ""},
          {"GenericSource", ""}};
}

json EncodePorts(const Allocation& alloc) {
  json ports = json::array();
  for (const AllocatedPort& port : alloc.ports) {
    if (!port.task.empty()) continue;
    ports.push_back(
        {{"Label", port.label}, {"Value", port.value}, {"To", port.to}, {"HostIP", port.host_ip}});
  }
  return ports;
}

// Returns the networks OF with the allocation's ports. Older clients look for the ports there. OF
// are the networks of TASK, or those of the whole group if TASK is empty.
json EncodeNetworks(const Allocation& alloc, const std::vector<Network>& of,
                    const std::string& task) {
  json networks = json::array();
  for (const Network& network : of) {
    json reserved = json::array(), dynamic = json::array();
    std::string ip;
    for (const AllocatedPort& port : alloc.ports) {
      if (port.task != task) continue;
      const bool is_static =
          std::any_of(network.reserved_ports.begin(), network.reserved_ports.end(),
                      [&](const Port& wanted) { return wanted.label == port.label; });
      (is_static ? reserved : dynamic)
          .push_back({{"Label", port.label}, {"Value", port.value}, {"To", port.to}});
      ip = port.host_ip;
    }
    networks.push_back({{"Mode", network.mode},
                        {"IP", ip},
                        {"ReservedPorts", std::move(reserved)},
                        {"DynamicPorts", std::move(dynamic)}});
  }
  return networks;
}

json EncodeNetworks(const Allocation& alloc) {
  return EncodeNetworks(alloc, alloc.group()->networks, "");
}

// Returns null if the task has no networks of its own.
json EncodeNetworks(const Allocation& alloc, const Task& task) {
  if (task.networks.empty()) return nullptr;
  return EncodeNetworks(alloc, task.networks, task.name);
}

json EncodeAllocated(const Allocation& alloc) {
  json tasks = json::object(), lifecycles = json::object();
  for (const Task& task : alloc.group()->tasks) {
    tasks[task.name] = {
        {"Cpu", {{"CpuShares", task.resources.cpu_mhz}, {"ReservedCores", nullptr}}},
        {"Memory",
         {{"MemoryMB", task.resources.memory_mb}, {"MemoryMaxMB", task.resources.memory_max_mb}}},
        {"Networks", EncodeNetworks(alloc, task)},
        {"Devices", EncodeAllocatedDevices(alloc, task.name)}};
    const auto cores = alloc.cores.find(task.name);
    if (cores != alloc.cores.end()) tasks[task.name]["Cpu"]["ReservedCores"] = cores->second;
    lifecycles[task.name] = nullptr;
    if (task.lifecycle) {
      lifecycles[task.name] = {{"Hook", LifecycleHookName(task.lifecycle->hook)},
                               {"Sidecar", task.lifecycle->sidecar}};
    }
  }
  return {{"Tasks", std::move(tasks)},
          {"TaskLifecycles", std::move(lifecycles)},
          {"Shared",
           {{"DiskMB", alloc.group()->ephemeral_disk_mb},
            {"Networks", EncodeNetworks(alloc)},
            {"Ports", EncodePorts(alloc)}}}};
}

// Returns RESOURCES in the form that older clients read. The field "Networks" is null unless the
// caller sets it.
json EncodeResources(const Resources& resources, int disk_mb) {
  return {{"CPU", resources.cpu_mhz},
          {"Cores", resources.cores},
          {"MemoryMB", resources.memory_mb},
          {"MemoryMaxMB", resources.memory_max_mb},
          {"DiskMB", disk_mb},
          {"IOPS", 0},
          {"Networks", nullptr},
          {"Devices", nullptr},
          {"NUMA", nullptr}};
}

// Returns the most memory in MB that all tasks of GROUP may use together. Returns 0 if no task may
// use more than its memory_mb.
std::int64_t MemoryMaxMb(const TaskGroup& group) {
  std::int64_t sum = 0;
  bool more = false;
  for (const Task& task : group.tasks) {
    sum += std::max(task.resources.memory_mb, task.resources.memory_max_mb);
    more = more || task.resources.memory_max_mb > task.resources.memory_mb;
  }
  return more ? sum : 0;
}

// Returns the network status of an allocation. Clients read its fields without a check, so it also
// is there, with empty fields, if the allocation uses the host's network.
json EncodeNetworkStatus(const std::optional<AllocationNetwork>& network) {
  const AllocationNetwork none;
  const AllocationNetwork& of = network ? *network : none;
  json out = {{"InterfaceName", of.interface_name},
              {"Address", of.address},
              {"AddressIPv6", of.address_ipv6},
              {"DNS", nullptr}};
  if (!of.dns.empty()) {
    out["DNS"] = {
        {"Servers", of.dns.servers}, {"Searches", of.dns.searches}, {"Options", of.dns.options}};
  }
  return out;
}

void AddChange(const AllocChange& change, json* out) {
  (*out)["FollowupEvalID"] = change.follow_up_eval;
  if (!change.reschedules.empty()) {
    json& tracker = (*out)["RescheduleTracker"];
    for (const RescheduleEvent& event : change.reschedules) {
      tracker["Events"].push_back({{"RescheduleTime", event.time},
                                   {"PrevAllocID", event.previous_alloc},
                                   {"PrevNodeID", event.previous_node},
                                   {"Delay", event.delay.count()}});
    }
    tracker["LastReschedule"] = change.last_reschedule;
  }
  if (!change.preempted.empty()) (*out)["PreemptedAllocations"] = change.preempted;
  (*out)["PreemptedByAllocation"] = change.preempted_by;
}

json EncodeAllocStates(const AllocChange& change) {
  json out = nullptr;
  for (const AllocStateChange& state : change.states) {
    out.push_back({{"Field", "client_status"},
                   {"Value", ClientStatusName(state.to)},
                   {"Time", Rfc3339(state.time)}});
  }
  return out;
}

// Returns the fields that are both in an entry of the list of allocations and in the answer for one
// allocation.
json EncodeCommon(const AllocRecord& record) {
  const Allocation& alloc = *record.alloc;
  const Job& job = *alloc.job;
  json out = {{"ID", alloc.id},
              {"Namespace", job.job_namespace},
              {"EvalID", alloc.eval_id},
              {"Name", alloc.name},
              {"NodeID", alloc.node_id},
              {"NodeName", alloc.node_name},
              {"JobID", job.id},
              {"TaskGroup", alloc.group_name},
              {"DesiredStatus", DesiredStatusName(alloc.desired_status)},
              {"DesiredDescription", alloc.desired_description},
              {"DesiredTransition",
               {{"Migrate", nullptr},
                {"Reschedule", nullptr},
                {"ForceReschedule", nullptr},
                {"NoShutdownDelay", nullptr},
                {"MigrateDisablePlacement", nullptr}}},
              {"ClientStatus", ClientStatusName(record.reported.status.status)},
              {"ClientDescription", record.reported.status.description},
              {"DeploymentStatus", nullptr},
              {"FollowupEvalID", ""},
              {"PreviousAllocation", record.previous},
              {"NextAllocation", record.next},
              {"RescheduleTracker", nullptr},
              {"PreemptedAllocations", nullptr},
              {"PreemptedByAllocation", ""},
              {"CreateIndex", alloc.create_index},
              {"ModifyIndex", record.modify_index},
              {"AllocModifyIndex", alloc.alloc_modify_index},
              {"CreateTime", alloc.create_time},
              {"ModifyTime", record.modify_time}};
  if (const auto& health = record.reported.health) {
    out["DeploymentStatus"] = {{"Healthy", health->healthy},
                               {"Timestamp", Rfc3339(health->timestamp)},
                               {"Canary", alloc.canary},
                               {"ModifyIndex", record.modify_index}};
  }
  if (!record.reported.health && alloc.canary) {
    out["DeploymentStatus"] = {{"Healthy", nullptr},
                               {"Timestamp", Rfc3339(0)},
                               {"Canary", true},
                               {"ModifyIndex", alloc.alloc_modify_index}};
  }
  if (record.migrate) out["DesiredTransition"]["Migrate"] = true;
  if (record.no_reschedule) out["DesiredTransition"]["MigrateDisablePlacement"] = true;
  if (record.reschedule) out["DesiredTransition"]["Reschedule"] = true;
  if (record.force_reschedule) out["DesiredTransition"]["ForceReschedule"] = true;
  if (record.change) AddChange(*record.change, &out);
  if (alloc.no_shutdown_delay) out["DesiredTransition"]["NoShutdownDelay"] = true;
  return out;
}

template <typename Fields, typename Part>
void AddStats(const Fields& fields, const Part& part, json* out) {
  for (const auto& field : fields) (*out)[field.key] = part.*field.member;
}

json EncodeResourceUsage(const ResourceUsage& usage) {
  json memory, cpu;
  AddStats(kMemoryStats, usage.memory, &memory);
  AddStats(kCpuStats, usage.cpu, &cpu);
  AddStats(kThrottlingStats, usage.cpu, &cpu);
  std::vector<std::string> of_memory, of_cpu;
  AddMeasured(kMemoryStats, usage.measured, &of_memory);
  AddMeasured(kCpuStats, usage.measured, &of_cpu);
  AddMeasured(kThrottlingStats, usage.measured, &of_cpu);
  memory["Measured"] = of_memory;
  cpu["Measured"] = of_cpu;
  return {
      {"MemoryStats", std::move(memory)}, {"CpuStats", std::move(cpu)}, {"DeviceStats", nullptr}};
}

}  // namespace

json EncodeTaskStates(const TaskStates& states) {
  json out = json::object();
  for (const auto& [name, state] : states) {
    json events = json::array();
    for (const TaskEvent& event : state->events) events.push_back(EncodeEvent(event));
    out[name] = {{"State", RunnerStateName(state->state)},
                 {"Failed", state->failed},
                 {"Restarts", state->restarts},
                 {"LastRestart", Rfc3339(state->last_restart)},
                 {"StartedAt", Rfc3339(state->started_at)},
                 {"FinishedAt", Rfc3339(state->finished_at)},
                 {"Events", std::move(events)},
                 {"Paused", state->paused ? "force_pause" : ""},
                 {"TaskHandle", nullptr}};
  }
  return out;
}

json EncodeAlloc(const AllocRecord& record) {
  json out = EncodeAllocWithoutJob(record);
  out["Job"] = EncodeJob(*record.job);
  return out;
}

json EncodeAllocWithoutJob(const AllocRecord& record) {
  const Allocation& alloc = *record.alloc;
  json out = EncodeCommon(record);
  out["AllocatedResources"] = EncodeAllocated(alloc);
  const TaskGroup& group = *alloc.group();
  Resources whole = GroupResources(group);
  whole.memory_max_mb = MemoryMaxMb(group);
  out["Resources"] = EncodeResources(whole, group.ephemeral_disk_mb);
  out["SharedResources"] = EncodeResources({0, 0, 0, 0}, group.ephemeral_disk_mb);
  for (const char* field : {"Resources", "SharedResources"}) {
    out[field]["Networks"] = EncodeNetworks(alloc);
  }
  json& of_tasks = out["TaskResources"] = json::object();
  for (const Task& task : group.tasks) {
    of_tasks[task.name] = EncodeResources(task.resources, 0);
    of_tasks[task.name]["Networks"] = EncodeNetworks(alloc, task);
    of_tasks[task.name]["Devices"] = DeviceRequestsToJson(task.devices);
  }
  out["Services"] = nullptr;
  PlacementFailure none;  // one node was evaluated, and nothing excluded it
  none.node_pool = alloc.job->node_pool;
  none.nodes_in_pool = none.nodes_evaluated = 1;
  if (!alloc.datacenter.empty()) {
    none.nodes_available = NodesAvailable(alloc.job->datacenters, alloc.datacenter);
  }
  out["Metrics"] = EncodeFailure(none);
  out["Metrics"]["ScoreMetaData"] =
      json::array({{{"NodeID", alloc.node_id}, {"Scores", json::object()}, {"NormScore", 0}}});
  out["TaskStates"] = EncodeTaskStates(record.reported.tasks);
  out["AllocStates"] = EncodeAllocStates(record.changes());
  out["DeploymentID"] = record.alloc->deployment_id;
  out["SigningKeyID"] = "";
  out["NetworkStatus"] = EncodeNetworkStatus(record.reported.network);
  return out;
}

json EncodeAllocStub(const AllocRecord& record, StubFields fields) {
  json out = EncodeCommon(record);
  out["JobType"] = JobTypeName(record.alloc->job->type);
  out["JobVersion"] = record.job->version;
  out["TaskStates"] = fields.task_states ? EncodeTaskStates(record.reported.tasks) : json(nullptr);
  if (fields.resources) out["AllocatedResources"] = EncodeAllocated(*record.alloc);
  return out;
}

json EncodeUsage(const AllocUsage& usage, const TaskDeviceStats& devices) {
  json tasks = json::object();
  json total = EncodeResourceUsage(usage.total);
  for (const auto& [name, sample] : usage.tasks) {
    json pids = json::object();
    for (const auto& [pid, of_pid] : sample->pids) {
      pids[std::to_string(pid)] = EncodeResourceUsage(of_pid);
    }
    json of_task = EncodeResourceUsage(sample->total);
    if (const auto measured = devices.find(name); measured != devices.end()) {
      json of_devices = EncodeDeviceStats(measured->second);
      json& sum = total["DeviceStats"];
      for (const json& group : of_devices) sum.push_back(group);
      if (!of_devices.empty()) of_task["DeviceStats"] = std::move(of_devices);
    }
    tasks[name] = {{"ResourceUsage", std::move(of_task)},
                   {"Timestamp", sample->timestamp},
                   {"Pids", std::move(pids)}};
  }
  return {{"ResourceUsage", std::move(total)},
          {"Tasks", std::move(tasks)},
          {"Timestamp", usage.timestamp}};
}

}  // namespace drover
