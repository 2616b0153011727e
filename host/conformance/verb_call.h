// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/conformance/driver_access.h"

// Calls the functions of a driver (the verbs of the ABI) directly, in ways that the ABI allows but
// that this host otherwise does not use. These calls omit the host's usual work before and after a
// call.
namespace drover {

enum class Manner {
  kPlain,
  // The host cancels the call before it calls the driver's function. The driver receives
  // call_cancelled after its function has returned.
  kCancelledBefore,
  // The host cancels the call before it calls the driver's function. The driver receives
  // call_cancelled once, before its function is called.
  kCancelledEarly,
  kCancelled,     // the host cancels the call as soon as the driver's function has returned
  kDeadlineOver,  // the deadline of the call passes before the driver's function is called
  kNewerHost,     // every struct and array element is larger than in the driver's ABI
  // Each text of the task's configuration ends directly before an unreadable page.
  kPageEnds,
};

// All arguments that a verb can have. Each verb uses only its own arguments.
struct VerbRequest {
  RunId run;
  std::shared_ptr<const TaskConfig> config;  // for start and recover
  std::optional<TaskHandle> handle{};        // for recover
  std::string text{};                        // a configuration, or the name of a signal
  Duration timeout{0};
  bool force = false;
};

struct KitVerb {
  const char* name;
  DriverAccess::MakeCall (*bind)(VerbRequest request, Manner manner);
};
// Returns the verbs of DROVER_ASYNC_VERBS, in the same order.
const std::vector<KitVerb>& KitVerbs();

// Calls VERB. Returns its result, or nothing if it was not completed within LIMIT. kCancelledEarly
// needs TOLD_AGAIN, which is described at DriverAccess::CallAs.
Co<std::optional<Status>> CallVerb(LoadedDriver* driver, const char* verb, VerbRequest request,
                                   Manner manner, Duration limit = 3s, bool* told_again = nullptr);

// These functions cancel CALL if MANNER requires this. GiveUpBefore must be called before the
// driver's function, and GiveUpBehind after it.
void GiveUpBefore(Manner manner, PluginHost* host, const drover_driver* table,
                  drover_instance* self, std::uint64_t call);
void GiveUpBehind(Manner manner, PluginHost* host, const drover_driver* table,
                  drover_instance* self, std::uint64_t call);

}  // namespace drover
