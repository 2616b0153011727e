// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/artifact/fetch_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <memory>

#include "host/artifact/source_url.h"
#include "host/artifact/staged_files.h"
#include "host/base/write_whole.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

constexpr std::size_t kCopyBlock = 256 << 10;

struct CloseDirectory {
  void operator()(DIR* dir) const { closedir(dir); }
};

Result<UniqueFd> MakeCopy(int dir, const std::string& name, mode_t from_mode) {
  const mode_t mode = (from_mode & 0111) != 0 ? 0755 : 0644;
  UniqueFd file(
      openat(dir, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!file) return ErrnoError(errno, "make " + Quoted(name));
  if (fchmod(file.get(), mode) != 0) return ErrnoError(errno, "chmod");
  return file;
}

// Copies directories, one inside the other.
class TreeCopier {
 public:
  explicit TreeCopier(FetchBudget* budget) : budget_(budget) {}

  // PATH is the path of the directory below the top, empty for the top itself.
  Status Copy(int from, int to, const std::string& path, std::size_t depth) {
    if (depth > kMostPathParts) return Error(Code::kInvalidArgument, "the directory is too deep");
    const int copy = openat(from, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const std::unique_ptr<DIR, CloseDirectory> entries(copy < 0 ? nullptr : fdopendir(copy));
    if (!entries) {
      const Error error = ErrnoError(errno, Quoted(path));
      if (copy >= 0) close(copy);
      return error;
    }
    while (const dirent* entry = readdir(entries.get())) {
      const std::string name = entry->d_name;
      if (name == "." || name == "..") continue;
      DROVER_TRY(budget_->AddFile());
      DROVER_TRY(CopyEntry(from, to, name, path.empty() ? name : path + "/" + name, depth));
    }
    return {};
  }

 private:
  Status CopyEntry(int from, int to, const std::string& name, const std::string& path,
                   std::size_t depth) {
    struct stat info{};
    if (fstatat(from, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
      return ErrnoError(errno, Quoted(path));
    }
    if (S_ISLNK(info.st_mode)) return CopyLink(from, to, name, path);
    if (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) {
      return Error(Code::kInvalidArgument, Quoted(path) + " is a device, a pipe or a socket");
    }
    // Between the two calls the entry may have become something else.
    const int kind = S_ISDIR(info.st_mode) ? O_DIRECTORY : O_NONBLOCK;
    DROVER_ASSIGN(const UniqueFd file, OpenStaged(from, name, O_RDONLY | kind));
    if (fstat(file.get(), &info) != 0) return ErrnoError(errno, Quoted(path));
    if (S_ISDIR(info.st_mode)) {
      if (mkdirat(to, name.c_str(), 0755) != 0) return ErrnoError(errno, "make " + Quoted(path));
      DROVER_ASSIGN(const UniqueFd made, OpenStaged(to, name, O_RDONLY | O_DIRECTORY));
      return Copy(file.get(), made.get(), path, depth + 1);
    }
    if (!S_ISREG(info.st_mode)) return Error(Code::kInvalidArgument, Quoted(path) + " is no file");
    DROVER_ASSIGN(const UniqueFd made, MakeCopy(to, name, info.st_mode));
    return CopyContent(file.get(), made.get(), budget_);
  }

  static Status CopyLink(int from, int to, const std::string& name, const std::string& path) {
    std::array<char, PATH_MAX> target{};
    const ssize_t size = readlinkat(from, name.c_str(), target.data(), target.size());
    if (size < 0) return ErrnoError(errno, Quoted(path));
    const std::string text(target.data(), static_cast<std::size_t>(size));
    if (!LinkStaysBelow(path, text)) {
      return Error(Code::kInvalidArgument,
                   "the link " + Quoted(path) + " leads out of the directory, which is refused");
    }
    if (symlinkat(text.c_str(), to, name.c_str()) != 0) return ErrnoError(errno, Quoted(path));
    return {};
  }

  FetchBudget* const budget_;
};

}  // namespace

bool IsBelowAny(const std::string& path, const std::vector<std::string>& directories) {
  const std::string clean = CleanPath(path);
  return std::any_of(directories.begin(), directories.end(), [&](const std::string& directory) {
    const std::string top = CleanPath(directory);
    return clean == top || clean.starts_with(top == "/" ? top : top + "/");
  });
}

bool IsStopped(int stop, int wait_ms) {
  pollfd event{stop, POLLIN, 0};
  return poll(&event, 1, wait_ms) > 0;
}

Status CopyContent(int from, int to, FetchBudget* budget, int progress, int stop) {
  std::vector<char> block(kCopyBlock);
  while (true) {
    if (stop >= 0 && IsStopped(stop)) return Error(Code::kCancelled, "the copy was stopped");
    const ssize_t n = read(from, block.data(), block.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ErrnoError(errno, "read");
    if (n == 0) return {};
    DROVER_TRY(budget->AddBytes(static_cast<std::uint64_t>(n)));
    DROVER_TRY(WriteWhole(to, {block.data(), static_cast<std::size_t>(n)}));
    if (progress >= 0) StoreProgress(progress, {budget->bytes(), 0});
  }
}

Status CopyFromHost(const std::string& path, int to, const std::string& name, FetchBudget* budget,
                    bool* is_directory) {
  const UniqueFd root(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root) return ErrnoError(errno, "/");
  const std::string relative = CleanPath(path).substr(1);
  DROVER_ASSIGN(const UniqueFd from, OpenStaged(root.get(), relative, O_RDONLY | O_NONBLOCK));
  struct stat info{};
  if (fstat(from.get(), &info) != 0) return ErrnoError(errno, Quoted(path));
  *is_directory = S_ISDIR(info.st_mode);
  if (S_ISDIR(info.st_mode)) {
    if (mkdirat(to, name.c_str(), 0755) != 0) return ErrnoError(errno, "make " + Quoted(name));
    DROVER_ASSIGN(const UniqueFd made, OpenStaged(to, name, O_RDONLY | O_DIRECTORY));
    return TreeCopier(budget).Copy(from.get(), made.get(), "", 0);
  }
  if (!S_ISREG(info.st_mode)) {
    return Error(Code::kInvalidArgument, Quoted(path) + " is neither a file nor a directory");
  }
  DROVER_TRY(budget->AddFile());
  DROVER_ASSIGN(const UniqueFd made, MakeCopy(to, name, info.st_mode));
  return CopyContent(from.get(), made.get(), budget);
}

}  // namespace drover
