// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/logs/log_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <memory>
#include <string_view>

namespace drover {
namespace {

std::string Prefix(const std::string& task, const std::string& stream) {
  return task + "." + stream + ".";
}

// Returns the N of a name PREFIX.N, where N has no sign and no leading zeros. Returns -1 for any
// other name.
int IndexOf(std::string_view name, std::string_view prefix) {
  if (name.substr(0, prefix.size()) != prefix) return -1;
  const std::string_view digits = name.substr(prefix.size());
  int index = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (error != std::errc() || end != digits.data() + digits.size() || index < 0) return -1;
  return std::to_string(index) == digits ? index : -1;
}

}  // namespace

Result<UniqueFd> OpenLogDirectory(int root, const std::string& path) {
  open_how how{};
  how.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV;
  UniqueFd fd(static_cast<int>(syscall(SYS_openat2, root, path.c_str(), &how, sizeof how)));
  if (!fd) return ErrnoError(errno, "log directory " + path);
  return fd;
}

std::string LogFileName(const std::string& task, const std::string& stream, int index) {
  return Prefix(task, stream) + std::to_string(index);
}

Result<std::vector<LogFile>> ListLogFiles(int directory, const std::string& task,
                                          const std::string& stream) {
  // Opens the directory again, because reading it moves the offset of the file descriptor.
  UniqueFd fd(openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return ErrnoError(errno, "the log directory");
  const auto close = [](DIR* dir) { closedir(dir); };
  const std::unique_ptr<DIR, decltype(close)> dir(fdopendir(fd.get()), close);
  if (dir == nullptr) return ErrnoError(errno, "the log directory");
  fd.Release();  // the DIR owns the file descriptor now
  const std::string prefix = Prefix(task, stream);
  std::vector<LogFile> files;
  while (const dirent* entry = readdir(dir.get())) {
    LogFile file;
    file.index = IndexOf(entry->d_name, prefix);
    struct stat status{};
    if (file.index < 0 || fstatat(directory, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(status.st_mode) || status.st_nlink > 1) {
      continue;
    }
    file.size = status.st_size;
    files.push_back(file);
  }
  std::sort(files.begin(), files.end(),
            [](const LogFile& a, const LogFile& b) { return a.index < b.index; });
  return files;
}

Result<UniqueFd> OpenLogFile(int directory, const std::string& task, const std::string& stream,
                             int index) {
  const std::string name = LogFileName(task, stream, index);
  // A task may have put a FIFO in place of the file. Without O_NONBLOCK, open would wait for its
  // writer.
  UniqueFd fd(openat(directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd) return ErrnoError(errno, "log file " + name);
  struct stat status{};
  if (fstat(fd.get(), &status) != 0) return ErrnoError(errno, "log file " + name);
  if (!S_ISREG(status.st_mode)) {
    return Error(Code::kInvalidArgument, "log file " + name + " is no regular file");
  }
  if (status.st_nlink > 1) {
    return Error(Code::kInvalidArgument, "log file " + name + " has a second name");
  }
  return fd;
}

LogPosition ClosestLogPosition(const std::vector<LogFile>& files, int index, std::int64_t offset) {
  DROVER_CHECK(!files.empty());
  auto at = std::lower_bound(files.begin(), files.end(), index,
                             [](const LogFile& file, int wanted) { return file.index < wanted; });
  if (at == files.end()) --at;
  if (offset < 0) {
    while (offset < -at->size) {
      if (at == files.begin()) return {at->index, 0};
      offset += at->size;
      --at;
    }
    return {at->index, at->size + offset};
  }
  while (offset > at->size) {
    if (at + 1 == files.end()) return {at->index, at->size};
    offset -= at->size;
    ++at;
  }
  return {at->index, offset};
}

}  // namespace drover
