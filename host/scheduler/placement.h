// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/spec/allocation.h"

namespace drover {

// The host ports that are taken on this node, by allocations or by anything else. Each port belongs
// to one address of the machine.
class PortPool {
 public:
  // Dynamic ports are chosen from this range.
  static constexpr int kFirst = 20000;
  static constexpr int kLast = 32000;

  virtual ~PortPool() = default;
  // The address for ports that ask for no other one.
  virtual const std::string& address() const = 0;
  // Takes a free port of ADDRESS.
  virtual Result<int> TakeDynamic(const std::string& address) = 0;
  // kFailedPrecondition when PORT of ADDRESS is taken.
  virtual Status CheckStatic(const std::string& address, int port) = 0;
  // The same for the ports of allocations only. It does not look whether anything else listens
  // there.
  virtual Status CheckOwn(const std::string& address, int port) = 0;
  virtual Status TakeStatic(const std::string& address, int port) = 0;
  virtual void Release(const std::string& address, int port) = 0;
  // Takes a port of an allocation that an earlier agent placed, whether its task listens or not.
  virtual void Keep(const std::string& address, int port) = 0;
};

// The pool also looks at the machine: a port on which a socket listens is taken.
std::unique_ptr<PortPool> NewPortPool(std::string address = "127.0.0.1");

// A static port that is taken.
struct TakenPort {
  std::string address;
  int port = 0;
  Error why;
};
// Returns a static port of GROUP that is taken; nothing: all are free. The ports of LEAVING, if it
// is not null, count as free, since it ends first.
std::optional<TakenPort> FindTakenPort(const TaskGroup& group, const Allocation* leaving,
                                       PortPool* ports);

// Makes one allocation of GROUP on this node, with its ports, but without an evaluation and without
// indexes. After an error no port is taken.
Result<std::shared_ptr<Allocation>> PlaceAllocation(std::shared_ptr<const Job> job,
                                                    const TaskGroup& group, int index,
                                                    const std::string& node_id,
                                                    const std::string& node_name, WallTime now,
                                                    PortPool* ports);

// Gives the ports of an allocation back.
void ReleasePorts(const Allocation& alloc, PortPool* ports);

// Makes the allocations of JOB on this node: as many of each group as its count, with ports and
// cores. CORES are the free cores, sorted. An error names the allocation; no port is taken then.
Result<std::vector<std::shared_ptr<const Allocation>>> PlaceJob(std::shared_ptr<const Job> job,
                                                                const std::string& node_id,
                                                                const std::string& node_name,
                                                                WallTime now, PortPool* ports,
                                                                std::vector<int> cores);

}  // namespace drover
