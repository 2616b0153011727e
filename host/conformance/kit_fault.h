// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/base/time.h"

namespace drover {

// A fault of the host or of the machine that the kit makes on request, to test how a driver bears
// it. As a text it is KIND or KIND=VALUE.
struct KitFault {
  std::string kind;   // one of kKitFaults, or empty for no fault
  Duration delay{0};  // of the kinds that delay something
  std::string step;   // of kill-at; empty means each of its steps
};

// The kinds of faults.
struct KitFaultKind {
  const char* kind;
  const char* what;
  const char* value;  // the value of a fault that is given without one; null if it has no value
};
inline constexpr KitFaultKind kKitFaults[] = {
    {"process-refuses", "the process service refuses to start and to use processes", nullptr},
    {"process-hangs", "the process service does not answer", nullptr},
    {"output-refuses", "the task output service refuses to collect output", nullptr},
    {"timer-slow", "each timer of the driver comes late by this time", "1s"},
    {"slow-start", "each start of a process takes this time", "5s"},
    {"kill-at", "the driver's own process is killed while this verb is open", ""},
};

// The values of kill-at. The process is killed while a call of this verb is open, or in "idle"
// while none is.
inline constexpr const char* kKillSteps[] = {"start", "wait",    "stop",    "signal", "inspect",
                                             "stats", "destroy", "recover", "idle"};

// Parses a fault, and gives it the value of its kind if it has none. An empty text is no fault.
Result<KitFault> ParseKitFault(const std::string& text);

}  // namespace drover
