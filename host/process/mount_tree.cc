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

Result<MountTree> Copy(UniqueFd place, const std::string& path, std::string target,
                       const MountOptions& options) {
  struct stat info{};
  if (fstat(place.get(), &info) != 0) return ErrnoError(errno, path);
  const unsigned recursive = options.recursive ? kRecursive : 0;
  MountTree result;
  result.target = std::move(target);
  result.is_file = !S_ISDIR(info.st_mode);
  result.tree.Reset(
      static_cast<int>(syscall(SYS_open_tree, place.get(), "",
                               AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | recursive)));
  if (!result.tree) return ErrnoError(errno, "cannot copy the mount of " + path);
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_NOSUID;
  if (options.read_only) attributes.attr_set |= MOUNT_ATTR_RDONLY;
  if (options.no_exec) attributes.attr_set |= MOUNT_ATTR_NOEXEC;
  if (!options.devices) attributes.attr_set |= MOUNT_ATTR_NODEV;
  if (options.propagation == "private") {
    attributes.propagation = kPrivate;
  } else if (options.propagation == "host-to-task") {
    attributes.propagation = kSlave;
  } else if (options.propagation != "bidirectional") {
    return Error(Code::kInvalidArgument, "\"" + options.propagation +
                                             "\" is no propagation: private, host-to-task or "
                                             "bidirectional");
  }
  if (syscall(SYS_mount_setattr, result.tree.get(), "", AT_EMPTY_PATH | recursive, &attributes,
              sizeof attributes) != 0)
    return ErrnoError(errno, "cannot set the options of the mount of " + path);
  result.attributes = static_cast<std::uint32_t>(attributes.attr_set);
  return result;
}

}  // namespace

Result<MountTree> OpenMountTree(int directory, const std::string& path, std::string target,
                                const MountOptions& options) {
  UniqueFd place(openat(directory, path.c_str(), O_PATH | O_CLOEXEC));
  if (!place) return ErrnoError(errno, path);
  return Copy(std::move(place), path, std::move(target), options);
}

Result<MountTree> OpenMountTreeBeneath(int directory, const std::string& path, std::string target,
                                       const MountOptions& options) {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  UniqueFd place(static_cast<int>(syscall(SYS_openat2, directory, path.c_str(), &how, sizeof how)));
  if (!place) return ErrnoError(errno, path);
  return Copy(std::move(place), path, std::move(target), options);
}

}  // namespace drover
