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

// What the kit asks of a loaded driver and no runner does.
class DriverAccess {
 public:
  // Whether get_extension has something for that id.
  static Co<Result<bool>> HasExtension(LoadedDriver* driver, Context context, std::string id);

  // A call of VERB that MAKE makes as it likes; how it ended, or nothing when it was not completed
  // within LIMIT. CONFIG: of a run that the host is to know from now on, else null. With TOLD_AGAIN
  // this host says nothing by itself of a cancellation that MAKE has told, before half of LIMIT is
  // over; then it does, and sets that.
  using MakeCall = std::function<std::int32_t(PluginHost* host, const drover_driver* table,
                                              drover_instance* self, const drover_call* call,
                                              drover_error* error)>;
  static Co<std::optional<Status>> CallAs(LoadedDriver* driver, const char* verb, RunId run,
                                          std::shared_ptr<const TaskConfig> config, Duration limit,
                                          MakeCall make, bool* told_again = nullptr);
};

}  // namespace drover
