// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/interruptible.h"

#include <atomic>

namespace drover {
namespace {

std::atomic<long> abandoned{0};

}  // namespace

long AbandonedHookCalls() { return abandoned.load(std::memory_order_relaxed); }
void CountAbandonedHookCall() { abandoned.fetch_add(1, std::memory_order_relaxed); }

}  // namespace drover
