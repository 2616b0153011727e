// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "host/cli/id_lookup.h"
#include "host/commands/commands.h"
#include "host/view/json_fields.h"
#include "host/view/terminal.h"

namespace drover {
namespace {

using nlohmann::json;

struct EvalDeleteCommand {
  std::vector<std::string> ids;  // ids or beginnings of ids
  std::string filter;            // chooses the evaluations if no ids are given
  bool yes = false;

  void Declare(CLI::App* command) {
    CLI::Option_group* const which = command->add_option_group("One of");
    which->add_option("ID", ids, "Their ids, or the beginnings of them");
    which->add_option("--filter", filter, "Those that this chooses: 'Status == \"complete\"'");
    which->require_option(1);
    command->add_flag("--yes", yes, "With --filter: does not ask");
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    json body = json::object();
    if (!filter.empty()) body["Filter"] = filter;
    if (!filter.empty() && !yes) {
      DROVER_ASSIGN(const bool sure, Confirmed("Delete all evaluations that match " + filter +
                                               " and that nothing needs?"));
      if (!sure) return kExitOk;
    }
    for (const std::string& id : ids) {
      DROVER_ASSIGN(std::string whole, FindId(client, kEvalIds, id));
      body["EvalIDs"].push_back(std::move(whole));
    }
    DROVER_ASSIGN(
        const json answer,
        client->DeleteThose("/v1/evaluations", body, {{"namespace", client->SearchedNamespace()}}));
    const bool one = NumberField(answer, "Count") == 1;
    return out->Print(answer, NumberText(answer, "Count") +
                                  (one ? " evaluation is" : " evaluations are") + " deleted");
  }
};

}  // namespace

void AddEvalDelete(const ClientGroup& eval) {
  eval.Add<EvalDeleteCommand>("delete",
                              "Deletes evaluations that have ended and that nothing needs");
}

}  // namespace drover
