// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <string>

namespace drover {

// How many connections there are, of all clients and of each. [any thread]
class ConnectionCount {
 public:
  // 0 is no limit.
  ConnectionCount(int most, int most_per_client) : most_(most), most_per_client_(most_per_client) {}

  // False, and nothing counted, when that were too many.
  bool Add(const std::string& client);
  void Remove(const std::string& client);
  int total() const;

 private:
  const int most_;
  const int most_per_client_;
  mutable std::mutex mutex_;
  int total_ = 0;
  std::map<std::string, int> clients_;
};

}  // namespace drover
