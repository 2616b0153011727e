// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/placement/placement.h"

#include <algorithm>
#include <utility>

#include "host/base/ids.h"
#include "host/placement/device_use.h"
#include "host/state/core_pool.h"

namespace drover {
namespace {

// Returns the addresses on one of which PORT must be.
Result<std::vector<std::string>> AddressesOf(const Port& port, const PortPool& pool) {
  if (!port.host_ip.empty()) return std::vector<std::string>{port.host_ip};
  if (port.host_network.empty()) return std::vector<std::string>{pool.address()};
  const std::vector<std::string>* const found = pool.AddressesOf(port.host_network);
  if (found != nullptr && !found->empty()) return *found;
  return Error(Code::kFailedPrecondition, "missing host network \"" + port.host_network +
                                              "\" for port \"" + port.label + "\"");
}

// A port of a group, and the task that has it alone. The name of the task is empty if the port
// belongs to the whole group.
struct WantedPort {
  const Port* port;
  std::string task;
};

void AddWanted(const std::vector<Network>& networks, std::vector<Port> Network::* list,
               const std::string& task, std::vector<WantedPort>* out) {
  for (const Network& network : networks) {
    for (const Port& port : network.*list) out->push_back({&port, task});
  }
}

// Returns the ports of GROUP that are in LIST of its networks.
std::vector<WantedPort> Wanted(const TaskGroup& group, std::vector<Port> Network::* list) {
  std::vector<WantedPort> out;
  AddWanted(group.networks, list, "", &out);
  for (const Task& task : group.tasks) AddWanted(task.networks, list, task.name, &out);
  return out;
}

// Takes ports. Its destructor releases them unless Keep was called.
class PortTransaction {
 public:
  explicit PortTransaction(PortPool* pool) : pool_(pool) {}
  ~PortTransaction() {
    for (const auto& [address, port] : taken_) pool_->Release(address, port);
  }

  Result<AllocatedPort> Take(const WantedPort& wanted) {
    const Port& port = *wanted.port;
    AllocatedPort allocated;
    allocated.task = wanted.task;
    allocated.label = port.label;
    allocated.to = port.to;
    DROVER_ASSIGN(const std::vector<std::string> addresses, AddressesOf(port, *pool_));
    Result<int> taken = Error(Code::kInternal, "");
    for (const std::string& address : addresses) {
      taken = TakeOn(address, port.value);
      if (!taken.ok()) continue;
      allocated.host_ip = address;
      allocated.value = *taken;
      taken_.emplace_back(address, *taken);
      return allocated;
    }
    return taken.error();
  }

  void Keep() { taken_.clear(); }

 private:
  // Takes PORT, or any if PORT is 0.
  Result<int> TakeOn(const std::string& address, int port) {
    if (port == 0) return pool_->TakeDynamic(address);
    DROVER_TRY(pool_->TakeStatic(address, port));
    return port;
  }

