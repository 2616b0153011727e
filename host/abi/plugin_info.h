// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "host/driver/driver.h"

namespace drover {

// The host's copy of a driver's information about itself (drover_info).
struct PluginInfo {
  std::string name;
  std::string version;
  FsIsolation fs_isolation = FsIsolation::kNone;
  std::uint64_t offers = 0;
  std::uint64_t needs = 0;
  std::string config_schema;
  std::string task_config_schema;

  bool operator==(const PluginInfo&) const = default;
};

DriverInfo ToDriverInfo(const PluginInfo& info);

// Convert the information of a driver to JSON and back. A probe process sends the JSON to its
// parent through a pipe.
std::string PluginInfoToJson(const PluginInfo& info);
Result<PluginInfo> PluginInfoFromJson(const std::string& json);

// Returns true if NAME is a valid driver name for jobs, file names and logs. A name has 1 to 63
// lower case letters, digits, '_' and '-'.
bool IsDriverName(const std::string& name);

}  // namespace drover
