// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/spec/allocation.h"

namespace drover {

// The host ports that are taken on this node, by allocations or by anything else: each of one of
// the machine's addresses.
class PortPool {
 public:
  // Dynamic ports are chosen from this range.
  static constexpr int kFirst = 20000;
  static constexpr int kLast = 32000;

  virtual ~PortPool() = default;
  // That of ports for which no other one is asked.
  virtual const std::string& address() const = 0;
  // A free port of ADDRESS, which is then taken.
  virtual Result<int> TakeDynamic(const std::string& address) = 0;
  // kFailedPrecondition when PORT of ADDRESS is taken.
  virtual Status CheckStatic(const std::string& address, int port) = 0;
  // The same, of allocations only: whether anything else listens there is not looked at.
  virtual Status CheckOwn(const std::string& address, int port) = 0;
  virtual Status TakeStatic(const std::string& address, int port) = 0;
  virtual void Release(const std::string& address, int port) = 0;
  // Of an allocation that an earlier agent placed: it is taken, whether it listens or not.
  virtual void Keep(const std::string& address, int port) = 0;
};

// Looks at the machine too: a port that a socket listens on is taken.
std::unique_ptr<PortPool> NewPortPool(std::string address = "127.0.0.1");

// A static port of GROUP that is taken, where; nothing: all are free. Those of LEAVING, if it is
// not null, are free: it ends before they are taken.
struct TakenPort {
  std::string address;
  int port = 0;
  Error why;
};
std::optional<TakenPort> FindTakenPort(const TaskGroup& group, const Allocation* leaving,
                                       PortPool* ports);

// One allocation of GROUP on this node, with its ports; without an evaluation and without indexes.
// An error takes no port.
Result<std::shared_ptr<Allocation>> PlaceAllocation(std::shared_ptr<const Job> job,
                                                    const TaskGroup& group, int index,
                                                    const std::string& node_id,
                                                    const std::string& node_name, WallTime now,
                                                    PortPool* ports);

// Gives the ports of an allocation back.
void ReleasePorts(const Allocation& alloc, PortPool* ports);

// The allocations of JOB on this node: one per count of each group, with their ports and cores, of
// which CORES are there. An error names the group and takes no port.
Result<std::vector<std::shared_ptr<const Allocation>>> PlaceJob(std::shared_ptr<const Job> job,
                                                                const std::string& node_id,
                                                                const std::string& node_name,
                                                                WallTime now, PortPool* ports,
                                                                std::vector<int> cores);

}  // namespace drover
