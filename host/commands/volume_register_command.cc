// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <string>

#include "host/cli/volume_request.h"
#include "host/commands/commands.h"
#include "host/view/json_fields.h"

namespace drover {
namespace {

struct VolumeRegisterCommand {
  std::string file;
  bool detach = false;

  void Declare(CLI::App* command) {
    command->add_option("FILE", file, "The specification, in HCL or JSON; - is standard input")
        ->required();
    command->add_flag("--detach", detach, "Changes nothing: the agent answers when it is ready");
    AddNote(
        command,
        "The directory or file host_path must be there. Nothing is made, and drover volume delete "
        "removes nothing.");
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const nlohmann::json volume,
                  SendVolumeSpec(client, "/v1/volume/host/register", file));
    return out->Print(volume, "Registered host volume " + TextField(volume, "Name") + " with ID " +
                                  TextField(volume, "ID"));
  }
};

}  // namespace

void AddVolumeRegister(const ClientGroup& volume) {
  volume.Add<VolumeRegisterCommand>("register", "Makes a directory of the machine a host volume");
}

}  // namespace drover
