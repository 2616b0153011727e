// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "host/base/time.h"
#include "host/cluster/cluster_address.h"

namespace drover {

// Returns a random number below LIMIT, which is not 0.
using RandomBelow = std::function<std::size_t(std::size_t limit)>;
RandomBelow KernelRandom();

// The servers that a node may call, in the order in which it tries them. The order is random, so
// that the nodes of a cluster divide themselves among its servers. Control thread only.
class ServerList {
 public:
  // The maximum number of servers. Servers beyond it are left out.
  static constexpr std::size_t kMost = 64;

  explicit ServerList(RandomBelow random) : random_(std::move(random)) {}

  // Replaces the servers. The order stays if they are the same. Ignores an empty list. Returns
  // whether the servers have changed.
  bool Replace(std::vector<ClusterAddress> servers);
  // Returns the server to call, if there is any.
  std::optional<ClusterAddress> First() const;
  // Moves SERVER, which did not answer, to the end.
  void Failed(const ClusterAddress& server);
  void Shuffle();
  // Returns how long a node keeps its server, with a random part. NODES is the size of the cluster:
  // a server of a very large one gets few new connections per second.
  Duration KeepTime(std::size_t nodes) const;

  bool Has(const ClusterAddress& server) const;
  std::size_t size() const { return servers_.size(); }
  const std::vector<ClusterAddress>& servers() const { return servers_; }

 private:
  const RandomBelow random_;
  std::vector<ClusterAddress> servers_;
};

}  // namespace drover
