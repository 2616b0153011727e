// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/cli/answer_check.h"
#include "host/commands/commands.h"
#include "host/view/json_fields.h"
#include "host/view/record_tables.h"

namespace drover {
namespace {

using nlohmann::json;

struct OperatorRootKeyringRotateCommand {
  bool now = false;
  bool verbose = false;

  void Declare(CLI::App* command) {
    command->add_flag("--now", now, "No effect: the new key always signs at once");
    AddVerbose(command, &verbose);
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const json answer, client->Put("/v1/operator/keyring/rotate", json(nullptr)));
    DROVER_TRY(CheckIsObject(answer));
    return out->Print(answer, SigningKeyTable(json::array({MapField(answer, "Key")}), verbose));
  }
};

}  // namespace

void AddOperatorRootKeyringRotate(const ClientGroup& keyring) {
  keyring.Add<OperatorRootKeyringRotateCommand>(
      "rotate", "Makes a new key, which signs the tokens of tasks from now on");
}

}  // namespace drover
