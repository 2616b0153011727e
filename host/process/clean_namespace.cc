// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/clean_namespace.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "host/process/mount_tree.h"
#include "host/process/small_file.h"

namespace drover {
namespace {

Error CannotClean(const char* what) {
  return ErrnoError(errno, std::string("cannot make a mount namespace without mounts: ") + what);
}

// Makes a mount that is attached to no namespace yet.
Result<UniqueFd> DetachedMount(
    const char* type, unsigned attributes,
    std::initializer_list<std::pair<const char*, const char*>> options = {}) {
  const UniqueFd context(static_cast<int>(syscall(SYS_fsopen, type, FSOPEN_CLOEXEC)));
  if (!context) return CannotClean(type);
  for (const auto& [key, value] : options) {
    const unsigned command = value == nullptr ? FSCONFIG_SET_FLAG : FSCONFIG_SET_STRING;
    if (syscall(SYS_fsconfig, context.get(), command, key, value, 0) != 0) return CannotClean(type);
  }
  if (syscall(SYS_fsconfig, context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0)
    return CannotClean(type);
  UniqueFd made(static_cast<int>(
      syscall(SYS_fsmount, context.get(), FSMOUNT_CLOEXEC,
              attributes | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC)));
  if (!made) return CannotClean(type);
  return made;
}

// Returns the id of the mount at PATH, or 0 if the kernel reports no id.
Result<std::uint64_t> MountIdOf(int directory, const char* path) {
  struct statx info{};
  if (statx(directory, path, AT_EMPTY_PATH, STATX_MNT_ID, &info) != 0) return CannotClean("statx");
  return info.stx_mask & STATX_MNT_ID ? info.stx_mnt_id : 0;
}

// Checks that ROOT is the only mount of this namespace and that a task's root can be made in it.
// The calling thread must have entered the namespace with setns, as a run does. SELF is an open
// descriptor of /proc/thread-self in a /proc of the host.
Status CheckClean(const UniqueFd& root, const UniqueFd& self) {
  DROVER_ASSIGN(const std::uint64_t made, MountIdOf(root.get(), ""));
  DROVER_ASSIGN(const std::uint64_t entered, MountIdOf(AT_FDCWD, "/"));
  const std::optional<std::string> mounts = ReadSmallFile(self.get(), "mountinfo");
  if (!mounts) return CannotClean("mountinfo");
  // An agent in a chroot cannot unmount the mounts above its root. A run in the namespace could see
  // these mounts, so the namespace is refused.
  if (made == 0 || entered != made || std::count(mounts->begin(), mounts->end(), '\n') != 1)
    return Error(Code::kFailedPrecondition,
                 "cannot make a mount namespace without mounts: some of the host are left");
  // A run must be able to mount proc and sysfs. In a user namespace, the kernel allows each of
  // these mounts only if the mount namespace already contains a mount of the same type.
  for (const char* type : {"proc", "sysfs"}) DROVER_TRY(DetachedMount(type, 0));
  return {};
}

}  // namespace

Result<UniqueFd> MakeCleanNamespace() {
  if (unshare(CLONE_NEWNS) != 0) return CannotClean("unshare");
  // The mounts become private first, so that the unmount below does not propagate to the host.
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return CannotClean("mount");
  UniqueFd made(open("/proc/thread-self/ns/mnt", O_RDONLY | O_CLOEXEC));
  const UniqueFd self(open("/proc/thread-self", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!made || !self) return CannotClean("/proc/thread-self");
  DROVER_ASSIGN(const UniqueFd root,
                DetachedMount("tmpfs", MOUNT_ATTR_RDONLY,
                              {{"mode", "555"}, {"size", "4k"}, {"ro", nullptr}}));
  if (syscall(SYS_move_mount, root.get(), "", AT_FDCWD, "/", MOVE_MOUNT_F_EMPTY_PATH) != 0 ||
      fchdir(root.get()) != 0)
    return CannotClean("move_mount");
  // With the same directory for both arguments, pivot_root mounts the old root on top of the new
  // root.
  if (syscall(SYS_pivot_root, ".", ".") != 0) return CannotClean("pivot_root");
  if (umount2(".", MNT_DETACH) != 0) return CannotClean("umount2");
  if (setns(made.get(), CLONE_NEWNS) != 0) return CannotClean("setns");
  DROVER_TRY(CheckClean(root, self));
  return made;
}

CleanNamespace::~CleanNamespace() {
  if (maker_.joinable()) maker_.join();
}

void CleanNamespace::Begin() {
  if (maker_.joinable()) maker_.join();  // returns soon: the thread has already posted its result
  making_ = std::make_shared<Making>(loop_);
  try {
    maker_ = std::thread([making = making_, loop = loop_] {
      making->made = MakeCleanNamespace();
      loop->Post([making] { making->done.Set(); });
    });
  } catch (const std::system_error& error) {
    making_->made = ErrnoError(error.code().value(), "cannot start a thread");
    making_->done.Set();
  }
}

Co<Result<int>> CleanNamespace::Get(Context context) {
  if (!possible_ || !MountCallsExist()) co_return -1;
  if (!making_) Begin();
  const std::shared_ptr<Making> making = making_;
  DROVER_CO_TRY(co_await making->done.Wait(context));
  // Returns soon: the thread has already posted its result.
  if (making_ == making && maker_.joinable()) maker_.join();
  if (making->made.ok()) co_return possible_ ? making->made->get() : -1;
  if (!making->made.error().recoverable()) possible_ = false;
  if (making_ == making) making_.reset();  // another waiter may have reset or replaced making_
  co_return -1;
}

void CleanNamespace::Failed(int error) {
  if (!ErrnoError(error, "").recoverable()) possible_ = false;
}

}  // namespace drover
