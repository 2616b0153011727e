// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <string>

#include "host/cli/volume_request.h"
#include "host/commands/commands.h"
#include "host/view/json_fields.h"

namespace drover {
namespace {

struct VolumeCreateCommand {
  std::string file;
  bool detach = false;

  void Declare(CLI::App* command) {
    command->add_option("FILE", file, "The specification, in HCL or JSON; - is standard input")
        ->required();
    command->add_flag("--detach", detach, "Changes nothing: the agent answers when it is ready");
    AddNote(
        command,
        "A specification with the id of a volume changes that one. drover volume init writes an "
        "example.");
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const nlohmann::json volume,
                  SendVolumeSpec(client, "/v1/volume/host/create", file));
    return out->Print(volume, "Created host volume " + TextField(volume, "Name") + " with ID " +
                                  TextField(volume, "ID"));
  }
};

}  // namespace

void AddVolumeCreate(const ClientGroup& volume) {
  volume.Add<VolumeCreateCommand>("create", "Has a plugin make a host volume");
}

}  // namespace drover
