// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "host/base/result.h"

namespace drover {

struct PlaceOrder {
  int from = -1;           // the open directory of the process that has fetched, which has ended
  std::string path;        // of the artifact in it
  bool directory = false;  // whether the content of PATH comes into TO; otherwise PATH becomes TO
  int root = -1;           // the open directory of the allocation
  std::string to;          // a path of ArtifactPlace, with a name for a file
  // The user and the group that get the files; absent: those of this process.
  std::optional<std::pair<uid_t, gid_t>> owner;
  std::uint64_t most_files = 0;
};

// Moves what has been fetched to its place. Missing directories are made, directories that are
// there stay and get more files, and files that are there are replaced, each at once. First checks
// all of it, so that an artifact with a device, or with a link that leads out of it, changes
// nothing. The files get the mode 0755 if they are executable, or else 0644.
//
// Tasks may change everything below ROOT at any moment. So each step starts at a descriptor and
// follows no link. What a task puts in the way gives an error. Blocks.
Status PlaceArtifact(const PlaceOrder& order);

}  // namespace drover
