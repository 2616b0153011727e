// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/alloc_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "host/alloc/alloc_dir.h"
#include "host/alloc/dir_tree.h"

namespace drover {
namespace {

// The maximum number of entries that List returns. A task may fill a directory with names, so List
// fails if the directory has more entries.
constexpr std::size_t kMaxEntries = 65'536;
// The maximum number of calls of openat2 for one path. The call returns EAGAIN if a rename races
// with ".." in the path.
constexpr int kMaxTries = 100;

Error Escapes() { return Error(Code::kPermissionDenied, "Path escapes the alloc directory"); }

AllocFileInfo InfoOf(std::string name, const struct stat& status) {
  AllocFileInfo info;
  info.name = std::move(name);
  info.size = status.st_size;
  info.mode = status.st_mode;
  info.modified = status.st_mtim.tv_sec * WallTime{1'000'000'000} + status.st_mtim.tv_nsec;
  return info;
}

std::string ProcPath(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

// Returns the current path of the file that is open as FD, or an empty string if the path is
// unknown.
std::string PlaceOf(int fd) {
  std::string place(PATH_MAX, '\0');
  const ssize_t size = readlink(ProcPath(fd).c_str(), place.data(), place.size());
  place.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return place;
}

std::optional<std::uint64_t> MountOf(int fd) {
  struct statx info;
  if (statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &info) != 0) return std::nullopt;
  return info.stx_mnt_id;
}

}  // namespace

Result<AllocFiles> AllocFiles::Open(const std::string& base, const std::string& alloc_id) {
  DROVER_TRY(CheckTaskDirName(alloc_id));
  const UniqueFd all(open(base.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!all) return ErrnoError(errno, "directory of the allocations " + base);
  DROVER_ASSIGN(UniqueFd root, OpenDirAt(all.get(), alloc_id, base + "/" + alloc_id));
  return AllocFiles(std::move(root), alloc_id);
}

// Opens PATH with O_PATH, so that the file can be checked before anything is read.
Result<UniqueFd> AllocFiles::Resolve(const std::string& path) const {
  if (path.find('\0') != std::string::npos) {
    return Error(Code::kInvalidArgument, "the path has a NUL in it");
  }
  const std::size_t begin = path.find_first_not_of('/');
  const std::string below = begin == std::string::npos ? "." : path.substr(begin);
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  UniqueFd fd;
  for (int i = 0; i < kMaxTries && !fd; ++i) {
    fd.Reset(static_cast<int>(syscall(SYS_openat2, root_.get(), below.c_str(), &how, sizeof how)));
    if (!fd && errno != EAGAIN && errno != EINTR) break;
  }
  if (fd) return fd;
  if (errno == EXDEV) return Escapes();
  return ErrnoError(errno, path);
}

// Refuses files in file systems that a task has mounted. The only mounts that clients may see are
// the secrets in memory. Clients see the names and sizes of secrets, but not their contents.
Status AllocFiles::CheckVisible(int fd) const {
  const std::optional<std::uint64_t> mount = MountOf(fd);
  if (!mount) return Escapes();
  if (mount == MountOf(root_.get())) return {};
  const std::string root = PlaceOf(root_.get()) + "/";
  const std::string place = PlaceOf(fd) + "/";
  if (!place.starts_with(root)) return Escapes();
  const std::string_view below = std::string_view(place).substr(root.size());
  const std::size_t slash = below.find('/');
  const bool in_secrets = slash != std::string_view::npos && below.substr(0, slash) != "alloc" &&
                          below.substr(slash + 1).starts_with("secrets/");
  struct statfs system{};
  if (!in_secrets || fstatfs(fd, &system) != 0 || system.f_type != TMPFS_MAGIC) return Escapes();
  return {};
}

// Checks by its real path whether clients may read the file FD, whatever links lead to the file.
// Secrets in memory are also recognized by their mount, since their directory may have been
// renamed.
Status AllocFiles::CheckReadable(int fd, const std::string& path) const {
  const std::string root = PlaceOf(root_.get()) + "/";
  const std::string place = PlaceOf(fd);
  if (!place.starts_with(root)) return Escapes();
  const std::string_view below = std::string_view(place).substr(root.size());
  const std::size_t slash = below.find('/');
  if (slash != std::string_view::npos && below.substr(0, slash) != "alloc") {
    const std::string_view rest = below.substr(slash + 1);
    const std::string_view directory = rest.substr(0, rest.find('/'));
    if (directory == "secrets") {
      return Error(Code::kFailedPrecondition, "Reading secret file prohibited: " + path);
    }
    if (directory == "private") {
      return Error(Code::kFailedPrecondition, "Reading private file prohibited: " + path);
    }
  }
  const std::optional<std::uint64_t> mount = MountOf(fd);
  if (!mount || mount != MountOf(root_.get())) return Escapes();
  return {};
}

Result<std::vector<AllocFileInfo>> AllocFiles::List(const std::string& path) const {
  DROVER_ASSIGN(const UniqueFd place, Resolve(path));
  DROVER_TRY(CheckVisible(place.get()));
  UniqueFd fd(openat(place.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(fd ? fdopendir(fd.get()) : nullptr, closedir);
  if (!entries) {
    if (errno == ENOTDIR) return Error(Code::kInvalidArgument, path + ": not a directory");
    return ErrnoError(errno, path);
  }
  fd.Release();  // the directory stream owns the descriptor now
  std::vector<AllocFileInfo> list;
  while (const dirent* entry = readdir(entries.get())) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    // Leaves out an entry on which a task has mounted something.
    const UniqueFd at(openat(place.get(), entry->d_name, O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat status{};
    if (!at || !CheckVisible(at.get()).ok() || fstat(at.get(), &status) != 0) continue;
    if (list.size() == kMaxEntries) {
      return Error(Code::kResourceExhausted,
                   path + " has more than " + std::to_string(kMaxEntries) + " entries");
    }
    list.push_back(InfoOf(name, status));
  }
  std::sort(list.begin(), list.end(),
            [](const AllocFileInfo& a, const AllocFileInfo& b) { return a.name < b.name; });
  return list;
}

Result<AllocFileInfo> AllocFiles::Stat(const std::string& path) const {
  DROVER_ASSIGN(const UniqueFd place, Resolve(path));
  DROVER_TRY(CheckVisible(place.get()));
  struct stat status{};
  if (fstat(place.get(), &status) != 0) return ErrnoError(errno, path);
  const std::size_t end = path.find_last_not_of('/');
  if (end == std::string::npos) return InfoOf(id_, status);
  const std::string whole = path.substr(0, end + 1);
  return InfoOf(whole.substr(whole.rfind('/') + 1), status);
}

Result<UniqueFd> AllocFiles::OpenFile(const std::string& path) const {
  DROVER_ASSIGN(const UniqueFd place, Resolve(path));
  DROVER_TRY(CheckReadable(place.get(), path));
  struct stat status{};
  if (fstat(place.get(), &status) != 0) return ErrnoError(errno, path);
  const std::string file = "file \"" + path + "\" ";
  if (S_ISDIR(status.st_mode)) return Error(Code::kInvalidArgument, file + "is a directory");
  if (!S_ISREG(status.st_mode)) return Error(Code::kInvalidArgument, file + "is no regular file");
  if (status.st_nlink > 1) return Error(Code::kInvalidArgument, file + "has a second name");
  // Opens the same file again, through the descriptor that was checked.
  UniqueFd fd(open(ProcPath(place.get()).c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!fd) return ErrnoError(errno, path);
  return fd;
}

}  // namespace drover
