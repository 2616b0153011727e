// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/task_root.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace drover {
namespace {

Result<UniqueFd> OpenDirectory(const std::string& path) {
  UniqueFd directory(open(path.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!directory) return ErrnoError(errno, "cannot open the directory " + path);
  return directory;
}

// Makes the directory for the task's own /tmp. It is in the task directory, on the disk of the
// allocation.
Status MakeTemporary(int task_directory) {
  if (mkdirat(task_directory, "tmp", 01777) != 0) {
    if (errno == EEXIST) return {};
    return ErrnoError(errno, "cannot make the task's directory tmp");
  }
  // The umask may have removed bits of the mode, so the mode is set again. The directory is opened
  // without following links, because another task may have replaced it by a link.
  const UniqueFd made(
      openat(task_directory, "tmp", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!made || fchmod(made.get(), 01777) != 0)
    return ErrnoError(errno, "cannot set the mode of the task's directory tmp");
  return {};
}

Status AddHostPaths(const TaskRootOptions& options, RootSpec* root) {
  MountOptions mount;
  mount.read_only = true;
  mount.recursive = true;
  const auto& paths = options.host_paths.empty() ? DefaultRootPaths() : options.host_paths;
  for (const auto& [host_path, task_path] : paths) {
    Result<MountTree> tree = OpenMountTree(AT_FDCWD, host_path, task_path, mount);
    if (!tree.ok() && tree.code() == Code::kNotFound) continue;
    if (!tree.ok()) return tree.error();
    root->mounts.push_back(std::move(*tree));
  }
  return {};
}

Status AddAllocation(const TaskRootOptions& options, RootSpec* root) {
  const auto add = [root](int directory, const char* path, const char* target,
                          const MountOptions& mount) -> Status {
    DROVER_ASSIGN(MountTree tree, OpenMountTreeBeneath(directory, path, target, mount));
    root->mounts.push_back(std::move(tree));
    return {};
  };
  const MountOptions plain;
  if (!options.alloc_dir.empty()) {
    DROVER_ASSIGN(const UniqueFd alloc, OpenDirectory(options.alloc_dir));
    DROVER_TRY(add(alloc.get(), ".", "/alloc", plain));
  }
  if (!options.log_dir.empty()) {
    MountOptions logs;
    logs.read_only = true;
    logs.no_exec = true;
    DROVER_ASSIGN(const UniqueFd directory, OpenDirectory(options.log_dir));
    DROVER_TRY(add(directory.get(), ".", "/alloc/logs", logs));
  }
  if (!options.task_dir.empty()) {
    DROVER_ASSIGN(const UniqueFd task, OpenDirectory(options.task_dir));
    DROVER_TRY(MakeTemporary(task.get()));
    DROVER_TRY(add(task.get(), "local", "/local", plain));
    DROVER_TRY(add(task.get(), "tmp", "/tmp", plain));
    MountOptions secrets;
    secrets.no_exec = true;
    DROVER_TRY(add(task.get(), "secrets", "/secrets", secrets));
  }
  return {};
}

Status AddVolumes(const TaskRootOptions& options, RootSpec* root) {
  for (const RootVolume& volume : options.volumes) {
    MountOptions mount;
    mount.read_only = volume.read_only;
    mount.recursive = true;
    mount.no_links = volume.no_links;
    if (!volume.propagation.empty()) mount.propagation = volume.propagation;
    DROVER_ASSIGN(MountTree tree,
                  OpenMountTree(AT_FDCWD, volume.host_path, volume.task_path, mount));
    root->mounts.push_back(std::move(tree));
  }
  for (const RootDevice& device : options.devices) {
    // READ_ONLY is refused, because the kernel allows writes to a device on a read-only mount.
    if (device.read_only)
      return Error(Code::kUnimplemented,
                   "the device " + device.host_path +
                       " cannot be given read-only, which nothing can enforce: give it with the "
                       "permissions \"rw\"");
    MountOptions mount;
    mount.no_exec = true;
    mount.devices = true;
    const std::string& target = device.task_path.empty() ? device.host_path : device.task_path;
    DROVER_ASSIGN(MountTree tree, OpenMountTree(AT_FDCWD, device.host_path, target, mount));
    struct stat info{};
    if (fstat(tree.tree.get(), &info) != 0 || !(S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode)))
      return Error(Code::kInvalidArgument, device.host_path + " is no device");
    root->mounts.push_back(std::move(tree));
  }
  return {};
}

}  // namespace

const std::vector<std::pair<std::string, std::string>>& DefaultRootPaths() {
  static const auto& paths = *new std::vector<std::pair<std::string, std::string>>{
      {"/bin", "/bin"},
      {"/etc", "/etc"},
      {"/lib", "/lib"},
      {"/lib32", "/lib32"},
      {"/lib64", "/lib64"},
      {"/run/resolvconf", "/run/resolvconf"},
      {"/run/systemd/resolve", "/run/systemd/resolve"},
      {"/sbin", "/sbin"},
      {"/usr", "/usr"}};
  return paths;
}

Result<RootSpec> OpenTaskRoot(const TaskRootOptions& options) {
  RootSpec root;
  root.pivot = options.pivot;
  DROVER_TRY(AddHostPaths(options, &root));
  DROVER_TRY(AddAllocation(options, &root));
  DROVER_TRY(AddVolumes(options, &root));
  return root;
}

}  // namespace drover
