// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "host/driver/driver_limits.h"
#include "host/library/probe.h"

namespace drover {

// Where the code of a plugin runs.
enum class Isolation {
  kInProcess,
  // The code runs in a process of its own, which may crash or hang.
  kProcess,
};
// Parses "in-process" or "process". Returns OTHERWISE if TEXT is empty.
Result<Isolation> ParseIsolation(const std::string& text, Isolation otherwise);
std::string_view IsolationName(Isolation isolation);

// The operator's configuration of one plugin, from a plugin block. The agent runs only plugin files
// that have such a block.
struct PluginConfig {
  std::string name;  // name of the driver in jobs
  // Path of the plugin file. If it is empty, the file is NAME.so in the first plugin directory
  // that has this file.
  std::string file;
  bool enabled = true;
  std::string config_json = "{}";
  // The sha256 that the file must have, as 64 hex digits. If it is empty, any content is accepted.
  std::string sha256;
  // Where the code runs. If it is empty, a driver that was installed with this program runs in the
  // agent's process, and every other driver in a process of its own.
  std::string isolation = "in-process";
  // The limits that this block sets, by their names in kPluginLimits. All other limits are the
  // host's.
  std::map<std::string, Duration> limits{};
  int threads = 0;  // the most threads of the plugin's pool; 0: those of the host
  ProbeLimits probe{};

  bool operator==(const PluginConfig&) const = default;
};

// The directory of the drivers that are installed with this program.
const std::string& ShippedPluginDirectory();

}  // namespace drover
