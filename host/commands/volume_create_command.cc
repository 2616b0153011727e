// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/volume_request.h"
#include "host/commands/commands.h"

namespace drover {
namespace {

constexpr VolumeSpecCommand::Kind kVolumeCreate{
    .path = "/v1/volume/host/create",
    .done = "Created",
    .note =
        "A specification with the id of a volume changes that one. "
        "drover volume init writes an example.",
};

struct VolumeCreateCommand : VolumeSpecCommand {
  VolumeCreateCommand() : VolumeSpecCommand(kVolumeCreate) {}
};

}  // namespace

void AddVolumeCreate(const ClientGroup& volume) {
  volume.Add<VolumeCreateCommand>("create", "Has a plugin make a host volume");
}

}  // namespace drover
