// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node_link/contact_watch.h"

#include <algorithm>

namespace drover {

void ContactWatch::Watch(const std::string& alloc_id, Duration limit) {
  const auto known = limits_.find(alloc_id);
  if (known != limits_.end() && known->second == limit) return;
  Forget(alloc_id);
  limits_.emplace(alloc_id, limit);
  by_limit_.emplace(limit, alloc_id);
  wake_.Set();
}

void ContactWatch::Forget(const std::string& alloc_id) {
  const auto known = limits_.find(alloc_id);
  if (known == limits_.end()) return;
  by_limit_.erase({known->second, alloc_id});
  limits_.erase(known);
}

Co<void> ContactWatch::Run(Context context) {
  while (!context.cancelled()) {
    wake_.Reset();
    if (by_limit_.empty()) {
      (void)co_await wake_.Wait(context);
      continue;
    }
    const TimePoint due = heard_ + std::max(by_limit_.begin()->first, least_);
    if (due > loop_->Now()) {
      // If the server answers in the meantime, this looks again at the old time, and not at each
      // answer.
      const Context until = context.WithDeadline(due);
      (void)co_await wake_.Wait(until);
      continue;
    }
    const std::string id = by_limit_.begin()->second;
    Forget(id);
    stop_(id);
  }
}

}  // namespace drover
