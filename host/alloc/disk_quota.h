// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "host/alloc/project_quota.h"
#include "host/base/unique_fd.h"

namespace drover {

struct DiskQuotaOptions {
  std::string base;  // the directory of all allocations
  // The range from which projects are chosen.
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  const ProjectQuotas* quotas = &KernelProjectQuotas();  // must outlive the object
};

// Holds the directories of allocations to their sizes by the quotas of their file system. Each
// directory has a project of its own, and everything that is made in it gets the project, too. The
// project of the directory is the only record of it: it is there as long as the directory, whatever
// becomes of the agent. A project whose number any file has, here or elsewhere on the file system,
// is never chosen. All functions block. [any thread]
class DiskQuota {
 public:
  explicit DiskQuota(DiskQuotaOptions options) : options_(std::move(options)) {}

  // Succeeds if the file system has quotas that can be used. The error says what is missing.
  Status Check() const;
  // Gives the directory of the allocation ALLOC_ID, which must exist, a project that may have
  // BYTES. A project that it has already stays. If its tasks have STARTED without one, they use the
  // directory, and the call fails. May be called any number of times.
  Status Hold(const std::string& alloc_id, std::int64_t bytes, bool started) const;
  // Returns what the allocation takes; absent if its directory has no project of its own.
  std::optional<std::int64_t> Used(const std::string& alloc_id) const;
  // Removes the limit of the allocation, whose directory is removed next.
  void Free(const std::string& alloc_id) const;

 private:
  struct Held {
    UniqueFd root;
    FileProject project;
    bool own = false;  // otherwise it has that of the directory of all allocations
  };

  Result<Held> Open(const std::string& alloc_id) const;
  Result<FileProject> Claim(int root) const;

  const DiskQuotaOptions options_;
};

}  // namespace drover
