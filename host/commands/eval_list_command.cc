// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/cli/answer_check.h"
#include "host/commands/commands.h"
#include "host/view/record_tables.h"

namespace drover {
namespace {

struct EvalListCommand {
  std::string job;
  std::string status;
  bool verbose = false;

  void Declare(CLI::App* command) {
    command->add_option("--job", job, "Only those of this job");
    command->add_option("--status", status, "Only those with this status");
    AddVerbose(command, &verbose);
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    Query query = {{"namespace", client->SearchedNamespace()}};
    if (!job.empty()) query.emplace_back("job", job);
    if (!status.empty()) query.emplace_back("status", status);
    DROVER_ASSIGN(const nlohmann::json evals, client->Get("/v1/evaluations", query));
    DROVER_TRY(CheckIsList(evals));
    return out->Print(evals, EvalTable(evals, verbose), "There are no such evaluations.");
  }
};

}  // namespace

void AddEvalList(const ClientGroup& eval) {
  eval.Add<EvalListCommand>("list", "Lists evaluations");
}

}  // namespace drover
