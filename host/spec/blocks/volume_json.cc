// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/blocks/volume_json.h"

#include <nlohmann/json.hpp>
#include <string>

namespace drover {

using nlohmann::json;

void ReadVolumes(const JobMembers& in, VolumeRequests* volumes) {
  const json* const all = in.Find("Volumes");
  if (all == nullptr || !all->is_object()) return;
  const JobMembers of_group = in.Object("Volumes");
  for (const auto& [name, value] : all->items()) {
    if (!value.is_object()) continue;  // the table of fields has reported it
    const JobMembers members = of_group.Object(name.c_str());
    VolumeRequest& volume = (*volumes)[name];
    members.Read("Type", &volume.type);
    members.Read("Source", &volume.source);
    members.Read("ReadOnly", &volume.read_only);
    members.Read("Sticky", &volume.sticky);
    members.Read("PerAlloc", &volume.per_alloc);
    members.Read("AccessMode", &volume.access_mode);
    members.Read("AttachmentMode", &volume.attachment_mode);
  }
}

void ReadVolumeMount(const JobMembers& in, VolumeMount* mount) {
  in.Read("Volume", &mount->volume);
  in.Read("Destination", &mount->destination);
  in.Read("ReadOnly", &mount->read_only);
  std::string mode;
  in.Read("PropagationMode", &mode);
  if (!mode.empty()) mount->propagation_mode = mode;
}

json VolumesToJson(const VolumeRequests& volumes) {
  if (volumes.empty()) return nullptr;
  json out = json::object();
  for (const auto& [name, volume] : volumes) {
    out[name] = {{"Name", name},
                 {"Type", volume.type},
                 {"Source", volume.source},
                 {"ReadOnly", volume.read_only},
                 {"Sticky", volume.sticky},
                 {"PerAlloc", volume.per_alloc},
                 {"AccessMode", volume.access_mode},
                 {"AttachmentMode", volume.attachment_mode}};
  }
  return out;
}

json VolumeMountsToJson(const std::vector<VolumeMount>& mounts) {
  if (mounts.empty()) return nullptr;
  json out = json::array();
  for (const VolumeMount& mount : mounts) {
    out.push_back({{"Volume", mount.volume},
                   {"Destination", mount.destination},
                   {"ReadOnly", mount.read_only},
                   {"PropagationMode", mount.propagation_mode}});
  }
  return out;
}

}  // namespace drover
