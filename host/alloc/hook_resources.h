// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "host/spec/job.h"

namespace drover {

// The network that an allocation got, as clients see it.
struct AllocNetworkStatus {
  std::string interface_name;
  std::string address;
  std::string address_ipv6;
  std::vector<std::string> dns_servers;
  std::vector<std::string> dns_searches;
  std::vector<std::string> dns_options;

  bool operator==(const AllocNetworkStatus&) const = default;
};

// The network namespace that the tasks of an allocation share.
struct NetworkIsolation {
  std::string mode;
  std::string path;  // of the namespace
  StringMap labels;

  bool operator==(const NetworkIsolation&) const = default;
};

// What the hooks of one allocation leave for each other and for its tasks. Hooks may do their work
// on other threads, so this one object has a lock. [any thread]
class HookResources {
 public:
  void SetNetworkStatus(AllocNetworkStatus status);
  std::optional<AllocNetworkStatus> network_status() const;

  void SetNetworkIsolation(NetworkIsolation isolation);
  std::optional<NetworkIsolation> network_isolation() const;

  // Mounts for a task beside those of the job, by the volume's name.
  void SetTaskMountSource(std::string volume, std::string host_path);
  std::optional<std::string> task_mount_source(const std::string& volume) const;

 private:
  mutable std::mutex mutex_;
  std::optional<AllocNetworkStatus> network_status_;
  std::optional<NetworkIsolation> network_isolation_;
  StringMap mount_sources_;
};

}  // namespace drover
