// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/shim_image.h"

#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "host/base/memory_file.h"

extern "C" {
extern const char drover_shim_image[];
extern const char drover_shim_image_end[];
}

namespace drover {

Result<UniqueFd> OpenShimImage() {
  DROVER_ASSIGN(UniqueFd file, MakeMemoryFile("drover-shim"));
  for (std::string_view rest(drover_shim_image, drover_shim_image_end); !rest.empty();) {
    const ssize_t n = write(file.get(), rest.data(), rest.size());
    if (n <= 0) return ErrnoError(errno, "cannot write the shim to its memory file");
    rest.remove_prefix(static_cast<std::size_t>(n));
  }
  DROVER_TRY(SealMemoryFile(file));
  return file;
}

}  // namespace drover
