// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <string>

namespace drover {

// Results of an allocation's hooks that other code reads. Hooks may work on other threads, so this
// object has a lock. [any thread]
class HookResources {
 public:
  // The path of the tasks' network namespace, which a prerun hook sets. If it is empty, the tasks
  // use the host's network namespace.
  void SetNetworkNamespace(std::string path);
  std::string network_namespace() const;

 private:
  mutable std::mutex mutex_;
  std::string network_namespace_;
};

}  // namespace drover
