// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "host/spec/job.h"
#include "host/spec/job_faults.h"

namespace drover {

// How long the texts of templates may be that CheckTemplateTexts reads: each, and all of a job. So
// it takes some hundredths of a second and some tens of megabytes at most. A longer text is read
// when its task starts.
inline constexpr std::size_t kMostCheckedTemplate = std::size_t{128} << 10;
inline constexpr std::size_t kMostCheckedTemplates = std::size_t{1} << 20;

// Adds the faults in the texts of all templates of JOB to FAULTS: wrong syntax, unknown functions
// and refused ones, each with its line and column. POINTER is the JSON pointer of the job. A text
// with ${...} in an action is not read. [any thread]
void CheckTemplateTexts(const Job& job, const std::string& pointer, JobFaults* faults);

}  // namespace drover
