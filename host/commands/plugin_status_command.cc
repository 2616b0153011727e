// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <string>

#include "host/base/printable.h"
#include "host/cli/answer_check.h"
#include "host/commands/commands.h"
#include "host/view/json_fields.h"

namespace drover {
namespace {

using nlohmann::json;

struct PluginStatusCommand {
  std::string name;
  bool output = false;
  AnswerForm form;
  ClientOptions client;

  void Declare(CLI::App* command) {
    command->add_option("NAME", name, "The plugin, by the name that jobs use")->required();
    command->add_flag("--json", form.json, "Prints JSON");
    AddConnectionOptions(command, &client);
    command->add_flag("--output", output,
                      "Prints only what its last process wrote, at most 64 KiB");
  }

  Result<int> Run(ApiClient* agent, Output* out) const {
    const std::string path = ApiPath("/v1/agent/plugins", name);
    DROVER_ASSIGN(json plugin, agent->Get(path));
    DROVER_TRY(CheckIsObject(plugin));
    DROVER_ASSIGN(const json crash, LastCrash(agent, path));
    if (out->raw()) {
      plugin["LastCrash"] = crash;
      return out->Print(plugin);
    }
    const std::string written = RawField(crash, "Output");
    if (!output) {
      ShowFields(out, plugin);
      if (crash.is_null()) return kExitOk;
      PrintHeading(out, "Last end of its process");
      out->Line(TextField(crash, "Message"));
      if (written.empty()) return kExitOk;
      PrintHeading(out, "What it wrote last");
    }
    out->Line(PrintableLines(written));
    return kExitOk;
  }

  // Returns the report about the newest process of the plugin that has ended, or null if no process
  // has ended.
  static Result<json> LastCrash(ApiClient* agent, const std::string& path) {
    Result<json> crash = agent->Get(path + "/last_crash");
    if (crash.code() == Code::kNotFound) return json();
    return crash;
  }

  static void ShowFields(Terminal* terminal, const json& plugin) {
    const bool runs = NumberField(plugin, "PID") != 0;
    PrintFields(terminal, {{"Name", TextField(plugin, "Name")},
                           {"Version", TextField(plugin, "Version")},
                           {"File", TextField(plugin, "File")},
                           {"SHA256", TextField(plugin, "SHA256")},
                           {"Isolation", TextField(plugin, "Isolation")},
                           {"PID", runs ? NumberText(plugin, "PID") : "-"},
                           {"Health", TextField(plugin, "Health")},
                           {"Description", TextField(plugin, "HealthDescription")}});
  }
};

}  // namespace

void AddPluginStatus(const CommandGroup& plugin) {
  AddClientCommand<PluginStatusCommand>(
      plugin, "status",
      "Prints what an agent knows of one of its plugins, and how its process ended last");
}

}  // namespace drover
