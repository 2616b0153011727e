// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/cli/answer_check.h"
#include "host/commands/commands.h"
#include "host/view/record_tables.h"

namespace drover {
namespace {

struct ServiceListCommand {
  void Declare(CLI::App*) {}

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const nlohmann::json services,
                  client->Get("/v1/services", {{"namespace", client->SearchedNamespace()}}));
    DROVER_TRY(CheckIsList(services));
    return out->Print(services, ServiceTable(services), "There are no services.");
  }
};

}  // namespace

void AddServiceList(const ClientGroup& service) {
  service.Add<ServiceListCommand>("list", "Lists the names of services");
}

}  // namespace drover
