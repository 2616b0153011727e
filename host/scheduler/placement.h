// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/spec/allocation.h"

namespace drover {

// The host ports that are taken on this node, by allocations or by anything else.
class PortPool {
 public:
  // Dynamic ports are chosen from this range.
  static constexpr int kFirst = 20000;
  static constexpr int kLast = 32000;

  virtual ~PortPool() = default;
  // A free port, which is then taken.
  virtual Result<int> TakeDynamic() = 0;
  // kFailedPrecondition when PORT is taken.
  virtual Status TakeStatic(int port) = 0;
  virtual void Release(int port) = 0;
  // Of an allocation that an earlier agent placed: it is taken, whether it listens or not.
  virtual void Keep(int port) = 0;
};

// Looks at the machine too: a port that a socket listens on is taken.
std::unique_ptr<PortPool> NewPortPool();

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
