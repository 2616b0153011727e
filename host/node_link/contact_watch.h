// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/event.h"

namespace drover {

// Stops allocations when their node has had no contact with its server for as long as they allow
// (stop_on_client_after). Between two heartbeats the node cannot know, so none is stopped before
// the next answer is overdue. The time is of the loop, so it also runs while the machine sleeps. It
// begins anew with each agent: the embedded scheduler is there as soon as its node is. Costs
// nothing while no allocation has such a limit. Control thread only.
class ContactWatch {
 public:
  using Stop = std::function<void(const std::string& alloc_id)>;
  // How long the answer to a heartbeat may take.
  static constexpr Duration kAnswer = 5s;

  ContactWatch(Loop* loop, Stop stop)
      : loop_(loop), stop_(std::move(stop)), heard_(loop->Now()), wake_(loop) {}

  // Sets the limit of an allocation.
  void Watch(const std::string& alloc_id, Duration limit);
  void Forget(const std::string& alloc_id);
  // Notes that the server has answered. The next heartbeat follows after NEXT.
  void Heard(Duration next) {
    heard_ = loop_->Now();
    least_ = next + kAnswer;
  }

  // Stops allocations, each once, until CONTEXT ends.
  Co<void> Run(Context context);

  std::size_t watched() const { return limits_.size(); }

 private:
  Loop* const loop_;
  const Stop stop_;
  TimePoint heard_;
  Duration least_ = kAnswer;  // without contact, whatever the limits
  std::map<std::string, Duration> limits_;
  std::set<std::pair<Duration, std::string>> by_limit_;  // the same, the shortest first
  Event wake_;
};

}  // namespace drover
