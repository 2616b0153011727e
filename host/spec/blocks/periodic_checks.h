// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "host/base/result.h"
#include "host/spec/job_place.h"

namespace drover {

// The largest payload of a dispatch, in bytes before base64.
inline constexpr std::size_t kMostPayload = 16384;

inline constexpr std::size_t kMostPayloadFile = 1024;  // of its name, with directories

// Returns whether FILE is a plain path below a directory.
bool IsPayloadFile(std::string_view file);

// Adds the faults of the blocks by which JOB starts children, and of what a child has from its
// start. AT is the place of the job. It does not look at the expressions and the zone of a periodic
// job: see CheckSchedule in host/periodic. [part of CheckJob]
void CheckStarts(const Job& job, const JobPlace& at);

// Adds a warning for each payload that never comes. [part of ParseJob]
void WarnOfStarts(const Job& job, const JobPlace& at);

// Checks ID, that of a child of PARENT, of which a request has chosen a part.
Status CheckChildId(const Job& parent, const std::string& id);

}  // namespace drover
