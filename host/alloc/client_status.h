// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/alloc/coordinator.h"
#include "host/spec/allocation.h"

namespace drover {

// What an allocation is, seen from outside, and the sentence that says so.
struct AllocStatus {
  ClientStatus status = ClientStatus::kPending;
  std::string description;

  bool operator==(const AllocStatus&) const = default;
};

// Made of the states of the tasks.
AllocStatus ComputeAllocStatus(const TaskStates& states);

}  // namespace drover
