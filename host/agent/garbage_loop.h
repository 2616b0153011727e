// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/config/agent_config.h"
#include "host/scheduler/scheduler.h"

namespace drover {

// Makes SCHEDULER collect ended records by age and number, by the rules of CONFIG, until CONTEXT
// ends. The node then removes the files of collected allocations. DISK_USED returns how full the
// disk of the allocations is, in percent. While the disk is fuller than the threshold, the
// scheduler collects ten times as often. Each of these collections removes the older half of the
// ended allocations, at least one allocation. DISK_USED must read the disk on another thread,
// since a disk may hang. Control thread only. The pointers must outlive the call.
Co<void> CollectGarbageForever(Context context, const AgentConfig* config, Scheduler* scheduler,
                               const StateStore* store, std::function<Co<double>()> disk_used);

}  // namespace drover
