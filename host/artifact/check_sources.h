// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/spec/job.h"
#include "host/spec/job_faults.h"

namespace drover {

// Adds the faults of the sources of all artifacts of JOB to FAULTS: what this version can never
// fetch, whatever the network says. POINTER is the JSON pointer of the job. An artifact whose
// source or options hold ${...} is looked at when its task starts. [any thread]
void CheckArtifactSources(const Job& job, const std::string& pointer, JobFaults* faults);

}  // namespace drover
