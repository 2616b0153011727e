// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/child/child_input.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

namespace drover {

Result<UniqueFd> MakeChildInput(const std::string& text) {
  UniqueFd file(memfd_create("drover-input", MFD_CLOEXEC));
  if (!file) return ErrnoError(errno, "cannot make a file in memory");
  // pwrite leaves the offset at the start.
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n =
        pwrite(file.get(), text.data() + done, text.size() - done, static_cast<off_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return ErrnoError(errno, "cannot write to a file in memory");
    done += static_cast<std::size_t>(n);
  }
  return file;
}

}  // namespace drover
