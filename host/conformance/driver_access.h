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

// Calls of a loaded driver that the kit makes but that no runner makes.
class DriverAccess {
 public:
  // Returns whether get_extension returns an extension for ID.
  static Co<Result<bool>> HasExtension(LoadedDriver* driver, Context context, std::string id);

  // Makes a call of VERB with the function MAKE. Returns the result of the call, or nothing if the
  // call did not end within LIMIT. If CONFIG is not null, the host registers CONFIG as the
  // configuration of RUN.
  //
  // TOLD_AGAIN is for a MAKE that itself reports the cancellation of the call to the driver. If
  // TOLD_AGAIN is not null, the host does not report this cancellation a second time, with one
  // exception. If the call is not completed after half of LIMIT, the host reports the cancellation
  // again and sets *TOLD_AGAIN to true.
  using MakeCall = std::function<std::int32_t(PluginHost* host, const drover_driver* table,
                                              drover_instance* self, const drover_call* call,
                                              drover_error* error)>;
  static Co<std::optional<Status>> CallAs(LoadedDriver* driver, const char* verb, RunId run,
                                          std::shared_ptr<const TaskConfig> config, Duration limit,
                                          MakeCall make, bool* told_again = nullptr);
};

}  // namespace drover
