// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/artifact/staged_files.h"

#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "host/spec/strict_json.h"

namespace drover {
namespace {

// The kernel returns EAGAIN if a rename races with the call.
constexpr int kMostOpenTries = 100;

}  // namespace

Result<UniqueFd> OpenStaged(int dir, const std::string& path, int flags, mode_t mode) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  how.mode = mode;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  const char* const name = path.empty() ? "." : path.c_str();
  UniqueFd file;
  for (int i = 0; i < kMostOpenTries && !file; ++i) {
    file.Reset(static_cast<int>(syscall(SYS_openat2, dir, name, &how, sizeof how)));
    if (!file && errno != EAGAIN && errno != EINTR) break;
  }
  if (file) return file;
  if (errno == ELOOP || errno == EXDEV) {
    return Error(Code::kFailedPrecondition, Quoted(path) + " leads through a symbolic link");
  }
  return ErrnoError(errno, Quoted(path));
}

Result<std::string> StagedPath(std::string_view path) {
  const auto refused = [&](const char* why) {
    return Error(Code::kInvalidArgument, Quoted(path) + " " + why);
  };
  if (path.starts_with('/')) return refused("is an absolute path");
  std::string clean;
  std::size_t parts = 0;
  while (!path.empty()) {
    const std::string_view part = path.substr(0, path.find('/'));
    if (part == "..") return refused("leads out of the directory");
    if (part.size() > NAME_MAX) return refused("has a part that is too long");
    path.remove_prefix(std::min(path.size(), part.size() + 1));
    if (part.empty() || part == ".") continue;
    if (!clean.empty()) clean += '/';
    clean += part;
    ++parts;
  }
  if (clean.find('\0') != clean.npos) return refused("has a NUL");
  if (parts > kMostPathParts || clean.size() > kLongestPath) {
    return Error(Code::kInvalidArgument, Quoted(clean) + " is too long or too deep");
  }
  return clean;
}

Result<UniqueFd> MakeStagedParents(int dir, const std::string& path, bool whole, mode_t mode,
                                   const std::function<Status()>& new_directory) {
  DROVER_ASSIGN(UniqueFd at, OpenStaged(dir, ".", O_RDONLY | O_DIRECTORY));
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    if (end == path.size() && !whole) break;
    const std::string name = path.substr(begin, end - begin);
    begin = end + 1;
    struct stat info{};
    const bool is_there = fstatat(at.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
    if (!is_there && new_directory) DROVER_TRY(new_directory());
    if (!is_there && mkdirat(at.get(), name.c_str(), mode) != 0 && errno != EEXIST) {
      return ErrnoError(errno, "make the directory " + Quoted(path.substr(0, end)));
    }
    DROVER_ASSIGN(UniqueFd next, OpenStaged(at.get(), name, O_RDONLY | O_DIRECTORY));
    at = std::move(next);
  }
  return at;
}

std::string StagedName(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

bool LinkStaysBelow(const std::string& path, std::string_view target) {
  if (target.empty() || target.starts_with('/')) return false;
  auto above = std::count(path.begin(), path.end(), '/');  // the directories from the top
  bool descends = false;
  while (!target.empty()) {
    const std::string_view part = target.substr(0, target.find('/'));
    target.remove_prefix(std::min(target.size(), part.size() + 1));
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      descends = true;
    } else if (descends || --above < 0) {
      return false;
    }
  }
  return true;
}

}  // namespace drover
