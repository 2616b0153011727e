// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <string>

#include "host/base/result.h"
#include "host/base/unique_fd.h"

namespace drover {

// What must be in the hands of root and of this process's user alone. Of text for errors only.
struct OwnedKind {
  const char* plural;    // "plugins": they must belong to root ...
  const char* singular;  // "the plugin": others could replace it
  // The agent's own group, and that of root, may write: who is in it is the operator's matter.
  bool own_group_may_write = false;
};

// Whether nobody but root and this process's user can change what INFO is of. A directory in which
// nobody can replace what belongs to others (sticky) counts as such.
Status CheckOwned(const std::string& path, const struct stat& info, const OwnedKind& kind);

// Opens PATH, which is absolute, with FLAGS. Walks it step by step, and checks each directory on
// the way, each symbolic link and the file itself, by descriptor. REAL becomes the path without
// links: nobody else can change where it leads.
Result<UniqueFd> OpenOwned(const std::string& path, int flags, const OwnedKind& kind,
                           std::string* real = nullptr);

}  // namespace drover
