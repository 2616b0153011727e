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

// Makes calls of a loaded driver that only the kit makes. The host does not make these calls when
// it runs tasks.
class DriverAccess {
 public:
  // Returns whether get_extension returns an extension for ID.
  static Co<Result<bool>> HasExtension(LoadedDriver* driver, Context context, std::string id);

  // Calls the driver's function VERB by MAKE. Returns the result of the call, or nothing if the
  // call did not end within LIMIT. If CONFIG is not null, the host registers CONFIG as the
  // configuration of RUN.
  //
  // If MAKE calls the driver's call_cancelled before the driver knows the call, TOLD_AGAIN must not
  // be null. The driver may have ignored this early report. So if the driver has not completed the
  // call after half of LIMIT, the host calls call_cancelled again and sets *TOLD_AGAIN to true.
  using MakeCall = std::function<std::int32_t(PluginHost* host, const drover_driver* table,
                                              drover_instance* self, const drover_call* call,
                                              drover_error* error)>;
  static Co<std::optional<Status>> CallAs(LoadedDriver* driver, const char* verb, RunId run,
                                          std::shared_ptr<const TaskConfig> config, Duration limit,
                                          MakeCall make, bool* told_again = nullptr);
};

}  // namespace drover
