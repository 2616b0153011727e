// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/commands/commands.h"

namespace drover {
namespace {

struct SystemGcCommand {
  void Declare(CLI::App*) {}

  Result<int> Run(ApiClient* client) const {
    DROVER_TRY(client->Put("/v1/system/gc", nlohmann::json(nullptr)));
    return kExitOk;
  }
};

}  // namespace

void AddSystemGc(const ClientGroup& system) {
  system.AddPlain<SystemGcCommand>("gc", "Forgets what has ended: allocations, evaluations, jobs");
}

}  // namespace drover
