// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/cli/id_lookup.h"
#include "host/commands/commands.h"

namespace drover {
namespace {

struct NamespaceInspectCommand {
  std::string name;

  void Declare(CLI::App* command) { AddNamespaceName(command, &name); }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const nlohmann::json found, FindNamespace(client, name));
    return out->Print(found);
  }
};

}  // namespace

void AddNamespaceInspect(const ClientGroup& group) {
  group.Add<NamespaceInspectCommand>("inspect", "Prints a namespace as JSON");
}

}  // namespace drover
