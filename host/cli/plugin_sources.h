// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/config/agent_config.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace drover {

// The option --config, which may be repeated.
CLI::Option* AddConfigOption(CLI::App* command, std::vector<std::string>* paths);

// The options that name the plugins of a command: --config and --plugin-dir.
struct PluginSources {
  using Warn = std::function<void(const std::string& warning)>;

  std::vector<std::string> config_paths;  // files and directories
  std::vector<std::string> directories;

  std::vector<CLI::Option*> Declare(CLI::App* command);
  bool empty() const { return config_paths.empty() && directories.empty(); }
  // Reads the configuration, or uses the default configuration. Then searches the directories, and
  // adds each plugin that is not in the configuration yet. Calls WARN for each key that is not
  // carried out.
  Result<AgentConfig> Read(const Warn& warn) const;
  // Prints the warnings to standard error. COMMAND is the name of the command, such as "run".
  Result<AgentConfig> Read(const std::string& command) const;
};

}  // namespace drover
