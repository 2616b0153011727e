// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.h"
#include "host/base/time.h"
#include "host/spec/job.h"

namespace drover {

// A volume of the agent's configuration.
struct ConfiguredVolume {
  std::string path;
  bool read_only = false;

  bool operator==(const ConfiguredVolume&) const = default;
};
using ConfiguredVolumes = std::map<std::string, ConfiguredVolume>;  // by name

// A way in which a volume may be used.
struct VolumeCapability {
  std::string access_mode;
  std::string attachment_mode;

  bool operator==(const VolumeCapability&) const = default;
};

// A group of a job that keeps a volume, even while nothing of it runs.
struct VolumeClaim {
  std::string id;  // a UUID
  std::string job_namespace;
  std::string job_id;
  std::string group;
  std::string alloc_id;  // the allocation for which the claim was made

  bool operator==(const VolumeClaim&) const = default;
};

namespace volume_state {
inline constexpr std::string_view kPending = "pending";  // its plugin makes it, or must make it
inline constexpr std::string_view kReady = "ready";
inline constexpr std::string_view kUnavailable = "unavailable";  // its plugin has failed
inline constexpr std::string_view kDeleted = "deleted";          // its plugin removes it
}  // namespace volume_state

// A host volume that a client has created or registered.
struct VolumeRecord {
  std::string id;  // a UUID
  std::string name_space = "default";
  std::string name;
  std::string plugin_id;  // empty: a registered volume, which no plugin makes
  std::string node_id;
  std::string node_pool;
  std::string host_path;  // empty while the volume is pending
  std::string state;      // a word of volume_state
  std::int64_t capacity_bytes = 0;
  std::int64_t capacity_min_bytes = 0;  // as requested; 0: none
  std::int64_t capacity_max_bytes = 0;
  std::vector<VolumeCapability> capabilities;
  std::vector<Constraint> constraints;
  StringMap parameters;  // for the plugin
  std::vector<VolumeClaim> claims;
  std::uint64_t create_index = 0;
  std::uint64_t modify_index = 0;
  WallTime create_time = 0;
  WallTime modify_time = 0;

  bool operator==(const VolumeRecord&) const = default;
};

// Returns RECORD as clients read it, without its claims.
nlohmann::json VolumeToJson(const VolumeRecord& record);
// Returns a claim on RECORD as clients read it.
nlohmann::json ClaimToJson(const VolumeRecord& record, const VolumeClaim& claim);

// Returns RECORD as JSON, for the store.
std::string VolumeText(const VolumeRecord& record);
// Reads a record that VolumeText wrote. The error says what is wrong with it.
Result<VolumeRecord> ReadVolumeRecord(const std::string& text);

// Returns whether RECORD may be used as REQUEST wants: it is ready, and has a capability of the
// wanted modes.
bool Offers(const VolumeRecord& record, const VolumeRequest& request);

// Returns whether ID has the form of a UUID. Only such an id is a part of a path.
bool IsVolumeId(std::string_view id);

}  // namespace drover
