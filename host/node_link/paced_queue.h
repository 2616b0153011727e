// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/event.h"

namespace drover {

// Begins the work for allocations in the order in which Put queued them, a few at a time. So even
// the work for thousands of allocations needs only the memory of a few. The work for each
// allocation reuses the memory that earlier work has freed. And the control thread never has a
// long queue of work. Control thread only.
class PacedQueue {
 public:
  // The maximum number of allocations whose work is under way.
  static constexpr std::size_t kMost = 32;
  // Work that hangs must not hold up the other work. After the time kPatience, work is not
  // regarded as under way any more. If allocations still wait then, the maximum is doubled, at
  // most once in kPatience. When no allocation waits, the maximum returns to kMost.
  static constexpr Duration kPatience = 500ms;

  // A function that begins the work for ID. CONTEXT is the context of Run. Returns false if
  // nothing is left to do for ID.
  using Begin = std::function<bool(Context context, const std::string& id)>;
  PacedQueue(Loop* loop, Begin begin) : loop_(loop), begin_(std::move(begin)), wake_(loop) {}

  void Put(std::string id);
  // Notes that the work for ID is done. Does nothing if no work for ID is under way.
  void Done(const std::string& id);

  // Begins the work for queued ids until CONTEXT ends.
  Co<void> Run(Context context);

 private:
  void BeginNext(Context context);
  // Drops the entries of work that is done or hangs.
  void MakeRoom();

  Loop* const loop_;
  const Begin begin_;
  std::deque<std::string> waiting_;
  std::set<std::string> under_way_;
  std::size_t most_ = kMost;
  TimePoint doubled_{};  // when most_ was last doubled
  // When the work for each id began, the oldest first. The entry of finished work stays until it
  // is the first entry.
  std::deque<std::pair<TimePoint, std::string>> begun_;
  Event wake_;
};

}  // namespace drover
