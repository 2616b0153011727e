// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/base/printable.h"
#include "host/cli/output.h"
#include "host/cli/plugin_sources.h"
#include "host/config/config_show.h"
#include "host/local_commands/local_commands.h"
#include "host/node/machine_network.h"
#include "host/spec/strict_json.h"
#include "host/view/table.h"

namespace drover {
namespace {

std::string PlaceText(const ConfigPlace& place) {
  if (place.file.empty()) return "default";
  return place.line == 0 ? place.file : place.file + ":" + std::to_string(place.line);
}

struct ConfigShowCommand {
  std::vector<std::string> paths;
  AnswerForm form;

  void Declare(CLI::App* command) {
    AddConfigOption(command, &paths)->required();
    form.Declare(command);
    command->footer(
        "Prints each key that is set or has a default, the value that holds, and where the value "
        "comes from. Exit code: 0 done, 2 the command line or the configuration is wrong.");
  }

  int Run() const {
    const LoadedConfig loaded = LoadConfig(paths, MachineAddresses);
    const Status usable = AsError(loaded.mistakes);
    if (!usable.ok()) return Fail("config show", usable.error(), kExitUsage);
    nlohmann::json list = nlohmann::json::array();
    TextTable table({"Key", "Value", "From"});
    for (const ShownConfigKey& key : ShowConfig(loaded)) {
      list.push_back({{"Key", key.pointer},
                      {"Value", key.value},
                      {"File", key.from.file},
                      {"Line", key.from.line}});
      table.Add(
          {Printable(key.pointer), Printable(JsonText(key.value)), Printable(PlaceText(key.from))});
    }
    Result<Output> out = Output::Create(form);
    if (!out.ok()) return Fail("config show", out.error(), kExitUsage);
    const Result<int> code = out->Print(list, table);
    return code.ok() ? *code : Fail("config show", code.error(), kExitUsage);
  }
};

}  // namespace

void AddConfigShow(const CommandGroup& config) {
  config.Add<ConfigShowCommand>(
      "show", "Prints the configuration that an agent would use, and where each value comes from");
}

}  // namespace drover
