// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "host/base/ids.h"
#include "host/base/time.h"

// DROVER_TRACE=abi in the environment: each call of a plugin's function, each completion, each call
// that the plugin makes of its host and the end of each service is a line on standard error with
// its time and status. Any thread.
namespace drover {

bool TracesAbi();

// A function has returned STATUS after it began at BEGAN.
void TraceReturn(const std::string& plugin, const char* function, std::uint64_t id,
                 const RunId& run, TimePoint began, std::int32_t status);
// The asynchronous call ID has been completed.
void TraceCompletion(const std::string& plugin, const char* verb, std::uint64_t id,
                     const RunId& run, TimePoint began, std::int32_t status);
// The driver's function for the end of a service has returned; STATUS is the service's.
void TraceDone(const std::string& plugin, const char* service, TimePoint began,
               std::int32_t status);

}  // namespace drover
