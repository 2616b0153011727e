// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <string>

namespace drover {

// Results of an allocation's hooks that others read. Hooks may work on other threads, so this one
// object has a lock. [any thread]
class HookResources {
 public:
  // The path of the tasks' network namespace, set by a prerun hook. Empty: that of the host.
  void SetNetworkNamespace(std::string path);
  std::string network_namespace() const;

 private:
  mutable std::mutex mutex_;
  std::string network_namespace_;
};

}  // namespace drover
