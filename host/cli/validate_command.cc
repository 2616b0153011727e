// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "host/base/printable.h"
#include "host/cli/cli.h"
#include "host/cli/commands.h"
#include "host/cli/node_session.h"
#include "host/cli/node_setup.h"

namespace drover {
namespace {

struct Checked {
  std::string file;
  std::optional<JobFile> job;
  std::string error;  // empty: valid
  bool unreadable = false;
};

void Print(const std::vector<Checked>& files, bool with_drivers, bool json) {
  nlohmann::json list = nlohmann::json::array();
  for (const Checked& checked : files) {
    if (json) {
      list.push_back({{"File", checked.file},
                      {"Valid", checked.error.empty()},
                      {"Error", checked.error},
                      {"DriverConfigValidated", with_drivers && checked.job.has_value()}});
    } else if (checked.error.empty()) {
      std::printf("%s: valid%s\n", Printable(checked.file).c_str(),
                  with_drivers ? "" : " (driver configurations were not checked: no plugins)");
    } else {
      std::printf("%s: %s\n", Printable(checked.file).c_str(),
                  PrintableLines(checked.error).c_str());
    }
  }
  if (json) {
    std::printf("%s\n", list.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  }
}

}  // namespace

int ValidateCommand(const ValidateOptions& options) {
  Result<AgentConfig> config = CommandConfig(options.config_file, options.plugin_dirs);
  if (!config.ok()) {
    PrintError("validate", config.error());
    return kExitUsage;
  }
  std::vector<Checked> files;
  for (const std::string& file : options.job_files) {
    Checked checked;
    checked.file = file;
    Result<JobFile> job = ReadJobFile(file);
    if (job.ok()) {
      PrintWarnings("validate", file, *job);
      checked.job = std::move(*job);
    } else {
      checked.error = job.error().message();
      checked.unreadable = job.code() != Code::kInvalidArgument;
    }
    files.push_back(std::move(checked));
  }
  const bool with_drivers = !config->plugins.empty();
  if (with_drivers) {
    const Status looked =
        WithLoadedNode(std::move(*config), [&files](Node* node, const std::vector<PluginReport>&) {
          for (Checked& checked : files) {
            if (!checked.job) continue;
            const Status possible = node->CheckJob(checked.job->job, checked.job->place);
            if (!possible.ok()) checked.error = possible.error().message();
          }
        });
    if (!looked.ok()) {
      PrintError("validate", looked.error());
      return kExitUsage;
    }
  }
  Print(files, with_drivers, options.json);
  int code = kExitOk;
  for (const Checked& checked : files) {
    if (checked.unreadable) return kExitUsage;
    if (!checked.error.empty()) code = kExitFailed;
  }
  return code;
}

}  // namespace drover
