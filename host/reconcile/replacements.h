// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "host/reconcile/reconcile.h"

namespace drover {

// Finds the allocations that replaced another one, one after another.
class Replacements {
 public:
  // ALLOCS are those of the job, and must outlive this object.
  explicit Replacements(const JobAllocs& allocs) : allocs_(allocs) {}

  // Calls VISIT with each allocation that replaced RECORD, the first one first, until it returns
  // false, or a record is gone. Records come from the disk, so they may name each other in a ring.
  template <typename Visit>
  void Follow(const AllocRecord& record, Visit visit) {
    const std::string* next = &record.next;
    if (next->empty()) return;
    if (by_id_.empty()) {
      for (const auto& of_job : allocs_) by_id_.emplace(of_job->id(), of_job);
    }
    for (std::size_t steps = by_id_.size(); !next->empty() && steps > 0; --steps) {
      const auto found = by_id_.find(*next);
      if (found == by_id_.end() || !visit(found->second)) return;
      next = &found->second->next;
    }
  }

 private:
  const JobAllocs& allocs_;
  std::map<std::string_view, SharedAlloc> by_id_;  // empty until needed
};

}  // namespace drover
