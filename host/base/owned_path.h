// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <string>

#include "host/base/result.h"
#include "host/base/unique_fd.h"

namespace drover {

// A kind of file that only root and this process's user may change. PLURAL and SINGULAR are parts
// of error messages.
struct OwnedKind {
  const char* plural;    // such as "plugins" in "plugins ... must belong to root"
  const char* singular;  // such as "the plugin" in "others could replace the plugin"
  // True if the agent's own group and root's group may also write, because the operator chooses
  // their members.
  bool own_group_may_write = false;
};

// Succeeds if only root and this process's user can change the file that INFO describes. Accepts a
// sticky directory, because nobody can replace the files of other users in it.
Status CheckOwned(const std::string& path, const struct stat& info, const OwnedKind& kind);

// Opens PATH, an absolute path, part by part. FLAGS are the flags of the last open. Opens each
// directory on the way, each symbolic link and the result, and calls CheckOwned for each open
// descriptor. A link is checked because its owner could change its target. Stores the path without
// symbolic links in REAL. No other user can change where REAL leads.
Result<UniqueFd> OpenOwned(const std::string& path, int flags, const OwnedKind& kind,
                           std::string* real = nullptr);

}  // namespace drover
