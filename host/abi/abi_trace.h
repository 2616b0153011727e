// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "host/base/ids.h"
#include "host/base/time.h"

// The trace of the ABI, which the environment variable DROVER_TRACE=abi turns on. The trace writes
// one line with time and status to standard error for each of these events: a call of a plugin's
// function, the completion of a call, a plugin's call of a host function, and the end of an
// operation of a service of the host, such as the process service. Any thread.
namespace drover {

bool TracesAbi();

// Traces a call of FUNCTION that began at BEGAN and has returned STATUS.
void TraceReturn(const std::string& plugin, const char* function, std::uint64_t id,
                 const RunId& run, TimePoint began, std::int32_t status);
// Traces the completion of the asynchronous call with the id ID.
void TraceCompletion(const std::string& plugin, const char* verb, std::uint64_t id,
                     const RunId& run, TimePoint began, std::int32_t status);
// Traces the end of an operation of SERVICE, after the driver's done function for it has returned.
// STATUS is the result of the operation.
void TraceDone(const std::string& plugin, const char* service, TimePoint began,
               std::int32_t status);

}  // namespace drover
