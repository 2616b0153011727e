// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/co.h"

namespace drover {

class KitCase;

// Runs the case that kills the driver's own process while a call of STEP, one of kKillSteps, is
// open. The host starts another process, which must recover the task.
Co<void> KilledAt(KitCase* kit, const char* step);

}  // namespace drover
