// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/volume_request.h"
#include "host/commands/commands.h"

namespace drover {
namespace {

constexpr VolumeSpecCommand::Kind kVolumeRegister{
    .path = "/v1/volume/host/register",
    .done = "Registered",
    .note =
        "The directory or file host_path must be there. "
        "Nothing is made, and drover volume delete removes nothing.",
};

struct VolumeRegisterCommand : VolumeSpecCommand {
  VolumeRegisterCommand() : VolumeSpecCommand(kVolumeRegister) {}
};

}  // namespace

void AddVolumeRegister(const ClientGroup& volume) {
  volume.Add<VolumeRegisterCommand>("register", "Makes a directory of the machine a host volume");
}

}  // namespace drover
