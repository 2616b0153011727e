// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "host/base/printable.h"
#include "host/cli/cli.h"
#include "host/cli/commands.h"
#include "host/cli/node_session.h"
#include "host/cli/node_setup.h"
#include "host/library/plugin_file.h"

namespace drover {

int PluginValidateCommand(const PluginOptions& options) {
  std::error_code error;
  const std::string path =
      std::filesystem::absolute(options.file, error).lexically_normal().string();
  std::string message;
  std::string name;
  std::string fingerprint;
  if (const Result<PluginFile> file = OpenPluginFile(path, ""); !file.ok()) {
    message = file.error().message();
  } else {
    name = file->manifest.name;
    AgentConfig config;
    PluginConfig plugin;
    plugin.isolation.clear();
    plugin.name = name;
    plugin.file = path;
    if (!options.plugin_config.empty()) plugin.config_json = options.plugin_config;
    config.plugins.push_back(std::move(plugin));
    const Status looked = WithLoadedNode(std::move(config),
                                         [&](Node* node, const std::vector<PluginReport>& reports) {
                                           message = reports.at(0).message;
                                           if (Driver* driver = node->plugins()->Find(name)) {
                                             fingerprint = driver->fingerprint().description;
                                           }
                                         });
    if (!looked.ok()) message = looked.error().message();
  }
  if (options.json) {
    const nlohmann::json json = {
        {"File", path}, {"Name", name}, {"Valid", message.empty()}, {"Error", message}};
    std::printf("%s\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  } else if (message.empty()) {
    std::printf("%s: driver %s loads (%s)\n", Printable(path).c_str(), name.c_str(),
                Printable(fingerprint).c_str());
  } else {
    std::printf("%s: %s\n", Printable(path).c_str(), Printable(message).c_str());
  }
  return message.empty() ? kExitOk : kExitFailed;
}

}  // namespace drover
