// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/alloc/coordinator.h"
#include "host/spec/allocation.h"

namespace drover {

// The status of an allocation as clients see it, with the sentence that describes it.
struct AllocStatus {
  ClientStatus status = ClientStatus::kPending;
  std::string description;

  bool operator==(const AllocStatus&) const = default;
};

// Derives the status from the states of the tasks.
AllocStatus ComputeAllocStatus(const TaskStates& states);

}  // namespace drover
