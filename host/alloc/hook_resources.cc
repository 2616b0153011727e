// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/hook_resources.h"

#include <utility>

namespace drover {

void HookResources::SetNetworkStatus(AllocNetworkStatus status) {
  const std::lock_guard lock(mutex_);
  network_status_ = std::move(status);
}

std::optional<AllocNetworkStatus> HookResources::network_status() const {
  const std::lock_guard lock(mutex_);
  return network_status_;
}

void HookResources::SetNetworkIsolation(NetworkIsolation isolation) {
  const std::lock_guard lock(mutex_);
  network_isolation_ = std::move(isolation);
}

std::optional<NetworkIsolation> HookResources::network_isolation() const {
  const std::lock_guard lock(mutex_);
  return network_isolation_;
}

void HookResources::SetTaskMountSource(std::string volume, std::string host_path) {
  const std::lock_guard lock(mutex_);
  mount_sources_[std::move(volume)] = std::move(host_path);
}

std::optional<std::string> HookResources::task_mount_source(const std::string& volume) const {
  const std::lock_guard lock(mutex_);
  const auto found = mount_sources_.find(volume);
  if (found == mount_sources_.end()) return std::nullopt;
  return found->second;
}

}  // namespace drover
