// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "host/config/config_values.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

constexpr std::size_t kMostVolumeName = 128;
constexpr std::size_t kMostPath = 4096;

// A name that jobs can write and that people can read in one line.
bool IsVolumeName(const std::string& name) {
  return !name.empty() && name.size() <= kMostVolumeName &&
         std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

}  // namespace

void ReadHostVolumes(const ConfigValues& values, AgentConfig::Client* client) {
  values.Text("/client/host_volumes_dir", &client->host_volumes_dir);
  values.Text("/client/host_volume_plugin_dir", &client->host_volume_plugin_dir);
  const nlohmann::json* const blocks = values.Find("/client/host_volume");
  if (blocks == nullptr) return;
  for (const auto& [name, block] : blocks->items()) {
    const std::string at = JsonPointer("/client/host_volume", name);
    AgentConfig::HostVolume volume;
    values.Text(at + "/path", &volume.path);
    values.Bool(at + "/read_only", &volume.read_only);
    if (!IsVolumeName(name)) {
      values.Mistake(at, "must have a name of at most 128 printable characters, without spaces");
    } else if (volume.path.empty()) {
      if (values.IsMistaken(at + "/path")) continue;
      values.Mistake(at, "needs a path, such as path = \"/srv/data\"");
    } else if (volume.path.size() > kMostPath || volume.path.find('\0') != std::string::npos) {
      values.Mistake(at + "/path", "is no path: it is too long or holds a NUL");
    } else {
      client->host_volumes[name] = std::move(volume);
    }
  }
}

}  // namespace drover
