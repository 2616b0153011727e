// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "host/spec/job.h"

namespace drover {

// The job as clients read it: the fields that a client has SENT, with the values that the reader
// made of them in JOB. Every other field has the value that Nomad's server gives it, since programs
// in Go read most fields by pointer. The settings of a job for all its groups (Update, Reschedule,
// Migrate) are merged into the groups, and a group's RestartPolicy into its tasks. Fields that only
// a server fills in are left out. The canonical form of a canonical job is the same. [any thread]
nlohmann::json CanonicalJob(const Job& job, const nlohmann::json& sent);

}  // namespace drover
