// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/plugin_log.h"

#include <spdlog/spdlog.h>

namespace drover {

PluginLogSink DefaultPluginLog() {
  return [](PluginLogLevel level, const std::string& plugin, const RunId* run,
            const std::string& message) {
    // spdlog's levels have the same values as PluginLogLevel.
    const auto to = static_cast<spdlog::level::level_enum>(level);
    try {
      if (run != nullptr) {
        spdlog::log(to, "plugin {} run {}: {}", plugin, run->Short(), message);
      } else {
        spdlog::log(to, "plugin {}: {}", plugin, message);
      }
    } catch (const std::exception&) {  // a failed log, as on a full disk, is ignored
    }
  };
}

}  // namespace drover
