// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/hook_resources.h"

#include <utility>

namespace drover {

void HookResources::SetNetworkNamespace(std::string path) {
  const std::lock_guard lock(mutex_);
  network_namespace_ = std::move(path);
}

std::string HookResources::network_namespace() const {
  const std::lock_guard lock(mutex_);
  return network_namespace_;
}

}  // namespace drover
