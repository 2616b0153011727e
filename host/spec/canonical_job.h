// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "host/spec/job.h"

namespace drover {

// The job as clients read it: what a client has SENT, with what the reader has made of it in JOB
// and with every other field at the value that Nomad's server gives it, since programs in Go read
// most of them by pointer. What a job says for all of its groups (Update, Reschedule, Migrate) is
// merged into the groups, and a group's RestartPolicy into its tasks. Fields that only a server
// fills in are left out. The canonical form of a canonical job is the same. [any thread]
nlohmann::json CanonicalJob(const Job& job, const nlohmann::json& sent);

}  // namespace drover
