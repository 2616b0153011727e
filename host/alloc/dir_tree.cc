// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/dir_tree.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cerrno>

namespace drover {
namespace {

constexpr uid_t kNobody = 65534;
// The maximum number of mounts that are unmounted from one directory, one by one. More stacked
// mounts than this are an attack or a loop.
constexpr int kMaxStackedMounts = 64;

std::string ProcPath(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

// Returns a file descriptor. On failure, returns -1 and sets errno.
int OpenAt(int dir, const std::string& name, std::uint64_t flags, bool cross_mounts) {
  open_how how{};
  how.flags = flags | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  if (!cross_mounts) how.resolve |= RESOLVE_NO_XDEV;
  long fd;
  do {
    fd = syscall(SYS_openat2, dir, name.c_str(), &how, sizeof how);
  } while (fd < 0 && (errno == EINTR || errno == EAGAIN));  // EAGAIN: a rename raced with the call
  return static_cast<int>(fd);
}

Error OpenError(int error_number, const std::string& path) {
  if (error_number == ENOTDIR || error_number == ELOOP) {
    return Error(Code::kFailedPrecondition,
                 path + " is not a directory; something has put a file or a link in its place");
  }
  if (error_number == EXDEV) {
    return Error(Code::kFailedPrecondition, path + " is a mount point that cannot be unmounted");
  }
  return ErrnoError(error_number, path);
}

}  // namespace

Result<UniqueFd> OpenDirAt(int dir, const std::string& name, const std::string& path,
                           bool cross_mounts) {
  UniqueFd fd(OpenAt(dir, name, O_RDONLY, cross_mounts));
  if (fd) return fd;
  if (errno != EACCES) return OpenError(errno, path);
  // If the agent is not root, a task of the same user may have removed the agent's access to the
  // directory. This code changes only the modes of directories, since a file may also have a name
  // outside the tree.
  const UniqueFd locked(OpenAt(dir, name, O_PATH, cross_mounts));
  if (!locked) return OpenError(errno, path);
  if (chmod(ProcPath(locked.get()).c_str(), 0700) != 0) return ErrnoError(errno, "chmod " + path);
  fd.Reset(OpenAt(dir, name, O_RDONLY, cross_mounts));
  if (!fd) return OpenError(errno, path);
  return fd;
}

Result<UniqueFd> MakeDirAt(int dir, const std::string& name, const std::string& path,
                           DirMode mode) {
  const bool made = mkdirat(dir, name.c_str(), mode.bits & 0777) == 0;
  if (!made && errno != EEXIST) return ErrnoError(errno, "mkdir " + path);
  DROVER_ASSIGN(UniqueFd fd, OpenDirAt(dir, name, path));
  // The mode of a new directory is unknown, since the umask may have removed bits. So this code
  // assumes that the mode is 0.
  mode_t now = 0;
  if (!made) {
    struct stat info;
    if (fstat(fd.get(), &info) != 0) return ErrnoError(errno, "stat " + path);
    now = info.st_mode & 07777;
  }
  const mode_t wanted = mode.exact ? mode.bits : (now | mode.bits);
  if (now != wanted && fchmod(fd.get(), wanted) != 0) {
    return ErrnoError(errno, "chmod " + path);
  }
  // The user namespace may lack the user id 65534. Then fchown fails, and the permission bits alone
  // make the directory usable.
  if (made && mode.nobody && geteuid() == 0 && fchown(fd.get(), kNobody, kNobody) != 0 &&
      errno != EINVAL && errno != EPERM) {
    return ErrnoError(errno, "chown " + path);
  }
  return fd;
}

Status MakeFileAt(int dir, const std::string& name, const std::string& path) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const UniqueFd file(openat(dir, name.c_str(), kFlags, 0644));
  if (!file && errno == EEXIST) return {};
  if (!file || fchmod(file.get(), 0644) != 0) return ErrnoError(errno, "make " + path);
  return {};
}

bool IsMountRoot(int dir) {
  struct statx info;
  return statx(dir, "", AT_EMPTY_PATH, STATX_TYPE, &info) == 0 &&
         (info.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

Status MountTmpfs(int dir, const std::string& path, std::int64_t size, mode_t mode) {
  const std::string where = ProcPath(dir);
  const std::string options =
      "size=" + std::to_string(size) + ",mode=" + (mode == 0777 ? "0777" : "0700");
  const unsigned long flags = MS_NOEXEC | MS_NOSUID | MS_NODEV;
  if (mount("tmpfs", where.c_str(), "tmpfs", flags, (options + ",noswap").c_str()) == 0) return {};
  // Kernels before 6.4, and mounts in user namespaces, do not support the option noswap.
  if (errno == EINVAL && mount("tmpfs", where.c_str(), "tmpfs", flags, options.c_str()) == 0) {
    return {};
  }
  return ErrnoError(errno, "mount a tmpfs on " + path);
}

Status UnmountAt(int dir, const std::string& name, const std::string& path, bool detach) {
  const std::string where = ProcPath(dir) + "/" + name;
  for (int i = 0; i < kMaxStackedMounts; ++i) {
    if (umount2(where.c_str(), UMOUNT_NOFOLLOW | (detach ? MNT_DETACH : 0)) == 0) continue;
    if (errno == EINVAL || errno == ENOENT) return {};  // nothing is mounted there
    if (errno == EBUSY) {
      return Error(Code::kFailedPrecondition,
                   "cannot unmount " + path + ": a process still uses it; end that process")
          .AsRecoverable();
    }
    // An agent that may not unmount cannot have mounted anything itself. So this code only checks
    // whether somebody else has mounted something there.
    if (errno == EPERM) {
      const UniqueFd inside(OpenAt(dir, name, O_PATH, false));
      if (inside || errno != EXDEV) return {};
      return ErrnoError(EPERM, "unmount " + path);
    }
    return ErrnoError(errno, "unmount " + path);
  }
  return Error(Code::kFailedPrecondition, "too many mounts are stacked on " + path);
}

}  // namespace drover
