// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/memory_file.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>

namespace drover {
namespace {
constexpr unsigned kMfdExec = 0x0010U;  // MFD_EXEC, since Linux 6.3
}

Result<UniqueFd> MakeMemoryFile(const char* name) {
  constexpr unsigned kFlags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  UniqueFd file(memfd_create(name, kFlags | kMfdExec));
  if (!file && errno == EINVAL) file = UniqueFd(memfd_create(name, kFlags));
  if (!file) return ErrnoError(errno, "cannot make a file in memory");
  return file;
}

Status SealMemoryFile(const UniqueFd& file) {
  constexpr int kSeals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
  if (fcntl(file.get(), F_ADD_SEALS, kSeals) != 0) {
    return ErrnoError(errno, "cannot seal a file in memory");
  }
  return {};
}

}  // namespace drover
