// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "host/cli/cli.h"
#include "host/cli/commands.h"
#include "host/cli/node_session.h"
#include "host/cli/node_setup.h"
#include "host/cli/terminal.h"
#include "host/plugin/supervised_driver.h"

namespace drover {
namespace {

struct Row {
  PluginReport report;
  Fingerprint fingerprint;
  ContainerStatus container;
};

const char* HealthName(const Row& row) {
  if (!row.report.enabled) return "disabled";
  switch (row.fingerprint.health) {
    case Health::kHealthy:
      return "healthy";
    case Health::kUnhealthy:
      return "unhealthy";
    case Health::kUndetected:
      return "undetected";
  }
  return "undetected";
}

std::string Description(const Row& row) {
  return row.report.message.empty() ? row.fingerprint.description : row.report.message;
}

void PrintTable(const std::vector<Row>& rows) {
  std::size_t width = 4;
  for (const Row& row : rows) width = std::max(width, row.report.name.size());
  const int name_width = static_cast<int>(width);
  std::printf("%-*s  %-10s  %-8s  %s\n", name_width, "NAME", "HEALTH", "VERSION", "DESCRIPTION");
  for (const Row& row : rows) {
    std::printf("%-*s  %-10s  %-8s  %s\n", name_width, Printable(row.report.name).c_str(),
                HealthName(row), row.report.info ? row.report.info->version.c_str() : "-",
                Printable(Description(row)).c_str());
  }
}

void PrintJson(const std::vector<Row>& rows) {
  nlohmann::json list = nlohmann::json::array();
  for (const Row& row : rows) {
    list.push_back({{"Name", row.report.name},
                    {"File", row.report.file},
                    {"SHA256", row.report.sha256},
                    {"Version", row.report.info ? row.report.info->version : ""},
                    {"Loaded", row.report.loaded},
                    {"Isolation", IsolationName(row.report.isolation)},
                    {"LastEnd", row.container.last_end},
                    {"Output", row.container.output},
                    {"Health", HealthName(row)},
                    {"Description", Description(row)},
                    {"Attributes", row.fingerprint.attributes}});
  }
  std::printf("%s\n", list.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

}  // namespace

int PluginListCommand(const PluginOptions& options) {
  Result<AgentConfig> config = CommandConfig(options.config_file, options.plugin_dirs);
  if (!config.ok()) {
    PrintError("plugin list", config.error());
    return kExitUsage;
  }
  std::vector<Row> rows;
  const Status looked = WithLoadedNode(
      std::move(*config), [&rows](Node* node, const std::vector<PluginReport>& reports) {
        for (const PluginReport& report : reports) {
          Row row{report, {}, {}};
          if (Driver* driver = node->plugins()->Find(report.name)) {
            row.fingerprint = driver->fingerprint();
          }
          row.container = node->plugins()->Inspect(report.name).value_or(ContainerStatus());
          rows.push_back(std::move(row));
        }
      });
  if (!looked.ok()) {
    PrintError("plugin list", looked.error());
    return kExitFailed;
  }
  options.json ? PrintJson(rows) : PrintTable(rows);
  const bool bad = std::any_of(rows.begin(), rows.end(), [](const Row& row) {
    return row.report.enabled && !row.report.loaded;
  });
  return bad ? kExitFailed : kExitOk;
}

}  // namespace drover
