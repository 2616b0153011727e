// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "drover/error.hpp"

// A table that finds the open calls, streams or sessions of an instance by their ids. The table
// does not own them.
namespace drover {
inline namespace sdk_v1 {
namespace abi {

// The part of the table that does not depend on the type of the items, so that it is compiled once.
class OpenIds {
 public:
  DROVER_SDK_ONCE void Add(std::uint64_t id, std::weak_ptr<void> item) {
    std::lock_guard<std::mutex> lock(mutex_);
    open_[id] = std::move(item);
  }
  DROVER_SDK_ONCE void Remove(std::uint64_t id) {
    std::lock_guard<std::mutex> lock(mutex_);
    open_.erase(id);
  }
  DROVER_SDK_ONCE bool Has(std::uint64_t id) const {
    std::lock_guard<std::mutex> lock(mutex_);
    return open_.count(id) != 0;
  }
  DROVER_SDK_ONCE std::shared_ptr<void> Find(std::uint64_t id) const {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = open_.find(id);
    return found == open_.end() ? nullptr : found->second.lock();
  }
  DROVER_SDK_ONCE std::vector<std::shared_ptr<void>> All() const {
    std::vector<std::shared_ptr<void>> out;
    std::lock_guard<std::mutex> lock(mutex_);
    for (auto& item : open_) {
      std::shared_ptr<void> alive = item.second.lock();
      if (alive != nullptr) out.push_back(std::move(alive));
    }
    return out;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::weak_ptr<void>> open_;
};

template <typename T>
class OpenTable {
 public:
  void Add(std::uint64_t id, const std::shared_ptr<T>& item) { ids_.Add(id, item); }
  void Remove(std::uint64_t id) { ids_.Remove(id); }
  bool Has(std::uint64_t id) const { return ids_.Has(id); }
  std::shared_ptr<T> Find(std::uint64_t id) const {
    return std::static_pointer_cast<T>(ids_.Find(id));
  }
  // Calls VISIT with each item that still exists. The table is not locked during a call of VISIT.
  template <typename Visit>
  void ForAll(Visit&& visit) const {
    for (const std::shared_ptr<void>& item : ids_.All()) visit(*static_cast<T*>(item.get()));
  }

 private:
  OpenIds ids_;
};

}  // namespace abi
}  // namespace sdk_v1
}  // namespace drover
