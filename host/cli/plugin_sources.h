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

// The options that name the plugins of a command: --config and --plugin-dir.
struct PluginSources {
  std::string config_file;  // empty if there is no file
  std::vector<std::string> directories;

  std::vector<CLI::Option*> Declare(CLI::App* command);
  bool empty() const { return config_file.empty() && directories.empty(); }
  // Reads the configuration file, or uses the default configuration. Then searches the directories,
  // and adds each plugin that is not in the configuration yet.
  Result<AgentConfig> Read() const;
};

}  // namespace drover
