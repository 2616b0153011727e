// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "drover/drover.h"
#include "host/plugin/loaded_driver.h"

namespace drover {

// Calls of a loaded driver that the kit makes and no runner does.
class DriverAccess {
 public:
  // Whether get_extension has something for that id.
  static Co<Result<bool>> HasExtension(LoadedDriver* driver, Context context, std::string id);

  // Calls VERB by MAKE. Returns how the call ended, or nothing when it did not end within LIMIT.
  // CONFIG: of a run that the host must know from now on, else null. With TOLD_AGAIN the host does
  // not report a cancellation that MAKE has reported until half of LIMIT is over. Then it does, and
  // sets TOLD_AGAIN.
  using MakeCall = std::function<std::int32_t(PluginHost* host, const drover_driver* table,
                                              drover_instance* self, const drover_call* call,
                                              drover_error* error)>;
  static Co<std::optional<Status>> CallAs(LoadedDriver* driver, const char* verb, RunId run,
                                          std::shared_ptr<const TaskConfig> config, Duration limit,
                                          MakeCall make, bool* told_again = nullptr);
};

}  // namespace drover
