// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "host/base/result.h"

namespace drover {

struct UnpackOrder {
  int archive = -1;  // the open file, at its beginning
  std::string form;  // such as "tar.gz"; see ArtifactSource::archive
  int to = -1;       // the open directory that gets the files
  // If this is not empty, the archive must have one file, which gets this name in TO.
  std::string single;
  std::uint64_t most_bytes = 0;  // of all files together, also of the holes in them
  std::uint64_t most_files = 0;  // files, directories and links
};

// Unpacks an archive from anybody. Regular files, directories and links come into TO. Refuses the
// whole archive if an entry is a device, a pipe or a socket, if a path or a link leads out of the
// archive or through a link, and if a limit is passed. A file keeps of its mode only whether it is
// executable; one that is only compressed is. Files that came before an error stay. Returns
// Code::kUnimplemented if this program was built without libarchive. Blocks.
Status UnpackArchive(const UnpackOrder& order);

}  // namespace drover
