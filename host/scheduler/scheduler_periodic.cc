// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// The jobs that start children, by time or by request.
#include "host/scheduler/scheduler.h"

namespace drover {

void Scheduler::OnLaunch(const JobKey&) {}

TableMask Scheduler::PlanLaunch(Tables*, std::uint64_t, const JobKey&) { return 0; }

}  // namespace drover
