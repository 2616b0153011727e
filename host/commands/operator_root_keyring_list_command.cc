// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/cli/answer_check.h"
#include "host/commands/commands.h"
#include "host/view/record_tables.h"

namespace drover {
namespace {

using nlohmann::json;

struct OperatorRootKeyringListCommand {
  bool verbose = false;

  void Declare(CLI::App* command) { AddVerbose(command, &verbose); }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const json keys, client->Get("/v1/operator/keyring/keys"));
    DROVER_TRY(CheckIsList(keys));
    return out->Print(keys, SigningKeyTable(keys, verbose), "No keys found");
  }
};

}  // namespace

void AddOperatorRootKeyringList(const ClientGroup& keyring) {
  keyring.Add<OperatorRootKeyringListCommand>("list", "Lists the keys that sign tokens of tasks");
}

}  // namespace drover
