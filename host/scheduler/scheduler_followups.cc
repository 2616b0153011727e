// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// The evaluations that wait for their time: replacements of failed and unknown allocations.
#include "host/scheduler/evaluating.h"
#include "host/scheduler/scheduler.h"

namespace drover {

void Scheduler::OnFollowUp(const std::string&) {}

TableMask Scheduler::PutFollowUps(Tables*, std::uint64_t, const Evaluated&) { return 0; }

void Scheduler::OpenForFailures(Tables*, std::uint64_t, const std::set<JobKey>&,
                                std::vector<Opened>*) {}

}  // namespace drover
