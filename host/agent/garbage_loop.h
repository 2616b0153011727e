// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "host/agent/agent_config.h"
#include "host/base/co.h"
#include "host/base/context.h"
#include "host/scheduler/scheduler.h"

namespace drover {

// Has the scheduler forget what has ended by age and number, by the rules of CONFIG until CONTEXT
// ends; what nobody knows any more, the node removes from the disk. While DISK_USED (percent) is
// above the threshold it looks ten times as often, and the older half goes each time, one at least.
// DISK_USED looks somewhere else,
// as a disk may hang. Control thread only; the pointers outlive this.
Co<void> CollectGarbageForever(Context context, const AgentConfig* config, Scheduler* scheduler,
                               const StateStore* store, std::function<Co<double>()> disk_used);

}  // namespace drover
