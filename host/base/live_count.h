// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace drover {

// Counts the living objects of a class. It is a base for classes whose objects must never leak.
// The counts are metrics, and tests check that they return to their first value. [any thread]
template <typename T>
class LiveCount {
 public:
  static long live() { return count_.load(std::memory_order_relaxed); }

 protected:
  LiveCount() { count_.fetch_add(1, std::memory_order_relaxed); }
  LiveCount(const LiveCount&) : LiveCount() {}
  LiveCount& operator=(const LiveCount&) = default;
  ~LiveCount() { count_.fetch_sub(1, std::memory_order_relaxed); }

 private:
  inline static std::atomic<long> count_{0};
};

}  // namespace drover
