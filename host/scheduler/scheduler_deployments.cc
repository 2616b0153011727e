// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Deployments: what clients ask of them, and how they go on.
#include "host/scheduler/scheduler.h"

namespace drover {

void Scheduler::OnDeployment(const std::string&) {}

TableMask Scheduler::GoOnWithDeployment(Tables*, std::uint64_t, const JobKey&,
                                        std::vector<Opened>*) {
  return 0;
}

TableMask Scheduler::EndDeployments(Tables*, std::uint64_t, const JobKey&) { return 0; }

}  // namespace drover
