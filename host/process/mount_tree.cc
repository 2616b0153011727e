// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/mount_tree.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace drover {
namespace {

constexpr unsigned kRecursive = 0x8000;       // AT_RECURSIVE
constexpr std::uint64_t kPrivate = 1u << 18;  // MS_PRIVATE
constexpr std::uint64_t kSlave = 1u << 19;    // MS_SLAVE

constexpr char kNewerCalls[] =
    "the system calls open_tree, move_mount and mount_setattr, which Linux 5.12 has, and which a "
    "filter around the agent may refuse";

Status CopyMount(const std::string& path, std::uint64_t propagation, MountTree* mount) {
  const unsigned recursive = mount->is_recursive ? kRecursive : 0;
  UniqueFd copy(
      static_cast<int>(syscall(SYS_open_tree, mount->tree.get(), "",
                               AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | recursive)));
  if (!copy) return ErrnoError(errno, "cannot copy the mount of " + path);
  mount_attr attributes{};
  attributes.attr_set = mount->attributes;
  attributes.propagation = propagation;
  if (syscall(SYS_mount_setattr, copy.get(), "", AT_EMPTY_PATH | recursive, &attributes,
              sizeof attributes) != 0)
    return ErrnoError(errno, "cannot set the options of the mount of " + path);
  mount->tree = std::move(copy);
  return {};
}

int OpenWithoutLinks(int directory, const std::string& path) {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  return static_cast<int>(syscall(SYS_openat2, directory, path.c_str(), &how, sizeof how));
}

Result<MountTree> Make(UniqueFd place, const std::string& path, std::string target,
                       const MountOptions& options) {
  struct stat info{};
  if (fstat(place.get(), &info) != 0) return ErrnoError(errno, path);
  std::uint64_t propagation = 0;
  if (options.propagation == "private") {
    propagation = kPrivate;
  } else if (options.propagation == "host-to-task") {
    propagation = kSlave;
  } else if (options.propagation != "bidirectional") {
    return Error(Code::kInvalidArgument, "\"" + options.propagation +
                                             "\" is no propagation: use private, host-to-task or "
                                             "bidirectional");
  }
  MountTree result;
  result.tree = std::move(place);
  result.target = std::move(target);
  result.is_file = !S_ISDIR(info.st_mode);
  result.is_recursive = options.recursive;
  result.attributes = MOUNT_ATTR_NOSUID;
  if (options.read_only) result.attributes |= MOUNT_ATTR_RDONLY;
  if (options.no_exec) result.attributes |= MOUNT_ATTR_NOEXEC;
  if (!options.devices) result.attributes |= MOUNT_ATTR_NODEV;
  result.follows = propagation != kPrivate;
  if (MountCallsExist()) {
    DROVER_TRY(CopyMount(path, propagation, &result));
    return result;
  }
  if (propagation != kPrivate)
    return Error(Code::kFailedPrecondition,
                 path + ": the propagation " + options.propagation + " needs " + kNewerCalls);
  // The newer system calls can copy a mount before the shim mounts the task's root. Without them,
  // the shim makes the copy later. A copy of the host's root would then contain the task's own
  // root, so the host's root is refused.
  struct stat root{};
  if (stat("/", &root) != 0) return ErrnoError(errno, "/");
  if (info.st_dev == root.st_dev && info.st_ino == root.st_ino)
    return Error(Code::kFailedPrecondition,
                 path + ": the whole root of the host can be mounted only with " + kNewerCalls);
  result.is_place = true;
  return result;
}

}  // namespace

bool MountCallsExist() {
  // Calls each system call with invalid arguments. EINVAL shows that the kernel has the system call
  // and that no filter refuses it. Otherwise the error is another one.
  const auto exists = [](long result) { return result == -1 && errno == EINVAL; };
  static const bool exist = exists(syscall(SYS_open_tree, -1, "", ~0u)) &&
                            exists(syscall(SYS_move_mount, -1, "", -1, "", ~0u)) &&
                            exists(syscall(SYS_fsopen, "", ~0u)) &&
                            exists(syscall(SYS_fsconfig, -1, ~0u, nullptr, nullptr, 0)) &&
                            exists(syscall(SYS_fsmount, -1, ~0u, 0)) &&
                            exists(syscall(SYS_mount_setattr, -1, "", 0, nullptr, 0));
  return exist;
}

Result<MountTree> OpenMountTree(int directory, const std::string& path, std::string target,
                                const MountOptions& options) {
  UniqueFd place(options.no_links ? OpenWithoutLinks(directory, path)
                                  : openat(directory, path.c_str(), O_PATH | O_CLOEXEC));
  if (!place && errno == ELOOP && options.no_links) {
    return Error(Code::kPermissionDenied,
                 path + " leads through a symbolic link, which is not followed");
  }
  if (!place) return ErrnoError(errno, path);
  return Make(std::move(place), path, std::move(target), options);
}

Result<MountTree> OpenMountTreeBeneath(int directory, const std::string& path, std::string target,
                                       const MountOptions& options) {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  UniqueFd place(static_cast<int>(syscall(SYS_openat2, directory, path.c_str(), &how, sizeof how)));
  if (!place) return ErrnoError(errno, path);
  return Make(std::move(place), path, std::move(target), options);
}

}  // namespace drover
