// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/plugin_sources.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "host/base/printable.h"
#include "host/config/load_config.h"
#include "host/library/plugin_file.h"
#include "host/node/machine_network.h"

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

CLI::Option* AddConfigOption(CLI::App* command, std::vector<std::string>* paths) {
  return command
      ->add_option(
          "--config,-c", *paths,
          "The agent's configuration: a file in HCL or JSON, or a directory with *.hcl and "
          "*.json; may be repeated, a later value wins")
      ->allow_extra_args(false);
}

std::vector<CLI::Option*> PluginSources::Declare(CLI::App* command) {
  return {
      AddConfigOption(command, &config_paths),
      command->add_option("--plugin-dir", directories,
                          "A directory of driver plugins; may be repeated"),
  };
}

Result<AgentConfig> PluginSources::Read(const std::string& command) const {
  return Read([&command](const std::string& warning) {
    std::fprintf(stderr, "drover %s: warning: %s\n", command.c_str(), Printable(warning).c_str());
  });
}

Result<AgentConfig> PluginSources::Read(const Warn& warn) const {
  AgentConfig config;
  if (!config_paths.empty()) {
    LoadedConfig loaded = LoadConfig(config_paths, MachineAddresses);
    DROVER_TRY(AsError(loaded.mistakes));
    for (const ConfigFinding& warning : loaded.warnings) warn(FindingText(warning));
    config = std::move(loaded.config);
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
