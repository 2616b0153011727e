// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "host/base/ids.h"
#include "host/base/time.h"

// DROVER_TRACE=abi in the environment: each call of a plugin's function, and each completion, is a
// line on standard error with its time and status. Any thread.
namespace drover {

bool TracesAbi();

// A function has returned STATUS after it began at BEGAN.
void TraceReturn(const std::string& plugin, const char* function, std::uint64_t id,
                 const RunId& run, TimePoint began, std::int32_t status);
// The asynchronous call ID has been completed.
void TraceCompletion(const std::string& plugin, const char* verb, std::uint64_t id,
                     const RunId& run, TimePoint began, std::int32_t status);

}  // namespace drover
