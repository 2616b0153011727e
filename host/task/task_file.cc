// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/task_file.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "host/base/write_whole.h"

namespace drover {
namespace {

// The maximum number of calls of openat2 for one path. The call returns EAGAIN if a rename races
// with it.
constexpr int kMostTries = 100;

}  // namespace

Result<UniqueFd> OpenTaskDirectory(int dir, const std::string& path) {
  open_how how{};
  how.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  UniqueFd fd;
  for (int i = 0; i < kMostTries && !fd; ++i) {
    fd.Reset(static_cast<int>(syscall(SYS_openat2, dir, path.c_str(), &how, sizeof how)));
    if (!fd && errno != EAGAIN && errno != EINTR) break;
  }
  if (fd) return fd;
  if (errno == ELOOP || errno == ENOTDIR || errno == EXDEV) {
    return Error(
        Code::kFailedPrecondition,
        path + " is not a directory of the task: something has put a file or a link there");
  }
  return ErrnoError(errno, "the task's directory " + path);
}

namespace {

// Gives FILE, which is open for writing, to the owner of the directory that INFO describes.
Status GiveFile(int file, const struct stat& info, bool user_unknown) {
  bool open_to_all = false;
  if (geteuid() == 0) {
    // In some user namespaces the task's user has no id here. Then the task reads the file as one
    // of the others.
    open_to_all = (user_unknown && info.st_uid == 0) || fchown(file, info.st_uid, info.st_gid) != 0;
  }
  if (fchmod(file, open_to_all ? 0644 : 0600) != 0) return ErrnoError(errno, "chmod");
  return {};
}

}  // namespace

Status WriteTaskFile(const std::string& task_dir, const std::string& path, std::string_view content,
                     bool user_unknown) {
  const UniqueFd task(open(task_dir.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info{};
  if (!task || fstat(task.get(), &info) != 0) {
    return ErrnoError(errno, "the task's directory " + task_dir);
  }
  const std::size_t slash = path.rfind('/');
  const std::string parent = slash == std::string::npos ? "." : path.substr(0, slash);
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  if (name.empty() || name == "." || name == ".." || path[0] == '/') {
    return Error(Code::kInvalidArgument, "\"" + path + "\" is no file in the task's directory");
  }
  DROVER_ASSIGN(const UniqueFd dir, OpenTaskDirectory(task.get(), parent));
  // An agent that died here, or the task, has left a file of this name.
  const std::string fresh = "." + name + ".new";
  unlinkat(dir.get(), fresh.c_str(), 0);
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const UniqueFd file(openat(dir.get(), fresh.c_str(), kFlags, 0600));
  if (!file) return ErrnoError(errno, "make " + path);
  Status status = WriteWhole(file.get(), content);
  if (status.ok()) status = GiveFile(file.get(), info, user_unknown);
  if (status.ok() && renameat(dir.get(), fresh.c_str(), dir.get(), name.c_str()) != 0) {
    status = ErrnoError(errno, "put it in its place");
  }
  if (status.ok()) return {};
  unlinkat(dir.get(), fresh.c_str(), 0);
  return status.error().WithContext(path);
}

}  // namespace drover
