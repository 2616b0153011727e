// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "host/spec/job.h"

namespace drover {

// Which types of jobs may take the room of allocations with a lower priority.
struct PreemptionConfig {
  bool system = true;
  bool sysbatch = false;
  bool batch = false;
  bool service = false;

  bool Allows(JobType type) const {
    switch (type) {
      case JobType::kSystem:
        return system;
      case JobType::kSysbatch:
        return sysbatch;
      case JobType::kBatch:
        return batch;
      case JobType::kService:
        return service;
    }
    return false;
  }
  bool operator==(const PreemptionConfig&) const = default;
};

// What an operator has set by request. It wins over the configuration of the agent.
struct SchedulerConfig {
  PreemptionConfig preemption;
  std::uint64_t create_index = 0;
  std::uint64_t modify_index = 0;

  bool operator==(const SchedulerConfig&) const = default;
};

}  // namespace drover
