// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "host/state/scaling_record.h"

// These functions encode scaling policies as JSON for clients. [any thread]
namespace drover {

nlohmann::json EncodeScalingPolicy(const ScalingRecord& record);
// Returns a policy as lists show it.
nlohmann::json EncodeScalingStub(const ScalingRecord& record);
// Adds the ids, targets and indexes of SCALING to the scaling blocks of JOB, a job in canonical
// form.
void AddScalingAnswers(const ScalingRecords& scaling, nlohmann::json* job);

}  // namespace drover
