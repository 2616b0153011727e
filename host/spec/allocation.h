// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/time.h"
#include "host/spec/blocks/dns_config.h"
#include "host/spec/job.h"

// An allocation: one instance of a task group on a node, with its desired and its client status.
namespace drover {

enum class DesiredStatus { kRun, kStop, kEvict };
enum class ClientStatus { kPending, kRunning, kComplete, kFailed, kLost, kUnknown };
std::string_view DesiredStatusName(DesiredStatus status);
std::string_view ClientStatusName(ClientStatus status);

// Returns whether STATUS is complete, failed or lost. Such an allocation will not run again.
inline bool IsTerminal(ClientStatus status) {
  return status == ClientStatus::kComplete || status == ClientStatus::kFailed ||
         status == ClientStatus::kLost;
}

// A port that an allocation has on this node.
struct AllocatedPort {
  std::string label;
  int value = 0;
  int to = 0;
  std::string host_ip;
  // The task that has the port alone; empty if the port belongs to the whole group.
  std::string task = {};

  bool operator==(const AllocatedPort&) const = default;
};

// The network of an allocation that does not use the host's network.
struct AllocationNetwork {
  std::string interface_name;
  std::string address;
  std::string address_ipv6;
  DnsConfig dns = {};  // how the tasks look names up; empty: as the host does

  bool operator==(const AllocationNetwork&) const = default;
};

// Returns CORES in the kernel's list format: {0, 5, 6, 7} gives "0,5-7". CORES must be sorted in
// ascending order.
std::string CoreList(const std::vector<int>& cores);

struct Allocation {
  std::string id;    // a UUID
  std::string name;  // job.group[index]
  std::string eval_id;
  std::string node_id;
  std::string node_name;
  // The datacenter of the node; empty if an older agent placed the allocation and did not store
  // it.
  std::string datacenter;
  int index = 0;
  std::shared_ptr<const Job> job;
  std::string group_name;
  std::string previous;       // the id of the allocation that this one replaces; empty if none
  std::string deployment_id;  // a change of it makes the node decide on the health again
  bool canary = false;        // of a deployment that is not promoted yet
  std::vector<AllocatedPort> ports;
  std::map<std::string, std::vector<int>> cores;  // reserved cores by task, in ascending order
  AllocatedDevices devices;                       // by task
  std::optional<AllocationNetwork> network;       // absent if the tasks use the host's network

  DesiredStatus desired_status = DesiredStatus::kRun;
  std::string desired_description;
  bool no_shutdown_delay = false;                       // DesiredTransition.NoShutdownDelay in JSON
  ClientStatus client_status = ClientStatus::kPending;  // the status that the server sent

  std::uint64_t create_index = 0;
  std::uint64_t modify_index = 0;
  std::uint64_t alloc_modify_index = 0;
  WallTime create_time = 0;
  WallTime modify_time = 0;

  // Returns the group of which this allocation is an instance; null if the job has no group of
  // that name.
  const TaskGroup* group() const { return FindGroup(*job, group_name); }
  bool server_terminal() const { return desired_status != DesiredStatus::kRun; }
};

}  // namespace drover
