// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "host/base/common_text.h"
#include "host/base/small_text.h"
#include "host/base/time.h"
#include "host/spec/allocation.h"

namespace drover {

// One replacement of a failed allocation. Replacements after a migration or a loss do not count.
struct RescheduleEvent {
  WallTime time = 0;  // when the replacement was placed
  std::string previous_alloc;
  std::string previous_node;
  Duration delay{0};  // how long it had to wait

  bool operator==(const RescheduleEvent&) const = default;
};

// Each change of the client status that the scheduler made or saw while the node had no contact.
// The last one that says unknown, followed by none, is a disconnection that goes on. So a reconnect
// is handled once.
struct AllocStateChange {
  ClientStatus to = ClientStatus::kUnknown;
  WallTime time = 0;

  bool operator==(const AllocStateChange&) const = default;
};

// A node that loses its contact again and again does not make the record of an allocation grow.
inline constexpr std::size_t kMostStates = 20;

// What few allocations have: their past, and what the scheduler plans for them. An allocation
// record without any of it has none, so it costs nothing.
struct AllocChange {
  std::vector<RescheduleEvent> reschedules;  // of this allocation and those before it, oldest first
  CommonText last_reschedule;                // "ok", "no placement" or empty
  SmallText follow_up_eval;                  // the evaluation that will replace the allocation
  std::vector<AllocStateChange> states;      // the newest kMostStates
  std::vector<std::string> preempted;        // ids of allocations that made room for this one
  SmallText preempted_by;                    // id of the allocation for which this one made room

  bool operator==(const AllocChange&) const = default;
};

}  // namespace drover
