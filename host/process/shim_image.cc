// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/shim_image.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

extern "C" {
extern const char drover_shim_image[];
extern const char drover_shim_image_end[];
}

namespace drover {
namespace {
constexpr unsigned kMfdExec = 0x0010U;  // MFD_EXEC, since Linux 6.3
}

std::string_view ShimImage() {
  return {drover_shim_image, static_cast<std::size_t>(drover_shim_image_end - drover_shim_image)};
}

Result<UniqueFd> OpenShimImage() {
  constexpr unsigned kFlags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  UniqueFd file(memfd_create("drover-shim", kFlags | kMfdExec));
  if (!file && errno == EINVAL) file = UniqueFd(memfd_create("drover-shim", kFlags));
  if (!file) return ErrnoError(errno, "cannot make a memory file for the shim");
  for (std::string_view rest = ShimImage(); !rest.empty();) {
    const ssize_t n = write(file.get(), rest.data(), rest.size());
    if (n <= 0) return ErrnoError(errno, "cannot write the shim to its memory file");
    rest.remove_prefix(static_cast<std::size_t>(n));
  }
  if (fcntl(file.get(), F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) != 0)
    return ErrnoError(errno, "cannot seal the shim's memory file");
  return file;
}

}  // namespace drover
