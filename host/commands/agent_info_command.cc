// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/base/printable.h"
#include "host/cli/answer_check.h"
#include "host/commands/commands.h"
#include "host/view/json_fields.h"

namespace drover {
namespace {

using nlohmann::json;

struct AgentInfoCommand {
  ClientOptions client;
  AnswerForm form;

  void Declare(CLI::App* command) {
    AddConnectionOptions(command, &client);
    form.Declare(command);
  }

  Result<int> Run(ApiClient* agent, Output* out) const {
    DROVER_ASSIGN(const json self, agent->Get("/v1/agent/self"));
    DROVER_TRY(CheckIsObject(self));
    if (out->raw()) return out->Print(self);
    for (const auto& [section, values] : MapField(self, "stats").items()) {
      out->Line(Printable(section));
      for (const auto& [key, value] : AsMap(values).items()) {
        out->Line("  " + Printable(key) + " = " + TextField(values, key.c_str()));
      }
    }
    return kExitOk;
  }
};

}  // namespace

void AddAgentInfo(const CommandGroup& drover) {
  AddClientCommand<AgentInfoCommand>(drover, "agent-info", "Shows the statistics of an agent");
}

}  // namespace drover
