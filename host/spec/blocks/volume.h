// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>

namespace drover {

// Who may use a volume at the same time, in the words of jobs and clients.
namespace access_mode {
inline constexpr std::string_view kReaderOnly = "single-node-reader-only";
inline constexpr std::string_view kWriter = "single-node-writer";  // the default of a request
inline constexpr std::string_view kSingleWriter = "single-node-single-writer";
inline constexpr std::string_view kMultiWriter = "single-node-multi-writer";
inline constexpr std::array kAll = {kReaderOnly, kWriter, kSingleWriter, kMultiWriter};
}  // namespace access_mode

// The only attachment mode of this version, and the default of a request.
inline constexpr std::string_view kFileSystem = "file-system";

// What a group wants of a volume. The name of the volume in the group is its key in
// TaskGroup::volumes.
struct VolumeRequest {
  std::string type;    // "host"
  std::string source;  // the name of the volume on the node
  bool read_only = false;
  bool sticky = false;     // the group keeps a claim on the volume, even while nothing runs
  bool per_alloc = false;  // the name on the node is SOURCE[INDEX], where INDEX is the allocation's
  std::string access_mode = {};      // empty: the volume may have any, and kWriter counts
  std::string attachment_mode = {};  // empty: kFileSystem

  bool operator==(const VolumeRequest&) const = default;
};
using VolumeRequests = std::map<std::string, VolumeRequest>;

// A place in a task where a volume of its group is mounted.
struct VolumeMount {
  std::string volume;  // the key of a VolumeRequest
  std::string destination;
  bool read_only = false;
  std::string propagation_mode = "private";  // or "host-to-task" or "bidirectional"

  bool operator==(const VolumeMount&) const = default;
};

// Returns the name on the node of the volume that REQUEST means, for the allocation INDEX.
std::string SourceOf(const VolumeRequest& request, int index);

// Returns whether an allocation with REQUEST may write to the volume.
bool Writes(const VolumeRequest& request);

}  // namespace drover
