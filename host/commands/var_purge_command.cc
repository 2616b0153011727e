// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "host/base/printable.h"
#include "host/cli/variable_request.h"
#include "host/commands/commands.h"

namespace drover {
namespace {

struct VarPurgeCommand {
  std::string path;
  std::optional<std::uint64_t> check_index;

  void Declare(CLI::App* command) {
    command->add_option("PATH", path, "Its path")->required();
    command->add_option("--check-index", check_index, "Only if this is its modify index");
  }

  Result<int> Run(ApiClient* client) const {
    ClientRequest request = VariableRequest(*client, "DELETE", path);
    if (check_index) request.query.emplace_back("cas", std::to_string(*check_index));
    DROVER_ASSIGN(const VariableAnswer answer, AskAboutVariables(client, std::move(request)));
    if (answer.conflict) return ConflictOf(check_index.value_or(0), answer.body);
    std::printf("Purged variable \"%s\"\n", Printable(path).c_str());
    return kExitOk;
  }
};

}  // namespace

void AddVarPurge(const ClientGroup& var) {
  var.AddPlain<VarPurgeCommand>("purge", "Removes a variable for good");
}

}  // namespace drover
