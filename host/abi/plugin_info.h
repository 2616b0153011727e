// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "host/driver/driver.h"

namespace drover {

// A driver's information about itself (drover_info), copied.
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

// The same as text, for the pipe between a probe and its parent.
std::string PluginInfoToJson(const PluginInfo& info);
Result<PluginInfo> PluginInfoFromJson(const std::string& json);

// A driver's name, as it stands in jobs, file names and logs: lower case letters, digits, '_' and
// '-', at most 63 bytes.
bool IsDriverName(const std::string& name);

}  // namespace drover
