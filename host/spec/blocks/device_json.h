// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "host/spec/blocks/device.h"
#include "host/spec/job_members.h"

namespace drover {

// Reads a constraint of a job, a group, a task or a device. [part of ParseJob]
void ReadConstraint(const JobMembers& in, Constraint* constraint);
// Reads a request for devices. [part of ParseJob]
void ReadDeviceRequest(const JobMembers& in, DeviceRequest* request);

// These return what the functions above read; null if there is nothing. [part of JobToJson]
nlohmann::json ConstraintsToJson(const std::vector<Constraint>& constraints);
nlohmann::json DeviceRequestsToJson(const std::vector<DeviceRequest>& requests);

}  // namespace drover
