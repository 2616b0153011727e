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
  // In a process of its own, which may crash or hang.
  kProcess,
};
// "in-process" or "process"; an empty text is OTHERWISE.
Result<Isolation> ParseIsolation(const std::string& text, Isolation otherwise);
std::string_view IsolationName(Isolation isolation);

// One plugin as the operator configures it. Nothing of a file runs without such a block.
struct PluginConfig {
  std::string name;  // of the driver, as jobs name it
  std::string file;  // path; empty: NAME.so in the first plugin directory that has it
  bool enabled = true;
  std::string config_json = "{}";
  std::string sha256;  // 64 hex digits: the file must have exactly this content; empty: any
  // Empty: in process for a driver of this installation, in a process of its own for all others.
  std::string isolation = "in-process";
  std::map<std::string, Duration> limits{};  // of kPluginLimits; the others are the host's
  ProbeLimits probe{};

  bool operator==(const PluginConfig&) const = default;
};

// The directory of the drivers that were installed with this program.
const std::string& ShippedPluginDirectory();

}  // namespace drover
