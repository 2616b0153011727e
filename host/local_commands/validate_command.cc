// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/base/printable.h"
#include "host/cli/job_file.h"
#include "host/cli/loaded_node.h"
#include "host/cli/plugin_sources.h"
#include "host/local_commands/local_commands.h"
#include "host/periodic/schedule.h"
#include "host/view/json_fields.h"

namespace drover {
namespace {

struct CheckedFile {
  std::string path;
  std::optional<JobFile> job;
  std::string error;  // empty if the job is valid
  bool unreadable = false;
};

CheckedFile CheckFile(const std::string& path, const HclOptions& hcl) {
  CheckedFile checked;
  checked.path = path;
  Result<JobFile> job = ReadJobFile(path, hcl);
  if (job.ok()) {
    PrintWarnings("validate", path, *job);
    JobFaults faults;
    CheckSchedule(job->job, job->place, WallNow(), &faults);
    if (!faults.empty()) checked.error = job->places.WithPlaces(faults.ToError().message());
    checked.job = std::move(*job);
  } else {
    checked.error = job.error().message();
    checked.unreadable = job.code() != Code::kInvalidArgument;
  }
  return checked;
}

void PrintLine(const CheckedFile& checked, bool with_drivers) {
  const std::string path = Printable(checked.path);
  if (!checked.error.empty()) {
    std::printf("%s: %s\n", path.c_str(), PrintableLines(checked.error).c_str());
    return;
  }
  std::printf("%s: valid%s\n", path.c_str(),
              with_drivers ? "" : " (driver configurations were not checked: no plugins)");
}

struct ValidateCommand {
  std::vector<std::string> paths;
  HclOptions hcl;
  PluginSources sources;
  bool json = false;

  void Declare(CLI::App* command) {
    command->add_option("JOB", paths, "The job files, in HCL or JSON; -: stdin")->required();
    hcl.Declare(command);
    sources.Declare(command);
    command->add_flag("--json", json, "Prints the result as JSON");
    command->footer(
        "Exit code: 0 all jobs are valid, 1 one is not, 2 the command line or the configuration is "
        "wrong or a file cannot be read.");
  }

  int Run() const {
    Result<AgentConfig> config = sources.Read("validate");
    if (!config.ok()) return Fail("validate", config.error(), kExitUsage);
    std::vector<CheckedFile> files;
    for (const std::string& path : paths) files.push_back(CheckFile(path, hcl));
    const bool with_drivers = !config->plugins.empty();
    if (with_drivers) {
      const Status looked = CheckWithDrivers(std::move(*config), &files);
      if (!looked.ok()) return Fail("validate", looked.error(), kExitUsage);
    }
    Print(files, with_drivers);
    int code = kExitOk;
    for (const CheckedFile& checked : files) {
      if (checked.unreadable) return kExitUsage;
      if (!checked.error.empty()) code = kExitFailed;
    }
    return code;
  }

  static Status CheckWithDrivers(AgentConfig config, std::vector<CheckedFile>* files) {
    return WithLoadedNode(std::move(config), [files](Node* node, const std::vector<PluginReport>&) {
      for (CheckedFile& checked : *files) {
        if (!checked.error.empty()) continue;
        const Status possible = node->CheckJob(checked.job->job, checked.job->place);
        if (possible.ok()) continue;
        checked.error = checked.job->places.WithPlaces(possible.error().message());
      }
    });
  }

  void Print(const std::vector<CheckedFile>& files, bool with_drivers) const {
    nlohmann::json list = nlohmann::json::array();
    for (const CheckedFile& checked : files) {
      list.push_back({{"File", checked.path},
                      {"Valid", checked.error.empty()},
                      {"Error", checked.error},
                      {"DriverConfigValidated", with_drivers && checked.job.has_value()}});
      if (!json) PrintLine(checked, with_drivers);
    }
    if (json) PrintUtf8Json(list);
  }
};

}  // namespace

void AddValidate(const CommandGroup& drover) {
  drover.Add<ValidateCommand>(
      "validate", "Checks job files; with --config or --plugin-dir also against the drivers");
}

}  // namespace drover
