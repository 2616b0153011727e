// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/commands/commands.h"

namespace drover {
namespace {

struct SystemReconcileSummariesCommand {
  void Declare(CLI::App*) {}

  Result<int> Run(ApiClient* client) const {
    DROVER_TRY(client->Put("/v1/system/reconcile/summaries", nlohmann::json(nullptr)));
    return kExitOk;
  }
};

}  // namespace

void AddSystemReconcileSummaries(const ClientGroup& reconcile) {
  reconcile.AddPlain<SystemReconcileSummariesCommand>(
      "summaries", "Counts the summaries of all jobs anew; those of Drover are never wrong");
}

}  // namespace drover
