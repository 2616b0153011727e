// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/cli/answer_check.h"
#include "host/commands/commands.h"
#include "host/view/json_fields.h"

namespace drover {
namespace {

using nlohmann::json;

struct NamespaceListCommand {
  void Declare(CLI::App*) {}

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const json namespaces, client->Get("/v1/namespaces"));
    DROVER_TRY(CheckIsList(namespaces));
    TextTable table({"Name", "Description"});
    for (const json& one : AsList(namespaces)) {
      table.Add({TextField(one, "Name"), TextField(one, "Description")});
    }
    return out->Print(namespaces, table, "No namespaces found");
  }
};

}  // namespace

void AddNamespaceList(const ClientGroup& group) {
  group.Add<NamespaceListCommand>("list", "Lists the namespaces");
}

}  // namespace drover
