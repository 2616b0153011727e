// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/replace_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "host/base/unique_fd.h"

namespace drover {
namespace {

Status WriteAll(int fd, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return ErrnoError(errno, path);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  if (fsync(fd) != 0) return ErrnoError(errno, path);
  return {};
}

// Writes the new file TEMPORARY, and gives it the mode and owner of OLD.
Status WriteLike(const struct stat& old, std::string_view text, int fd,
                 const std::string& temporary) {
  DROVER_TRY(WriteAll(fd, text, temporary));
  if (fchown(fd, old.st_uid, old.st_gid) != 0 || fchmod(fd, old.st_mode & 07777) != 0) {
    return ErrnoError(errno, temporary);
  }
  return {};
}

}  // namespace

Status ReplaceFile(const std::string& path, std::string_view text) {
  std::error_code error;
  const std::string real = std::filesystem::canonical(path, error).string();
  struct stat old{};
  if (error) return ErrnoError(error.value(), path);
  if (stat(real.c_str(), &old) != 0) return ErrnoError(errno, real);
  if (!S_ISREG(old.st_mode)) return Error(Code::kInvalidArgument, path + ": is no regular file");
  // The rename below asks only for the right to write the directory.
  if (faccessat(AT_FDCWD, real.c_str(), W_OK, AT_EACCESS) != 0) return ErrnoError(errno, path);
  std::string temporary = real + ".XXXXXX";
  const UniqueFd fd(mkostemp(temporary.data(), O_CLOEXEC));
  if (!fd) return ErrnoError(errno, temporary);
  Status done = WriteLike(old, text, fd.get(), temporary);
  if (done.ok() && rename(temporary.c_str(), real.c_str()) != 0) done = ErrnoError(errno, real);
  if (!done.ok()) unlink(temporary.c_str());
  return done;
}

Status WriteNewFile(const std::string& path, std::string_view text) {
  const UniqueFd fd(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!fd && errno == EEXIST) return Error(Code::kFailedPrecondition, path + ": exists already");
  if (!fd) return ErrnoError(errno, path);
  Status done = WriteAll(fd.get(), text, path);
  if (!done.ok()) unlink(path.c_str());
  return done;
}

}  // namespace drover
