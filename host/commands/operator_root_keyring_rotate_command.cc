// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/cli/answer_check.h"
#include "host/commands/commands.h"
#include "host/view/json_fields.h"
#include "host/view/readable.h"

namespace drover {
namespace {

using nlohmann::json;

struct OperatorRootKeyringRotateCommand {
  bool now = false;
  bool verbose = false;

  void Declare(CLI::App* command) {
    command->add_flag("--now", now, "Is always so here: the new key signs at once");
    AddVerbose(command, &verbose);
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const json answer, client->Put("/v1/operator/keyring/rotate", json(nullptr)));
    DROVER_TRY(CheckIsObject(answer));
    const json& key = MapField(answer, "Key");
    TextTable table({"Key", "State", "Create Time"});
    table.Add({ShownId(TextField(key, "KeyID"), verbose), TextField(key, "State"),
               LocalTime(NumberField(key, "CreateTime"))});
    return out->Print(answer, table);
  }
};

}  // namespace

void AddOperatorRootKeyringRotate(const ClientGroup& keyring) {
  keyring.Add<OperatorRootKeyringRotateCommand>("rotate",
                                                "Has another key sign the tokens of tasks");
}

}  // namespace drover
