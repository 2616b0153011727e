// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <string>

#include "host/commands/commands.h"
#include "host/view/json_fields.h"

namespace drover {
namespace {

using nlohmann::json;

struct PluginReloadCommand {
  std::string name;
  AnswerForm form;
  ClientOptions client;

  void Declare(CLI::App* command) {
    command->add_option("NAME", name, "The plugin, by the name that jobs use")->required();
    command->add_flag("--json", form.json, "Prints JSON");
    AddConnectionOptions(command, &client);
    command->footer(
        "The new file is checked, probed and loaded, and its instance recovers every task. If "
        "anything of that fails, the old one stays in charge. Exit code: 0 the new one is in "
        "charge, 1 the old one is.");
  }

  Result<int> Run(ApiClient* agent, Output* out) const {
    DROVER_ASSIGN(const json plugin,
                  agent->Put(ApiPath("/v1/agent/plugins", name, "/reload"), json::object()));
    return out->Print(plugin, "plugin " + TextField(plugin, "Name") + ": version " +
                                  TextField(plugin, "Version") + " from " +
                                  TextField(plugin, "File") + " is in charge");
  }
};

}  // namespace

void AddPluginReload(const CommandGroup& plugin) {
  AddClientCommand<PluginReloadCommand>(
      plugin, "reload",
      "Puts the plugin's file as it is now in the place of the one that runs, "
      "while its tasks go on");
}

}  // namespace drover
