// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/base/printable.h"
#include "host/config/load_config.h"
#include "host/local_commands/local_commands.h"
#include "host/node/machine_network.h"
#include "host/view/json_fields.h"

namespace drover {
namespace {

nlohmann::json ListOf(const ConfigFindings& findings) {
  nlohmann::json list = nlohmann::json::array();
  for (const ConfigFinding& finding : findings) {
    list.push_back({{"File", finding.at.file},
                    {"Line", finding.at.line},
                    {"Key", finding.pointer},
                    {"Message", finding.message}});
  }
  return list;
}

void PrintFindings(const ConfigFindings& findings, const char* kind) {
  for (const ConfigFinding& finding : findings) {
    std::printf("%s: %s\n", kind, PrintableLines(FindingText(finding)).c_str());
  }
}

struct ConfigValidateCommand {
  std::vector<std::string> paths;
  bool json = false;

  void Declare(CLI::App* command) {
    command
        ->add_option("PATH", paths,
                     "Files in HCL or JSON, and directories with *.hcl and *.json; they are merged "
                     "in this order")
        ->required();
    command->add_flag("--json", json, "Prints the result as JSON");
    command->footer(
        "Prints all mistakes, and warns of each key that is not carried out. Exit code: 0 an agent "
        "can use the configuration, 1 it cannot, 2 the command line is wrong or a file cannot be "
        "read.");
  }

  int Run() const {
    const LoadedConfig loaded = LoadConfig(paths, MachineAddresses);
    if (json) {
      PrintUtf8Json({{"Valid", loaded.mistakes.empty()},
                     {"Errors", ListOf(loaded.mistakes)},
                     {"Warnings", ListOf(loaded.warnings)}});
    } else {
      PrintFindings(loaded.mistakes, "error");
      PrintFindings(loaded.warnings, "warning");
      if (loaded.mistakes.empty()) std::printf("valid\n");
    }
    const bool unreadable =
        std::any_of(loaded.mistakes.begin(), loaded.mistakes.end(),
                    [](const ConfigFinding& one) { return one.code != Code::kInvalidArgument; });
    if (unreadable) return kExitUsage;
    return loaded.mistakes.empty() ? kExitOk : kExitFailed;
  }
};

}  // namespace

void AddConfigValidate(const CommandGroup& config) {
  config.Add<ConfigValidateCommand>("validate", "Checks the configuration of an agent");
}

}  // namespace drover
