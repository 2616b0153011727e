// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "host/base/printable.h"
#include "host/cli/loaded_node.h"
#include "host/library/plugin_file.h"
#include "host/local_commands/local_commands.h"
#include "host/view/json_fields.h"

namespace drover {
namespace {

struct PluginValidateCommand {
  std::string file;
  std::string plugin_config;
  bool json = false;

  void Declare(CLI::App* command) {
    command->add_option("FILE", file, "The shared library")->required();
    command->add_option("--plugin-config", plugin_config, "The plugin's configuration (JSON)");
    command->add_flag("--json", json, "Prints JSON");
  }

  int Run() const {
    std::error_code ignored;
    const std::string path = std::filesystem::absolute(file, ignored).lexically_normal().string();
    std::string name;
    const Result<std::string> fingerprint = Load(path, &name);
    const std::string error = fingerprint.ok() ? "" : fingerprint.error().message();
    if (json) {
      PrintUtf8Json({{"File", path}, {"Name", name}, {"Valid", error.empty()}, {"Error", error}});
    } else if (error.empty()) {
      std::printf("%s: driver %s loads (%s)\n", Printable(path).c_str(), name.c_str(),
                  Printable(*fingerprint).c_str());
    } else {
      std::printf("%s: %s\n", Printable(path).c_str(), Printable(error).c_str());
    }
    return error.empty() ? kExitOk : kExitFailed;
  }

  // Loads the plugin at PATH. Returns the description in its fingerprint, and sets NAME to its
  // name.
  Result<std::string> Load(const std::string& path, std::string* name) const {
    DROVER_ASSIGN(const PluginFile opened, OpenPluginFile(path, ""));
    *name = opened.manifest.name;
    PluginConfig plugin;
    plugin.isolation.clear();
    plugin.name = *name;
    plugin.file = path;
    if (!plugin_config.empty()) plugin.config_json = plugin_config;
    AgentConfig config;
    config.plugins.push_back(std::move(plugin));
    std::string error;
    std::string fingerprint;
    DROVER_TRY(WithLoadedNode(std::move(config),
                              [&](Node* node, const std::vector<PluginReport>& reports) {
                                error = reports.at(0).message;
                                if (Driver* driver = node->plugins()->Find(*name)) {
                                  fingerprint = driver->fingerprint().description;
                                }
                              }));
    if (!error.empty()) return Error(Code::kInvalidArgument, error);
    return fingerprint;
  }
};

}  // namespace

void AddPluginValidate(const CommandGroup& plugin) {
  plugin.Add<PluginValidateCommand>(
      "validate", "Checks that this host would load a plugin, and its configuration");
}

}  // namespace drover
