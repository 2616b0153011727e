// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "host/artifact/artifact_source.h"
#include "host/base/result.h"
#include "host/base/time.h"

namespace drover {

struct GitClone {
  const ArtifactSource* source = nullptr;
  int to = -1;       // the open directory in which the clone is made
  std::string name;  // of the clone in TO, which must not exist
  bool insecure = false;
  Duration limit = std::chrono::minutes(30);
  std::uint64_t most_bytes = 0;  // of all files of the clone
  std::uint64_t most_files = 0;  // of its checked-out files and those of git
  int progress = -1;             // a file for StoreProgress
};

// Clones a git repository with its submodules by the program git, and checks out the wanted
// commit. This process must have given up its rights: git reads no configuration of the machine,
// runs no hooks and asks nobody, and it has the rights of this process. No error shows the user of
// the URL. Blocks.
Status CloneByGit(const GitClone& clone);

}  // namespace drover
