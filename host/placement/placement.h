// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/device/device_group.h"
#include "host/spec/allocation.h"

namespace drover {

// The host ports on this node that are taken by allocations or by other processes. Each port
// belongs to one address of the machine.
class PortPool {
 public:
  // Dynamic ports are chosen from this range, if the operator names no other.
  static constexpr int kFirst = 20000;
  static constexpr int kLast = 32000;

  virtual ~PortPool() = default;
  // Returns the address of those ports for which the job gives no address.
  virtual const std::string& address() const = 0;
  // Returns the addresses of the host network NAME; null if the node has no such network.
  virtual const std::vector<std::string>* AddressesOf(const std::string& name) const {
    (void)name;
    return nullptr;
  }
  // Takes a free port of ADDRESS.
  virtual Result<int> TakeDynamic(const std::string& address) = 0;
  // Fails with kFailedPrecondition if PORT of ADDRESS is taken.
  virtual Status CheckStatic(const std::string& address, int port) = 0;
  // Like CheckStatic, but checks only the ports of allocations. It does not check whether another
  // process listens on PORT.
  virtual Status CheckOwn(const std::string& address, int port) = 0;
  virtual Status TakeStatic(const std::string& address, int port) = 0;
  virtual void Release(const std::string& address, int port) = 0;
  // Takes PORT for an allocation that an earlier agent placed. Does not check for listeners, since
  // the allocation's task may already listen on PORT.
  virtual void Keep(const std::string& address, int port) = 0;
};

// Returns the ports of a node.
using PortsOf = std::function<PortPool*(const std::string& node_id)>;

struct PortPoolOptions {
  std::string address = "127.0.0.1";
  int first = PortPool::kFirst;  // of the dynamic ports
  int last = PortPool::kLast;
  std::set<int> reserved;  // ports that no allocation gets
  // The addresses of each host network, and the ports of an address that no allocation gets.
  std::map<std::string, std::vector<std::string>> host_networks = {};
  std::map<std::string, std::set<int>> reserved_of = {};
};

// Returns a pool that also checks the machine: a port on which a socket listens is taken.
std::unique_ptr<PortPool> NewPortPool(PortPoolOptions options);
std::unique_ptr<PortPool> NewPortPool(std::string address = "127.0.0.1");

// Returns whether an allocation of GROUP gets ports.
bool WantsPorts(const TaskGroup& group);

// A static port that is taken.
struct TakenPort {
  std::string address;  // empty if the node lacks the host network of the port
  int port = 0;
  Error why;
};
// Returns a static port of GROUP that is taken; absent if all are free. If LEAVING is not null,
// the ports of LEAVING count as free, since LEAVING ends first.
std::optional<TakenPort> FindTakenPort(const TaskGroup& group, const Allocation* leaving,
                                       PortPool* ports);

// Makes one allocation of GROUP on this node and takes its ports. The evaluation and the indexes
// of the allocation stay unset. If the function fails, it has taken no port.
Result<std::shared_ptr<Allocation>> PlaceAllocation(std::shared_ptr<const Job> job,
                                                    const TaskGroup& group, int index,
                                                    const std::string& node_id,
                                                    const std::string& node_name, WallTime now,
                                                    PortPool* ports);

// Releases the ports of an allocation.
void ReleasePorts(const Allocation& alloc, PortPool* ports);

// Makes the allocations of JOB on this node, as many of each group as the group's count, with
// ports, cores and devices. CORES are the free cores in ascending order, and DEVICES those of the
// node. If an allocation cannot be placed, the error names that allocation, and no port stays
// taken.
Result<std::vector<std::shared_ptr<const Allocation>>> PlaceJob(
    std::shared_ptr<const Job> job, const std::string& node_id, const std::string& node_name,
    WallTime now, PortPool* ports, std::vector<int> cores, const DeviceGroups& devices = {});

}  // namespace drover
