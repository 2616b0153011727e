// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "config/task_options.h"
#include "drover/host.hpp"
#include "drover/types.hpp"
#include "engine/engine.h"

namespace drover_docker {

// The pause containers of allocations with a network of their own, for an engine that cannot join a
// network by its path. The tasks of an allocation share one. [any-thread]
class PauseContainers {
 public:
  PauseContainers(drover::Host host, Engine* engine);
  PauseContainers(const PauseContainers&) = delete;
  PauseContainers& operator=(const PauseContainers&) = delete;

  // Returns the id of the pause container in the network of TASK, which is made if it is not there.
  // Blocks. Throws drover::Error.
  std::string Join(const drover::TaskConfig& task, const TaskOptions& options,
                   const CancelToken& cancel);
  // The run RUN, which an earlier instance has started, uses the pause container of the allocation.
  void Adopt(const std::string& run, const std::string& alloc_id);
  // The run RUN has been destroyed. The last one takes the pause container with it. Throws
  // drover::Error if the engine does not remove it.
  void Leave(const std::string& run, const CancelToken& cancel);
  // Returns whether a run of the allocation uses its pause container.
  bool IsUsed(const std::string& alloc_id);

 private:
  struct Allocation {
    std::mutex busy;  // held while the container is made or removed
    std::set<std::string> runs;
  };

  std::shared_ptr<Allocation> Of(const std::string& alloc_id);
  std::string FindRunning(const drover::TaskConfig& task, const CancelToken& cancel);
  std::string Make(const drover::TaskConfig& task, const TaskOptions& options,
                   const CancelToken& cancel);
  std::string NeedImage(const CancelToken& cancel);
  void AwaitEntry(const std::string& id, const std::string& network, const CancelToken& cancel);

  const drover::Host host_;
  Engine* const engine_;
  std::mutex mutex_;  // guards the members below, and Allocation::runs
  std::map<std::string, std::shared_ptr<Allocation>> allocations_;
  std::map<std::string, std::string> alloc_of_;  // by run
};

}  // namespace drover_docker
