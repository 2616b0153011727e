// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "host/artifact/artifact_source.h"
#include "host/base/result.h"
#include "host/base/unique_fd.h"

namespace drover {

// Downloads that are kept for later allocations, by their checksums. Only sha256 and sha512 count:
// for the others somebody could make another file with the same one. The files are copies, so no
// task can change them. The ones that were not used for the longest time go when there is no room.
// The methods block. [any thread]
class ArtifactCache {
 public:
  // Makes the directory PATH, whose parent must exist, unless it is there. Removes what an agent
  // that died has left half written. MOST_BYTES is the size of all files together.
  static Result<std::unique_ptr<ArtifactCache>> Create(const std::string& path,
                                                       std::uint64_t most_bytes);

  // Returns the open file with CHECKSUM, or no descriptor.
  UniqueFd Find(const ArtifactChecksum& checksum);
  // Keeps a copy of the open file FROM, after it has checked the checksum. A file that is too large
  // is not kept, and that is no error. When STOP can be read, nothing is kept.
  Status Keep(const ArtifactChecksum& checksum, int from, int stop = -1);
  // Removes the file with CHECKSUM, because its content is wrong.
  void Drop(const ArtifactChecksum& checksum);

 private:
  ArtifactCache(UniqueFd dir, std::uint64_t most_bytes)
      : dir_(std::move(dir)), most_bytes_(most_bytes) {}
  Status MakeRoom(std::uint64_t bytes);
  Status Copy(const std::string& name, int from, int stop);

  const UniqueFd dir_;
  const std::uint64_t most_bytes_;
  std::mutex mutex_;  // of changes
};

}  // namespace drover
