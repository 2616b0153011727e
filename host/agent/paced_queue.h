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

// Begins the work of allocations in the order in which it was put, a few at a time. So thousands
// that come together need the memory of these few, since each one reuses what an earlier one has
// freed, and the control thread has no long queue of work. Control thread only.
class PacedQueue {
 public:
  // So much work is under way at most.
  static constexpr std::size_t kMost = 32;
  // Work that hangs must not hold up the rest: after this time it does not count any more, and
  // twice as much begins, until nothing waits.
  static constexpr Duration kPatience = 500ms;

  // Begins the work of ID; CONTEXT is that of Run. Returns false if there is nothing to do any
  // more.
  using Begin = std::function<bool(Context context, const std::string& id)>;
  PacedQueue(Loop* loop, Begin begin) : loop_(loop), begin_(std::move(begin)), wake_(loop) {}

  void Put(std::string id);
  // The work of ID is done, if it was under way.
  void Done(const std::string& id);

  // Begins what is put, until CONTEXT ends.
  Co<void> Run(Context context);

 private:
  void BeginNext(Context context);
  // Forgets the entries that are done or hang.
  void MakeRoom();

  Loop* const loop_;
  const Begin begin_;
  std::deque<std::string> waiting_;
  std::set<std::string> under_way_;
  std::size_t most_ = kMost;
  TimePoint doubled_{};  // when most_ last was
  // The begin times of under_way_, the oldest first. An entry that is done leaves when it is first.
  std::deque<std::pair<TimePoint, std::string>> begun_;
  Event wake_;
};

}  // namespace drover
