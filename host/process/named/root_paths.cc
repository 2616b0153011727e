// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/named/root_paths.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <string_view>

#include "host/base/unique_fd.h"

namespace drover {
namespace {

// The maximum number of entries. It leaves room for the other mounts of a task.
constexpr std::size_t kMaxRootEntries = 64;
constexpr int kMaxRootTries = 1000;

constexpr std::array<std::string_view, 9> kMadeByIsolation = {
    ".", "..", "alloc", "dev", "local", "proc", "secrets", "sys", "tmp"};

std::string PathBehind(int fd) {
  std::error_code failed;
  const auto path = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), failed);
  return failed ? std::string() : path.string();
}

}  // namespace

Result<std::vector<std::pair<std::string, std::string>>> RootPathsOf(const std::string& directory) {
  if (!directory.starts_with('/'))
    return Error(Code::kInvalidArgument,
                 "the root \"" + directory + "\" of a process is no absolute path");
  UniqueFd opened(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened) return ErrnoError(errno, "cannot open the root " + directory + " of a process");
  const std::string real = PathBehind(opened.get());
  const int fd = opened.get();
  const std::unique_ptr<DIR, int (*)(DIR*)> list(fdopendir(fd), &closedir);
  if (!list) return ErrnoError(errno, "cannot list the root " + directory + " of a process");
  opened.Release();  // the list closes it
  std::vector<std::pair<std::string, std::string>> paths;
  while (const dirent* const entry = readdir(list.get())) {
    const std::string name = entry->d_name;
    if (std::ranges::find(kMadeByIsolation, name) != kMadeByIsolation.end()) continue;
    open_how how{};
    how.flags = O_PATH | O_CLOEXEC;
    how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
    UniqueFd found;
    // The call fails with EAGAIN if a rename anywhere on the machine races with it.
    for (int tries = 0; tries < kMaxRootTries; ++tries) {
      found.Reset(static_cast<int>(syscall(SYS_openat2, fd, name.c_str(), &how, sizeof how)));
      if (found || errno != EAGAIN) break;
    }
    if (!found && (errno == ENOENT || errno == ELOOP || errno == ENOTDIR)) continue;
    if (!found) return ErrnoError(errno, "cannot open " + directory + "/" + name);
    struct stat info{};
    if (fstat(found.get(), &info) != 0 || !(S_ISDIR(info.st_mode) || S_ISREG(info.st_mode)))
      continue;
    std::string path = PathBehind(found.get());
    if (!path.starts_with(real == "/" ? real : real + "/")) continue;  // a link to the root itself
    if (paths.size() == kMaxRootEntries)
      return Error(Code::kInvalidArgument, "the root " + directory +
                                               " of a process has more than " +
                                               std::to_string(kMaxRootEntries) + " entries");
    paths.emplace_back(std::move(path), "/" + name);
  }
  if (paths.empty())
    return Error(Code::kNotFound,
                 "the root " + directory + " of a process has nothing that a task could use");
  std::ranges::sort(paths, {}, &std::pair<std::string, std::string>::second);
  return paths;
}

}  // namespace drover
