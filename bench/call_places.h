// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/base/loop.h"
#include "host/base/worker_pool.h"
#include "host/plugin/plugin_registry.h"

namespace drover::bench {

// The driver mock in one place. Measures each of its calls as task runners make them: from the
// control thread until the answer is there. The mock does next to nothing in any call.
class CallPlace {
 public:
  // ISOLATION is that of an agent's configuration.
  CallPlace(RealLoop* loop, WorkerPool* workers, std::string isolation);

  // Loads the driver, makes each call for CALLS tasks, one call after the other, and unloads it.
  void Round(int calls);
  void Forget() { times_.clear(); }

  // The calls by name, in the order in which they are made.
  const std::vector<std::string>& calls() const { return calls_; }
  // Microseconds, one value for each round: the median of its calls.
  const std::vector<double>& times(const std::string& call) const { return times_.at(call); }

 private:
  using Tasks = std::vector<std::shared_ptr<const TaskConfig>>;

  template <typename ADriver>
  Co<void> MakeCalls(ADriver* driver, int calls);
  template <typename ADriver>
  Co<void> Verb(ADriver* driver, std::string verb, Tasks tasks);
  template <typename ADriver>
  Co<void> Fingerprints(ADriver* driver, int calls);
  template <typename ADriver>
  Co<void> Samples(ADriver* driver, Tasks tasks);
  template <typename ADriver>
  Co<void> Commands(ADriver* driver, Tasks tasks);
  void Note(const std::string& call, std::vector<double> took);

  RealLoop* const loop_;
  WorkerPool* const workers_;
  const Context context_;
  PluginRegistryOptions options_;
  std::vector<std::string> calls_;
  std::map<std::string, std::vector<double>> times_;
};

}  // namespace drover::bench
