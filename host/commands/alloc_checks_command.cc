// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/cli/answer_check.h"
#include "host/cli/id_lookup.h"
#include "host/commands/commands.h"
#include "host/view/record_tables.h"

namespace drover {
namespace {

struct AllocChecksCommand {
  std::string id;
  bool verbose = false;

  void Declare(CLI::App* command) {
    AddId(command, &id);
    command->add_flag("--verbose", verbose, "Prints also the code, the time and the id of each");
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const std::string alloc, FindId(client, kAllocIds, id));
    DROVER_ASSIGN(const nlohmann::json checks,
                  client->Get(ApiPath("/v1/client/allocation", alloc, "/checks")));
    DROVER_TRY(CheckIsObject(checks));
    return out->Print(checks, CheckTable(checks, verbose),
                      "The agent runs no checks of this allocation.");
  }
};

}  // namespace

void AddAllocChecks(const ClientGroup& alloc) {
  alloc.Add<AllocChecksCommand>("checks", "Shows the newest results of health checks");
}

}  // namespace drover
