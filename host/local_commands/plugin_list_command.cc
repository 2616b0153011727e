// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "host/base/printable.h"
#include "host/cli/id_lookup.h"
#include "host/cli/loaded_node.h"
#include "host/cli/plugin_sources.h"
#include "host/local_commands/local_commands.h"
#include "host/plugin/supervised_driver.h"
#include "host/view/json_fields.h"

namespace drover {
namespace {

using nlohmann::json;

// A plugin that this command has loaded by itself, without an agent.
struct LoadedPlugin {
  PluginReport report;
  Fingerprint fingerprint;
  ContainerStatus container;

  const char* health() const {
    if (!report.enabled) return "disabled";
    switch (fingerprint.health) {
      case Health::kHealthy:
        return "healthy";
      case Health::kUnhealthy:
        return "unhealthy";
      case Health::kUndetected:
        return "undetected";
    }
    return "undetected";
  }
  const std::string& description() const {
    return report.message.empty() ? fingerprint.description : report.message;
  }
};

void PrintLines(const std::vector<LoadedPlugin>& plugins) {
  std::size_t widest = 4;
  for (const LoadedPlugin& plugin : plugins) widest = std::max(widest, plugin.report.name.size());
  const int width = static_cast<int>(widest);
  std::printf("%-*s  %-10s  %-8s  %s\n", width, "NAME", "HEALTH", "VERSION", "DESCRIPTION");
  for (const LoadedPlugin& plugin : plugins) {
    std::printf("%-*s  %-10s  %-8s  %s\n", width, Printable(plugin.report.name).c_str(),
                plugin.health(), plugin.report.info ? plugin.report.info->version.c_str() : "-",
                Printable(plugin.description()).c_str());
  }
}

json ListOf(const std::vector<LoadedPlugin>& plugins) {
  json list = json::array();
  for (const LoadedPlugin& plugin : plugins) {
    list.push_back({{"Name", plugin.report.name},
                    {"File", plugin.report.file},
                    {"SHA256", plugin.report.sha256},
                    {"Version", plugin.report.info ? plugin.report.info->version : ""},
                    {"Loaded", plugin.report.loaded},
                    {"Isolation", IsolationName(plugin.report.isolation)},
                    {"LastEnd", plugin.container.last_end},
                    {"Output", plugin.container.output},
                    {"Health", plugin.health()},
                    {"Description", plugin.description()},
                    {"Attributes", plugin.fingerprint.attributes}});
  }
  return list;
}

const char* HealthOf(const json& driver) {
  if (!FlagField(driver, "Detected")) return "undetected";
  return FlagField(driver, "Healthy") ? "healthy" : "unhealthy";
}

// Prints the drivers that an agent has loaded.
Result<int> ListDrivers(ApiClient* agent, Output* out) {
  DROVER_ASSIGN(const std::string id, FindOwnNode(agent));
  DROVER_ASSIGN(const json node, agent->Get(ApiPath("/v1/node", id)));
  json list = json::array();
  TextTable table({"Name", "Health", "Description"});
  for (const auto& [name, driver] : MapField(node, "Drivers").items()) {
    const std::string health = HealthOf(driver);
    list.push_back({{"Name", name},
                    {"Health", health},
                    {"Description", RawField(driver, "HealthDescription")},
                    {"Attributes", MapField(driver, "Attributes")}});
    const auto colour = health == "healthy" ? Terminal::Colour::kGreen : Terminal::Colour::kRed;
    table.Add({Printable(name), Cell(health, colour), TextField(driver, "HealthDescription")});
  }
  return out->Print(list, table);
}

struct PluginListCommand {
  PluginSources sources;
  ClientOptions client;
  AnswerForm form;

  void Declare(CLI::App* command) {
    const std::vector<CLI::Option*> own = sources.Declare(command);
    for (CLI::Option* option : AddConnectionOptions(command, &client)) {
      for (CLI::Option* source : own) option->excludes(source);
    }
    command->add_flag("--json", form.json, "Prints JSON");
    command->footer(
        "JSON has Name, Health, Description and Attributes of each driver; with --config or "
        "--plugin-dir also File, SHA256, Version, Loaded, Isolation, LastEnd and Output, which an "
        "agent does not report.");
  }

  int Run() const {
    if (!sources.empty()) return ListLoaded();
    return RunClientCommand("plugin list", client, form,
                            {.check = {}, .run = ListDrivers, .error_code = {}});
  }

  int ListLoaded() const {
    Result<AgentConfig> config = sources.Read("plugin list");
    if (!config.ok()) return Fail("plugin list", config.error(), kExitUsage);
    std::vector<LoadedPlugin> plugins;
    const Status looked = WithLoadedNode(
        std::move(*config), [&plugins](Node* node, const std::vector<PluginReport>& reports) {
          for (const PluginReport& report : reports) {
            LoadedPlugin plugin{report, {}, {}};
            if (Driver* driver = node->plugins()->Find(report.name)) {
              plugin.fingerprint = driver->fingerprint();
            }
            plugin.container = node->plugins()->Inspect(report.name).value_or(ContainerStatus());
            plugins.push_back(std::move(plugin));
          }
        });
    if (!looked.ok()) return Fail("plugin list", looked.error(), kExitFailed);
    form.json ? PrintUtf8Json(ListOf(plugins)) : PrintLines(plugins);
    const bool bad = std::any_of(plugins.begin(), plugins.end(), [](const LoadedPlugin& plugin) {
      return plugin.report.enabled && !plugin.report.loaded;
    });
    return bad ? kExitFailed : kExitOk;
  }
};

}  // namespace

void AddPluginList(const CommandGroup& plugin) {
  plugin.Add<PluginListCommand>(
      "list",
      "Prints the health of an agent's drivers; with --config or --plugin-dir, of those that are "
      "loaded by it without an agent");
}

}  // namespace drover
