// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "host/base/printable.h"
#include "host/client/followed_lines.h"
#include "host/commands/commands.h"

namespace drover {
namespace {

struct MonitorCommand {
  std::string level = "info";
  AnswerForm form;
  ClientOptions client;

  void Declare(CLI::App* command) {
    command->add_option("--log-level", level,
                        "The least severe level: trace, debug, info, warn or error, whatever the "
                        "agent's own (info)");
    command->add_flag("--json", form.json, "Prints an object per line");
    AddClientOptions(command, &client);
  }

  Result<int> Run(ApiClient* agent, Output* out) const {
    Query query = {{"log_level", level}, {"plain", "true"}};
    if (form.json) query.emplace_back("log_json", "true");
    return FollowLines(agent, "/v1/agent/monitor", std::move(query),
                       [out](const std::string& line) { out->Line(Printable(line)); });
  }
};

}  // namespace

void AddMonitor(const CommandGroup& drover) {
  AddClientCommand<MonitorCommand>(drover, "monitor", "Shows the log of an agent as it is written");
}

}  // namespace drover
