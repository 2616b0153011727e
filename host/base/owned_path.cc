// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/owned_path.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <utility>
#include <vector>

namespace drover {
namespace {

std::string Octal(mode_t mode) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%04o", static_cast<unsigned>(mode & 07777));
  return text.data();
}

constexpr int kMaxLinks = 40;  // the limit of the kernel is also 40

// Adds the parts of PATH to AHEAD. AHEAD is in reverse order: its last element is the next part to
// open. The parts of PATH will be opened before the parts that are already in AHEAD.
void AddParts(const std::string& path, std::vector<std::string>* ahead) {
  std::size_t end = path.size();
  while (end > 0) {
    const std::size_t slash = path.rfind('/', end - 1);
    const std::size_t begin = slash == std::string::npos ? 0 : slash + 1;
    const std::string part = path.substr(begin, end - begin);
    if (!part.empty() && part != ".") ahead->push_back(part);
    end = slash == std::string::npos ? 0 : slash;
  }
}

// Returns the target of the symbolic link NAME in the directory DIR.
Result<std::string> ReadOwnedLink(int dir, const std::string& name, const std::string& path,
                                  const OwnedKind& kind) {
  const UniqueFd link(openat(dir, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  struct stat info{};
  if (!link || fstat(link.get(), &info) != 0) return ErrnoError(errno, "open " + path);
  if (!S_ISLNK(info.st_mode)) return ErrnoError(ENOTDIR, "open " + path);
  info.st_mode &= ~mode_t{0777};  // the mode of a symbolic link has no meaning
  DROVER_TRY(CheckOwned(path, info, kind));
  std::array<char, PATH_MAX> target{};
  const ssize_t size = readlinkat(link.get(), "", target.data(), target.size());
  if (size <= 0) return ErrnoError(size < 0 ? errno : ENOENT, "read the link " + path);
  return std::string(target.data(), static_cast<std::size_t>(size));
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

Result<UniqueFd> OpenOwned(const std::string& path, int flags, const OwnedKind& kind,
                           std::string* real) {
  std::vector<std::string> ahead;  // the parts to open; the last element is the next part
  AddParts(path, &ahead);
  UniqueFd at;
  std::string done;
  int links = 0;
  while (true) {
    if (!at) at = UniqueFd(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!at) return ErrnoError(errno, "open /");
    struct stat info{};
    if (fstat(at.get(), &info) != 0) return ErrnoError(errno, "stat " + done + "/");
    DROVER_TRY(CheckOwned(done.empty() ? "/" : done, info, kind));
    if (ahead.empty()) break;
    const std::string part = std::move(ahead.back());
    ahead.pop_back();
    const std::string next_path =
        part == ".." ? done.substr(0, std::min(done.rfind('/'), done.size())) : done + "/" + part;
    // With O_NONBLOCK the open does not wait if the file is a FIFO.
    const int how = ahead.empty() ? flags | O_NONBLOCK : O_PATH | O_DIRECTORY;
    UniqueFd next(openat(at.get(), part.c_str(), how | O_NOFOLLOW | O_CLOEXEC));
    const int error = errno;
    if (!next && (error == ELOOP || error == ENOTDIR)) {
      DROVER_ASSIGN(const std::string target, ReadOwnedLink(at.get(), part, next_path, kind));
      if (++links > kMaxLinks) return ErrnoError(ELOOP, "open " + path);
      AddParts(target, &ahead);
      if (target.front() != '/') continue;
      at.Reset();
      done.clear();
      continue;
    }
    if (!next) {
      const std::string whole = next_path == path ? "" : ", on the way to " + path;
      return ErrnoError(error, "open " + next_path + whole);
    }
    at = std::move(next);
    done = next_path;
  }
  if (real != nullptr) *real = done.empty() ? "/" : done;
  return at;
}

}  // namespace drover
