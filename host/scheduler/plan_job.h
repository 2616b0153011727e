// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/reconcile/job_plan.h"
#include "host/state/tables.h"

namespace drover {

// Returns what must happen with the job KEY. JOB is its wanted version, which need not be in
// TABLES; null if the job was purged. EVAL is the evaluation that will be carried out.
JobPlan PlanJob(const Tables& tables, const JobRecord* job, const JobKey& key,
                const Evaluation& eval, WallTime now);

}  // namespace drover
