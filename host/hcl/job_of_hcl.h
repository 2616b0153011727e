// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "host/spec/job_faults.h"

namespace drover {

// Returns the job in the form of Nomad's API. DECODED is what drover-hcl made of a job file by
// JobHclSchema. FAULTS receives what cannot be brought into that form. [any thread]
nlohmann::json JobOfHcl(nlohmann::json decoded, JobFaults* faults);

}  // namespace drover
