// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// One plugin of an agent: what it is, how its process ended last, and its file loaded again.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "host/base/printable.h"
#include "host/cli/cli.h"
#include "host/cli/client_command.h"
#include "host/cli/id_lookup.h"
#include "host/cli/json_fields.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr char kPlugins[] = "/v1/agent/plugins";

// What is known of the last process that ended; null when none has.
Result<json> LastCrash(ApiClient* client, const std::string& name) {
  Result<json> crash = client->Get(ApiPath(kPlugins, name, "/last_crash"));
  if (crash.code() == Code::kNotFound) return json();
  return crash;
}

void ShowPlugin(Terminal* terminal, const json& plugin) {
  const std::int64_t pid = NumberField(plugin, "PID");
  PrintFields(terminal, {{"Name", TextField(plugin, "Name")},
                         {"Version", TextField(plugin, "Version")},
                         {"File", TextField(plugin, "File")},
                         {"SHA256", TextField(plugin, "SHA256")},
                         {"Isolation", TextField(plugin, "Isolation")},
                         {"PID", pid == 0 ? "-" : std::to_string(pid)},
                         {"Health", TextField(plugin, "Health")},
                         {"Description", TextField(plugin, "HealthDescription")}});
}

Result<int> Show(ApiClient* client, Terminal* terminal, const AgentPluginOptions& options) {
  DROVER_ASSIGN(json plugin, client->Get(ApiPath(kPlugins, options.id)));
  DROVER_ASSIGN(const json crash, LastCrash(client, options.id));
  if (options.raw()) {
    plugin["LastCrash"] = crash;
    return PrintAnswer(options, plugin);
  }
  const std::string output = crash.is_null() ? "" : RawField(crash, "Output");
  if (!options.output) {
    ShowPlugin(terminal, plugin);
    if (crash.is_null()) return kExitOk;
    PrintHeading(terminal, "Last end of its process");
    terminal->Line(TextField(crash, "Message"));
    if (output.empty()) return kExitOk;
    PrintHeading(terminal, "What it wrote last");
  }
  terminal->Line(PrintableLines(output));
  return kExitOk;
}

Result<int> Reload(ApiClient* client, Terminal* terminal, const AgentPluginOptions& options) {
  DROVER_ASSIGN(const json plugin,
                client->Put(ApiPath(kPlugins, options.id, "/reload"), json::object()));
  if (options.raw()) return PrintAnswer(options, plugin);
  terminal->Line("plugin " + TextField(plugin, "Name") + ": version " +
                 TextField(plugin, "Version") + " from " + TextField(plugin, "File") +
                 " is in charge");
  return kExitOk;
}

}  // namespace

int PluginStatusCommand(const AgentPluginOptions& options) {
  return RunClientCommand("plugin status", options,
                          [&](auto* client, auto* out) { return Show(client, out, options); });
}

int PluginReloadCommand(const AgentPluginOptions& options) {
  return RunClientCommand("plugin reload", options,
                          [&](auto* client, auto* out) { return Reload(client, out, options); });
}

}  // namespace drover
