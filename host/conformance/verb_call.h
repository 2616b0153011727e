// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/conformance/driver_access.h"

// Calls the verbs of the ABI directly, in ways that the ABI allows but that this host otherwise
// does not use. The host's usual extra work for a call is left out.
namespace drover {

enum class Manner {
  kPlain,
  // The host cancels the call before it calls the verb. The driver receives call_cancelled after
  // the verb.
  kCancelledBefore,
  // The host cancels the call before it calls the verb. The driver receives call_cancelled once,
  // before the verb.
  kCancelledEarly,
  kCancelled,     // the call is cancelled as soon as the verb has returned
  kDeadlineOver,  // the deadline of the call passes before the verb is called
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
// The verbs of DROVER_ASYNC_VERBS, in the same order.
const std::vector<KitVerb>& KitVerbs();

// Calls VERB. Returns its result, or nothing if it was not completed within LIMIT. kCancelledEarly
// needs TOLD_AGAIN, which is described at DriverAccess::CallAs.
Co<std::optional<Status>> CallVerb(LoadedDriver* driver, const char* verb, VerbRequest request,
                                   Manner manner, Duration limit = 3s, bool* told_again = nullptr);

// These functions cancel CALL according to MANNER. The first must be called before the driver's
// function, and the second after it.
void GiveUpBefore(Manner manner, PluginHost* host, const drover_driver* table,
                  drover_instance* self, std::uint64_t call);
void GiveUpBehind(Manner manner, PluginHost* host, const drover_driver* table,
                  drover_instance* self, std::uint64_t call);

}  // namespace drover
