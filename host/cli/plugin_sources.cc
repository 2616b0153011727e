// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/plugin_sources.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <utility>

#include "host/library/plugin_file.h"

namespace drover {
namespace {

namespace fs = std::filesystem;

PluginConfig ConfigOf(FoundPlugin found) {
  PluginConfig plugin;
  plugin.isolation.clear();
  plugin.file = std::move(found.path);
  plugin.name = found.manifest.ok() ? found.manifest->name : fs::path(plugin.file).stem().string();
  // raw_exec is disabled by default. A --plugin-dir that contains raw_exec enables it.
  if (plugin.name == "raw_exec") plugin.config_json = R"({"enabled": true})";
  return plugin;
}

}  // namespace

std::vector<CLI::Option*> PluginSources::Declare(CLI::App* command) {
  return {
      command->add_option("--config,-c", config_file, "The agent's configuration file (JSON)"),
      command->add_option("--plugin-dir", directories,
                          "A directory of driver plugins; may be repeated"),
  };
}

Result<AgentConfig> PluginSources::Read() const {
  AgentConfig config;
  if (!config_file.empty()) {
    DROVER_ASSIGN(config, ReadAgentConfig(config_file));
  }
  std::vector<std::string> absolute;
  std::error_code error;
  for (const std::string& directory : directories) {
    if (!fs::is_directory(directory, error)) {
      return Error(Code::kNotFound, "plugin directory " + directory + ": no such directory");
    }
    absolute.push_back(fs::absolute(directory, error).lexically_normal().string());
  }
  for (FoundPlugin& found : FindPlugins(absolute)) {
    PluginConfig plugin = ConfigOf(std::move(found));
    const auto same = [&plugin](const PluginConfig& other) { return other.name == plugin.name; };
    if (std::none_of(config.plugins.begin(), config.plugins.end(), same)) {
      config.plugins.push_back(std::move(plugin));
    }
  }
  return config;
}

}  // namespace drover
