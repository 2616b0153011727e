// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <string>

#include "host/base/printable.h"
#include "host/commands/commands.h"

namespace drover {
namespace {

struct VolumeClaimDeleteCommand {
  std::string id;

  void Declare(CLI::App* command) {
    command->add_option("ID", id, "The whole id of the claim")->required();
    AddNote(command,
            "The volume can be deleted then. A group that runs goes on, and gets another "
            "claim with its next allocation.");
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const nlohmann::json answer, client->Delete(ApiPath("/v1/volumes/claim", id)));
    return out->Print(answer, "Deleted the claim " + Printable(id));
  }
};

}  // namespace

void AddVolumeClaimDelete(const ClientGroup& claim) {
  claim.Add<VolumeClaimDeleteCommand>("delete", "Deletes the claim of a group on a host volume");
}

}  // namespace drover
