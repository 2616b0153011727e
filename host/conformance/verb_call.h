// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/conformance/driver_access.h"

// The verbs of the ABI, called straight: in ways in which this host does not call them, but another
// may, and without what this host does beside them.
namespace drover {

enum class Manner {
  kPlain,
  kCancelledBefore,  // it was given up before the verb was called, the driver hears of it after
  kCancelledEarly,   // it was given up before, and the driver has heard of it before, once
  kCancelled,        // it is given up as soon as the verb has returned
  kDeadlineOver,     // its deadline was over before
  kNewerHost,        // every struct and element is larger than any that the driver can know
  kPageEnds,         // each text of the task's configuration ends where memory does
};

// The parts of the arguments; each verb takes those that it has.
struct VerbRequest {
  RunId run;
  std::shared_ptr<const TaskConfig> config;  // of start and recover
  std::optional<TaskHandle> handle{};        // of recover
  std::string text{};                        // a configuration, or the name of a signal
  Duration timeout{0};
  bool force = false;
};

struct KitVerb {
  const char* name;
  DriverAccess::MakeCall (*bind)(VerbRequest request, Manner manner);
};
// DROVER_ASYNC_VERBS, in its order.
const std::vector<KitVerb>& KitVerbs();

// How it was completed; nothing: not within LIMIT. TOLD_AGAIN, which kCancelledEarly needs: as for
// DriverAccess::CallAs.
Co<std::optional<Status>> CallVerb(LoadedDriver* driver, const char* verb, VerbRequest request,
                                   Manner manner, Duration limit = 3s, bool* told_again = nullptr);

// Gives FRAME's call up as MANNER does it before, and behind, the function that is called for it.
void GiveUpBefore(Manner manner, PluginHost* host, const drover_driver* table,
                  drover_instance* self, std::uint64_t call);
void GiveUpBehind(Manner manner, PluginHost* host, const drover_driver* table,
                  drover_instance* self, std::uint64_t call);

}  // namespace drover
