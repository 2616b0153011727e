// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "host/base/result.h"
#include "host/volume/volume_plugin.h"
#include "host/volume/volume_record.h"

namespace drover {

inline constexpr char kMkdirPlugin[] = "mkdir";
inline constexpr char kMkdirVersion[] = "1.0.0";

// Removes the directory NAME below DIR with everything in it. PATH is for errors.
using RemoveTree = std::function<Status(int dir, const std::string& name, const std::string& path)>;

// The volume plugin of the agent itself: a volume is the directory VOLUMES_DIR/ID. Its parameters
// are uid, gid and mode (0700). It does not limit the size. Both functions block. [any thread]
Result<MadeVolume> MakeDirectoryVolume(const std::string& volumes_dir, const VolumeRecord& volume);
// Succeeds if there is no such directory.
Status RemoveDirectoryVolume(const std::string& volumes_dir, const VolumeRecord& volume,
                             const RemoveTree& remove_tree);

}  // namespace drover
