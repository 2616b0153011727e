// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/spec/job_place.h"

namespace drover {

// Returns whether a constraint or an affinity may have OPERAND.
bool IsOperand(std::string_view operand);
// Returns whether a constraint with OPERAND limits the number of allocations.
bool IsDistinct(std::string_view operand);

// Adds the faults of the devices that a task asks for. AT is the place of the list.
// [part of CheckJob]
void CheckDeviceRequests(const std::vector<DeviceRequest>& requests, const JobPlace& at);

}  // namespace drover
