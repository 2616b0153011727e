// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "host/spec/job.h"

namespace drover {

// Returns the job in the form that clients read. Fields that the client has SENT have the values
// that the reader made of them in JOB. Every other field has the value that Nomad's server gives
// it, since clients in Go dereference pointers to most fields. The settings of a job for all its
// groups (Update, Reschedule, Migrate) are merged into the groups. The RestartPolicy of a group is
// merged into its tasks. Fields that only a server fills in are left out. A job that already has
// this form is returned unchanged. [any thread]
nlohmann::json CanonicalJob(const Job& job, const nlohmann::json& sent);

}  // namespace drover
