// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <utility>

#include "host/base/listener_list.h"

namespace drover {

// A ListenerList for each key. Add removes the keys without listeners each time the number of keys
// has doubled since the last removal. So the cost of removals per Add is constant on average.
// Control thread only.
template <typename Key, typename... Args>
class KeyedListeners {
 public:
  [[nodiscard]] Subscription Add(const Key& key, std::function<void(Args...)> hear) {
    if (lists_.size() >= sweep_at_) {
      std::erase_if(lists_, [](const auto& entry) { return entry.second.empty(); });
      sweep_at_ = std::max(kLeast, 2 * lists_.size());
    }
    return lists_[key].Add(std::move(hear));
  }

  void Call(const Key& key, Args... args) {
    const auto found = lists_.find(key);
    if (found != lists_.end()) found->second.Call(args...);
  }

  std::size_t keys() const { return lists_.size(); }

 private:
  static constexpr std::size_t kLeast = 16;
  std::map<Key, ListenerList<Args...>> lists_;
  std::size_t sweep_at_ = kLeast;
};

}  // namespace drover
