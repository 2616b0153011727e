// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <string>

#include "host/base/printable.h"
#include "host/cli/id_lookup.h"
#include "host/commands/commands.h"

namespace drover {
namespace {

struct VolumeDeleteCommand {
  std::string id;
  std::string type = "host";

  void Declare(CLI::App* command) {
    AddId(command, &id);
    command->add_option("--type", type, "The type of the volume (host)")
        ->check(CLI::IsMember({"host"}));
    AddNote(command,
            "The plugin that made the volume removes it with all its data. A volume that an "
            "allocation uses or that a group claims is not deleted.");
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const std::string whole, FindId(client, kVolumeIds, id));
    const std::string path = ApiPath("/v1/volume/host", whole) + "/delete";
    DROVER_ASSIGN(const nlohmann::json answer, client->Delete(path));
    return out->Print(answer, "Deleted host volume " + Printable(whole));
  }
};

}  // namespace

void AddVolumeDelete(const ClientGroup& volume) {
  volume.Add<VolumeDeleteCommand>("delete", "Deletes a host volume");
}

}  // namespace drover
