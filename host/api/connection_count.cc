// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/api/connection_count.h"

namespace drover {

bool ConnectionCount::Add(const std::string& client) {
  const std::scoped_lock lock(mutex_);
  if (most_ > 0 && total_ >= most_) return false;
  const auto found = clients_.find(client);
  if (most_per_client_ > 0 && found != clients_.end() && found->second >= most_per_client_) {
    return false;
  }
  ++clients_[client];
  ++total_;
  return true;
}

void ConnectionCount::Remove(const std::string& client) {
  const std::scoped_lock lock(mutex_);
  const auto found = clients_.find(client);
  if (found == clients_.end()) return;
  if (--found->second == 0) clients_.erase(found);
  --total_;
}

int ConnectionCount::total() const {
  const std::scoped_lock lock(mutex_);
  return total_;
}

}  // namespace drover
