// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "host/agent/agent_config.h"
#include "host/base/co.h"
#include "host/base/context.h"
#include "host/scheduler/scheduler.h"

namespace drover {

// Makes SCHEDULER collect ended records by age and number, by the rules of CONFIG, until CONTEXT
// ends. The node then removes the files of collected allocations. While DISK_USED (percent) is
// above the threshold, collects ten times as often, each time the older half, at least one.
// DISK_USED must read the disk on another thread, as a disk may hang. Control thread only; the
// pointers outlive this.
Co<void> CollectGarbageForever(Context context, const AgentConfig* config, Scheduler* scheduler,
                               const StateStore* store, std::function<Co<double>()> disk_used);

}  // namespace drover
