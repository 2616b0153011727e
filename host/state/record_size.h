// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <unordered_map>

#include "host/state/state_event.h"

namespace drover {

// Returns about how many bytes of memory a record takes, without the job of an allocation, and
// without what a job shares with its parent.
std::size_t SizeOf(const JobRecord& record);
std::size_t SizeOf(const JobSubmission& submission);
std::size_t SizeOf(const Evaluation& eval);
std::size_t SizeOf(const AllocRecord& record);
std::size_t SizeOf(const TaskStateRecord& state);
std::size_t SizeOf(const NodeRecord& node);
std::size_t SizeOf(const ServiceRegistration& service);
std::size_t SizeOf(const VariableRecord& variable);
std::size_t SizeOf(const VolumeRecord& volume);
std::size_t SizeOf(const Deployment& deployment);
std::size_t SizeOf(const PeriodicLaunch& launch);
std::size_t SizeOf(const JobRestart& restart);
std::size_t SizeOf(const SchedulerConfig& config);

// Counts the memory of a set of events. Records share parts: allocations share their job, and
// versions of an allocation share task states. Each part counts once, as long as any event in the
// set has it.
class RecordSizes {
 public:
  void Add(const StateEvent& event);
  // Removes EVENT, which must have been added.
  void Remove(const StateEvent& event);

  std::size_t bytes() const { return bytes_; }

 private:
  struct Part {
    std::size_t bytes = 0;
    std::size_t uses = 0;
  };
  std::unordered_map<const void*, Part> parts_;
  std::size_t bytes_ = 0;
};

}  // namespace drover
