// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cluster/server_list.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "host/base/ids.h"

namespace drover {
namespace {

constexpr Duration kLeastKeepTime = 5min;
// Connections that one server takes per second while nodes change their servers.
constexpr std::size_t kNewPerSecond = 64;

}  // namespace

RandomBelow KernelRandom() {
  return [](std::size_t limit) {
    std::uint64_t number = 0;
    RandomBytes(&number, sizeof number);
    return static_cast<std::size_t>(number % limit);
  };
}

bool ServerList::Replace(std::vector<ClusterAddress> servers) {
  std::set<ClusterAddress> wanted;
  for (ClusterAddress& server : servers) {
    if (wanted.size() < kMost) wanted.insert(std::move(server));
  }
  const std::set<ClusterAddress> known(servers_.begin(), servers_.end());
  if (wanted.empty() || wanted == known) return false;
  servers_.assign(wanted.begin(), wanted.end());
  Shuffle();
  return true;
}

std::optional<ClusterAddress> ServerList::First() const {
  if (servers_.empty()) return std::nullopt;
  return servers_.front();
}

void ServerList::Failed(const ClusterAddress& server) {
  const auto found = std::find(servers_.begin(), servers_.end(), server);
  if (found != servers_.end()) std::rotate(found, found + 1, servers_.end());
}

void ServerList::Shuffle() {
  for (std::size_t left = servers_.size(); left > 1; --left) {
    std::swap(servers_[left - 1], servers_[random_(left)]);
  }
}

Duration ServerList::KeepTime(std::size_t nodes) const {
  const std::size_t servers = std::max<std::size_t>(1, servers_.size());
  // A hostile number must not overflow.
  const std::size_t most = std::min<std::size_t>(nodes, 10'000'000);
  const Duration needed = std::chrono::seconds(most / (kNewPerSecond * servers));
  const Duration least = std::max(kLeastKeepTime, needed);
  const auto part = static_cast<std::size_t>(least.count() / 5);
  return least + Duration(random_(part));
}

bool ServerList::Has(const ClusterAddress& server) const {
  return std::find(servers_.begin(), servers_.end(), server) != servers_.end();
}

}  // namespace drover