  PortPool* pool_;
  std::vector<std::pair<std::string, int>> taken_;
};

Status TakePorts(const TaskGroup& group, PortTransaction* ports, std::vector<AllocatedPort>* out) {
  // The static ports come first, so that no dynamic port takes one of them.
  for (const auto list : {&Network::reserved_ports, &Network::dynamic_ports}) {
    for (const WantedPort& wanted : Wanted(group, list)) {
      DROVER_ASSIGN(AllocatedPort allocated, ports->Take(wanted));
      out->push_back(std::move(allocated));
    }
  }
  return {};
}

// Returns an error if PORT of ADDRESS is taken by anything but LEAVING. If LEAVING has PORT on
// another address, only the ports of other allocations are checked. A process that listens on PORT
// of ADDRESS is then assumed to be a task of LEAVING: the task may listen on all addresses, or the
// node's address may have changed.
Status CheckPort(const std::string& address, int port, const Allocation* leaving, PortPool* ports) {
  bool leaves = false;
  if (leaving != nullptr) {
    for (const AllocatedPort& of : leaving->ports) {
      if (of.value != port) continue;
      if (of.host_ip == address) return {};
      leaves = true;
    }
  }
  return leaves ? ports->CheckOwn(address, port) : ports->CheckStatic(address, port);
}

std::string AllocationName(const Job& job, const TaskGroup& group, int index) {
  return job.id + "." + group.name + "[" + std::to_string(index) + "]";
}

Error NoCores(const CorePool& free_cores) {
  return Error(Code::kResourceExhausted,
               "its tasks reserve more cores than this machine has free (" +
                   std::to_string(free_cores.size()) + ")");
}

Error NoDevices() {
  return Error(Code::kResourceExhausted,
               "its tasks ask for more devices than this machine has free and healthy: look at the "
               "plugins that offer them");
}

}  // namespace

Result<std::shared_ptr<Allocation>> PlaceAllocation(std::shared_ptr<const Job> job,
                                                    const TaskGroup& group, int index,
                                                    const std::string& node_id,
                                                    const std::string& node_name, WallTime now,
                                                    PortPool* ports) {
  PortTransaction transaction(ports);
  auto allocation = std::make_shared<Allocation>();
  allocation->id = RandomUuid();
  allocation->name = AllocationName(*job, group, index);
  allocation->node_id = node_id;
  allocation->node_name = node_name;
  allocation->index = index;
  allocation->group_name = group.name;
  allocation->job = std::move(job);
  allocation->create_time = allocation->modify_time = now;
  DROVER_TRY(TakePorts(group, &transaction, &allocation->ports));
  transaction.Keep();
  return allocation;
}

void ReleasePorts(const Allocation& alloc, PortPool* ports) {
  for (const AllocatedPort& port : alloc.ports) ports->Release(port.host_ip, port.value);
}

bool WantsPorts(const TaskGroup& group) {
  return !Wanted(group, &Network::reserved_ports).empty() ||
         !Wanted(group, &Network::dynamic_ports).empty();
}

std::optional<TakenPort> FindTakenPort(const TaskGroup& group, const Allocation* leaving,
                                       PortPool* ports) {
  for (const WantedPort& wanted : Wanted(group, &Network::reserved_ports)) {
    const Port& port = *wanted.port;
    const auto addresses = AddressesOf(port, *ports);
    if (!addresses.ok()) return TakenPort{"", port.value, addresses.error()};
    std::optional<TakenPort> taken;
    for (const std::string& address : *addresses) {
      const Status free = CheckPort(address, port.value, leaving, ports);
      if (free.ok()) {
        taken.reset();
        break;
      }
      if (!taken) taken = TakenPort{address, port.value, free.error()};
    }
    if (taken) return taken;
  }
  return std::nullopt;
}

Result<std::vector<std::shared_ptr<const Allocation>>> PlaceJob(
    std::shared_ptr<const Job> job, const std::string& node_id, const std::string& node_name,
    WallTime now, PortPool* ports, std::vector<int> cores, const DeviceGroups& devices) {
  std::vector<std::shared_ptr<const Allocation>> allocations;
  CorePool free_cores(std::move(cores));
  const std::string eval_id = RandomUuid();
  NodeRecord node;
  node.devices = devices;
  DeviceUse device_use;
  for (const TaskGroup& group : job->groups) {
    for (int index = 0; index < group.count; ++index) {
      std::optional<ReservedCores> reserved = free_cores.Take(group);
      AllocatedDevices taken;
      const bool has_devices = device_use.Take(node, nullptr, group, &taken) == DeviceFit::kFits;
      auto placed = !reserved ? Result<std::shared_ptr<Allocation>>(NoCores(free_cores))
                    : !has_devices
                        ? Result<std::shared_ptr<Allocation>>(NoDevices())
                        : PlaceAllocation(job, group, index, node_id, node_name, now, ports);
      if (!placed.ok()) {
        for (const auto& allocation : allocations) ReleasePorts(*allocation, ports);
        return placed.error().WithContext("allocation " + AllocationName(*job, group, index));
      }
      Allocation& allocation = **placed;
      allocation.cores = std::move(*reserved);
      allocation.devices = std::move(taken);
      allocation.eval_id = eval_id;
      allocation.create_index = allocation.modify_index = allocation.alloc_modify_index = 1;
      allocations.push_back(std::move(*placed));
    }
  }
  return allocations;
}

}  // namespace drover
