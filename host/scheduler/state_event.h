// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "host/scheduler/records.h"

namespace drover {

// The subject of an event: the alternatives of StateEvent::record, in their order.
enum class Topic { kJob, kEvaluation, kAllocation, kNode };

// One record as a write has left it, or as it was when the write erased it.
struct StateEvent {
  std::variant<std::shared_ptr<const JobRecord>, std::shared_ptr<const Evaluation>,
               std::shared_ptr<const AllocRecord>, std::shared_ptr<const NodeRecord>>
      record;
  bool erased = false;
  bool silent = false;  // only the journal gets it

  Topic topic() const { return static_cast<Topic>(record.index()); }
  // The id of the record.
  const std::string& Key() const;
  // Empty for a node, which is in none.
  const std::string& Namespace() const;
  // The ids by which clients find it besides its key: the id of its job.
  std::vector<std::string> FilterKeys() const;
};

// The events of one write.
struct EventBatch {
  std::uint64_t index = 0;
  std::string_view cause;  // one of those below
  std::vector<StateEvent> events;

  // The cause, or "PlanResult" for allocations that an evaluation of their job placed or stopped.
  std::string_view TypeOf(const StateEvent& event) const;
};

// The causes of writes. Clients read them as the types of events.
namespace cause {
inline constexpr std::string_view kJobRegistered = "JobRegistered";
inline constexpr std::string_view kJobDeregistered = "JobDeregistered";
inline constexpr std::string_view kJobsCollected = "JobBatchDeregistered";
inline constexpr std::string_view kJobVersion = "JobVersionUpdated";  // only silent events
inline constexpr std::string_view kEvaluation = "EvaluationUpdated";
inline constexpr std::string_view kAllocStop = "AllocationUpdateDesiredStatus";
inline constexpr std::string_view kAllocUpdate = "AllocationUpdated";
inline constexpr std::string_view kNodeRegistration = "NodeRegistration";
inline constexpr std::string_view kNodeEligibility = "NodeEligibility";
inline constexpr std::string_view kNodeDrain = "NodeDrain";
inline constexpr std::string_view kNodeStatus = "NodeStreamEvent";
}  // namespace cause

}  // namespace drover
