// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

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

// Results of an allocation's hooks that others read. Hooks may work on other threads, so this one
// object has a lock. [any thread]
class HookResources {
 public:
  void SetNetworkStatus(AllocNetworkStatus status);
  std::optional<AllocNetworkStatus> network_status() const;

  // The path of the tasks' network namespace, set by a prerun hook. Empty: that of the host.
  void SetNetworkNamespace(std::string path);
  std::string network_namespace() const;

 private:
  mutable std::mutex mutex_;
  std::string network_namespace_;
  std::optional<AllocNetworkStatus> network_status_;
};

}  // namespace drover
