// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/agent/agent_config.h"
#include "host/base/result.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace drover {

// The options that say where a command finds plugins: --config and --plugin-dir.
struct PluginSources {
  std::string config_file;  // empty: none
  std::vector<std::string> directories;

  std::vector<CLI::Option*> Declare(CLI::App* command);
  bool empty() const { return config_file.empty() && directories.empty(); }
  // The configuration in the file, or the default one. Each plugin in a directory whose driver is
  // not configured is added.
  Result<AgentConfig> Read() const;
};

}  // namespace drover
