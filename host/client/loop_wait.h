// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "host/base/event.h"
#include "host/base/loop.h"
#include "host/base/result.h"

namespace drover {

// A time that is longer than any program runs.
inline constexpr Duration kForever = std::chrono::hours(24 * 365 * 10);

// Runs LOOP until EVENT is set, one of FDS can be read, or MOST has passed. Ignores descriptors
// below 0. Does not make FDS non-blocking, because other programs may share them.
Status RunUntil(RealLoop* loop, Event* event, const std::vector<int>& fds, Duration most);

}  // namespace drover
