// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/owned_path.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>

namespace drover {
namespace {

std::string Octal(mode_t mode) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%04o", static_cast<unsigned>(mode & 07777));
  return text.data();
}

}  // namespace

Status CheckOwned(const std::string& path, const struct stat& info, const OwnedKind& kind) {
  if (info.st_uid != 0 && info.st_uid != geteuid()) {
    return Error(Code::kPermissionDenied, path + " belongs to user " + std::to_string(info.st_uid) +
                                              ": " + kind.plural +
                                              " and the directories above them must belong to "
                                              "root or to the agent's user " +
                                              std::to_string(geteuid()));
  }
  mode_t writers = S_IWGRP | S_IWOTH;
  if (kind.own_group_may_write && (info.st_gid == 0 || info.st_gid == getegid())) writers = S_IWOTH;
  const bool sticky_directory = S_ISDIR(info.st_mode) && (info.st_mode & S_ISVTX) != 0;
  if ((info.st_mode & writers) != 0 && !sticky_directory) {
    return Error(Code::kPermissionDenied,
                 path + " has mode " + Octal(info.st_mode) + ": others could replace " +
                     kind.singular + "; take write permission from group and others (chmod go-w)");
  }
  return {};
}

Result<UniqueFd> OpenOwned(const std::string& path, int flags, const OwnedKind& kind) {
  UniqueFd at(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!at) return ErrnoError(errno, "open /");
  std::string done;
  std::size_t begin = 1;
  while (true) {
    struct stat info{};
    if (fstat(at.get(), &info) != 0) return ErrnoError(errno, "stat " + done + "/");
    DROVER_TRY(CheckOwned(done.empty() ? "/" : done, info, kind));
    if (begin >= path.size()) return at;
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string part = path.substr(begin, end - begin);
    done += "/" + part;
    const bool last = end == path.size();
    // O_NONBLOCK: a FIFO of that name must not stop the agent.
    const int how = last ? flags | O_NONBLOCK : O_PATH | O_DIRECTORY;
    UniqueFd next(openat(at.get(), part.c_str(), how | O_NOFOLLOW | O_CLOEXEC));
    if (!next) return ErrnoError(errno, "open " + done);
    at = std::move(next);
    begin = end + 1;
  }
}

}  // namespace drover
