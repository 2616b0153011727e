// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/rendered_file.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>

#include "host/base/durable_step.h"
#include "host/base/unique_fd.h"
#include "host/base/write_whole.h"
#include "host/task/task_file.h"

namespace drover {
namespace {

// The maximum number of calls of openat2 for one path. The call returns EAGAIN if a rename races
// with it.
constexpr int kMostOpens = 100;
constexpr mode_t kDirectoryMode = 0755;

// Returns PATH relative to ROOT if it is below it.
std::optional<std::string> Below(const std::string& root, const std::string& path) {
  if (root.empty() || !path.starts_with(root + "/")) return std::nullopt;
  return path.substr(root.size() + 1);
}

struct Root {
  UniqueFd dir;  // O_PATH
  struct stat info{};
};

Result<Root> OpenRoot(const std::string& path) {
  Root root;
  root.dir = UniqueFd(open(path.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!root.dir || fstat(root.dir.get(), &root.info) != 0) {
    return ErrnoError(errno, "the task's directory " + path);
  }
  return root;
}

// Opens the directory NAME in DIR. If there is none, makes it for the owner of the root.
Result<UniqueFd> OpenOrMake(int dir, const std::string& name, const struct stat& root) {
  Result<UniqueFd> opened = OpenTaskDirectory(dir, name);
  if (opened.ok() || opened.code() != Code::kNotFound) return opened;
  const bool made = mkdirat(dir, name.c_str(), kDirectoryMode) == 0;
  if (!made && errno != EEXIST) return ErrnoError(errno, "make the directory " + name);
  opened = OpenTaskDirectory(dir, name);
  // Nothing is changed about a directory that is not the new one.
  struct stat info{};
  const bool is_new =
      made && opened.ok() && geteuid() == 0 && fstat(opened->get(), &info) == 0 && info.st_uid == 0;
  if (is_new) (void)!fchownat(opened->get(), "", root.st_uid, root.st_gid, AT_EMPTY_PATH);
  return opened;
}

// Returns the name that the file NAME has until it is complete.
std::string UnfinishedName(const std::string& name) { return "." + name + ".new"; }

// Gives FILE its owner and mode.
Status SetOwner(int file, const RenderedFileOwner& owner, const struct stat& root) {
  const bool by_job = owner.uid >= 0 || owner.gid >= 0;
  const uid_t uid = owner.uid >= 0 ? static_cast<uid_t>(owner.uid) : root.st_uid;
  const gid_t gid = owner.gid >= 0 ? static_cast<gid_t>(owner.gid) : root.st_gid;
  const bool may = by_job || geteuid() == 0;
  // In some user namespaces the owner of the directory has no id here.
  if (may && fchown(file, uid, gid) != 0 && by_job) {
    return ErrnoError(
        errno, "give it to user " + std::to_string(uid) + " and group " + std::to_string(gid));
  }
  if (fchmod(file, owner.mode) != 0) return ErrnoError(errno, "chmod");
  return {};
}

Status Replace(int dir, const std::string& name, const RenderedFileOwner& owner,
               const struct stat& root, std::string_view content) {
  // An agent that died here, or the task, has left a file of this name.
  const std::string fresh = UnfinishedName(name);
  unlinkat(dir, fresh.c_str(), 0);
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const UniqueFd file(openat(dir, fresh.c_str(), kFlags, 0600));
  if (!file) return ErrnoError(errno, "make the file");
  Status status = WriteWhole(file.get(), content);
  if (status.ok()) status = SetOwner(file.get(), owner, root);
  if (status.ok() && renameat(dir, fresh.c_str(), dir, name.c_str()) != 0) {
    status = ErrnoError(errno, "put it in its place");
  }
  if (!status.ok()) unlinkat(dir, fresh.c_str(), 0);
  return status;
}

Status WriteBelow(const TaskPlace& place, const RenderedFileOwner& owner,
                  std::string_view content) {
  DROVER_ASSIGN(const Root root, OpenRoot(place.root));
  UniqueFd dir(fcntl(root.dir.get(), F_DUPFD_CLOEXEC, 0));
  if (!dir) return ErrnoError(errno, "open the directory");
  std::string_view rest = place.path;
  for (std::size_t slash; (slash = rest.find('/')) != std::string_view::npos;) {
    DROVER_ASSIGN(dir, OpenOrMake(dir.get(), std::string(rest.substr(0, slash)), root.info));
    rest.remove_prefix(slash + 1);
  }
  return Replace(dir.get(), std::string(rest), owner, root.info, content);
}

}  // namespace

Result<TaskPlace> PlaceInTask(const TaskLocation& location, const std::string& path) {
  const bool inside = Below(location.task_dir, path) || Below(location.alloc_dir, path);
  // What begins with "//" is normalized to one slash.
  const std::filesystem::path whole(inside ? path : location.task_dir + "/" + path);
  const std::string plain = whole.lexically_normal().string();
  for (const std::string& root : {location.task_dir, location.alloc_dir}) {
    const std::optional<std::string> below = Below(root, plain);
    if (below && !below->empty() && !below->ends_with('/')) return TaskPlace{root, *below};
  }
  return Error(Code::kInvalidArgument,
               "\"" + path + "\" is no file below the task's directory or the shared one");
}

Status WriteRenderedFile(const TaskPlace& place, const RenderedFileOwner& owner,
                         std::string_view content) {
  const Status status =
      DurableStep(Step::kRenderFile, [&] { return WriteBelow(place, owner, content); });
  if (status.ok()) return {};
  return status.error().WithContext(place.path);
}

void RemoveUnfinishedFile(const TaskPlace& place) {
  const Result<Root> root = OpenRoot(place.root);
  if (!root.ok()) return;
  const std::size_t slash = place.path.rfind('/');
  const bool is_below = slash != std::string::npos;
  const Result<UniqueFd> dir =
      OpenTaskDirectory(root->dir.get(), is_below ? place.path.substr(0, slash) : ".");
  if (!dir.ok()) return;
  const std::string name = is_below ? place.path.substr(slash + 1) : place.path;
  unlinkat(dir->get(), UnfinishedName(name).c_str(), 0);
}

Result<std::string> ReadFileOfTask(const TaskPlace& place, std::size_t most) {
  Result<Root> root = OpenRoot(place.root);
  if (!root.ok()) return root.error();
  open_how how{};
  // Even the opening of a device does something, so the file is found first, and then opened.
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  UniqueFd found;
  for (int i = 0; i < kMostOpens && !found; ++i) {
    found.Reset(static_cast<int>(
        syscall(SYS_openat2, root->dir.get(), place.path.c_str(), &how, sizeof how)));
    if (!found && errno != EAGAIN && errno != EINTR) break;
  }
  if (!found && errno == EXDEV) {
    return Error(Code::kPermissionDenied, place.path + ": a link leads out of the directory");
  }
  if (!found) return ErrnoError(errno, place.path);
  struct stat info{};
  if (fstat(found.get(), &info) != 0) return ErrnoError(errno, place.path);
  if (!S_ISREG(info.st_mode)) {
    return Error(Code::kInvalidArgument, place.path + " is no regular file");
  }
  // Its other name may be that of a file of the host, which the task could not read itself.
  if (info.st_nlink > 1) {
    return Error(Code::kPermissionDenied, place.path + " has a second name");
  }
  const std::string same = "/proc/self/fd/" + std::to_string(found.get());
  const UniqueFd file(open(same.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file) return ErrnoError(errno, place.path);
  // The file may grow while it is read.
  std::string content;
  char part[16 << 10];
  while (content.size() <= most) {
    const ssize_t n = read(file.get(), part, std::min(sizeof part, most + 1 - content.size()));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ErrnoError(errno, place.path);
    if (n == 0) return content;
    content.append(part, static_cast<std::size_t>(n));
  }
  return Error(Code::kResourceExhausted,
               place.path + " has more than " + std::to_string(most) + " bytes");
}

}  // namespace drover
