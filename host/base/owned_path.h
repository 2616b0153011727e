// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <string>

#include "host/base/result.h"
#include "host/base/unique_fd.h"

namespace drover {

// A kind of file that only root and this process's user may change. The texts are for errors.
struct OwnedKind {
  const char* plural;    // "plugins": they must belong to root ...
  const char* singular;  // "the plugin": others could replace it
  // The agent's own group and root's group may write: their members are up to the operator.
  bool own_group_may_write = false;
};

// Succeeds if nobody but root and this process's user can change the file that INFO describes. A
// sticky directory is accepted, since nobody can replace other users' files in it.
Status CheckOwned(const std::string& path, const struct stat& info, const OwnedKind& kind);

// Opens PATH, which is absolute, step by step, with FLAGS for the last open. Checks each directory
// on the way, the result, and each symbolic link, which its owner could let lead elsewhere, by
// their descriptors. Stores the path without links in REAL; nobody else can change where it leads.
Result<UniqueFd> OpenOwned(const std::string& path, int flags, const OwnedKind& kind,
                           std::string* real = nullptr);

}  // namespace drover
