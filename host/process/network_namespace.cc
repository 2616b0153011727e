// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/network_namespace.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <linux/nsfs.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <thread>

namespace drover {
namespace {

Error NoNetwork(const std::string& path, const std::string& what) {
  return Error(Code::kInvalidArgument, path + " " + what + ": name a network namespace");
}

Status BringLoopbackUp() {
  const UniqueFd any(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  std::strcpy(request.ifr_name, "lo");
  if (any && ioctl(any.get(), SIOCGIFFLAGS, &request) == 0) {
    request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP);
    if (ioctl(any.get(), SIOCSIFFLAGS, &request) == 0) return {};
  }
  return ErrnoError(errno, "cannot bring the loopback interface of a network namespace up");
}

Result<UniqueFd> EnterNew() {
  if (unshare(CLONE_NEWNET) != 0) return ErrnoError(errno, "cannot make a network namespace");
  DROVER_TRY(BringLoopbackUp());
  UniqueFd made(open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
  if (!made) return ErrnoError(errno, "cannot open a new network namespace");
  return made;
}

}  // namespace

Result<UniqueFd> OpenNetworkNamespace(const std::string& path) {
  const UniqueFd place(open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!place) return ErrnoError(errno, "cannot open the network namespace " + path);
  // The type is checked before PATH is opened for reading, since opening a device or a pipe may
  // have effects.
  struct statfs system{};
  if (fstatfs(place.get(), &system) != 0) return ErrnoError(errno, path);
  if (system.f_type != NSFS_MAGIC) return NoNetwork(path, "is no namespace");
  const std::string itself = "/proc/self/fd/" + std::to_string(place.get());
  UniqueFd opened(open(itself.c_str(), O_RDONLY | O_CLOEXEC));
  if (!opened) return ErrnoError(errno, "cannot open the network namespace " + path);
  if (ioctl(opened.get(), NS_GET_NSTYPE) != CLONE_NEWNET)
    return NoNetwork(path, "is a namespace of another kind");
  return opened;
}

Result<UniqueFd> MakeNetworkNamespace() {
  // Only the thread that calls unshare enters the new namespace. So a new thread calls unshare, and
  // ends at once instead of returning to its old namespace.
  Result<UniqueFd> made = Error(Code::kInternal, "");
  try {
    std::thread([&made] { made = EnterNew(); }).join();
  } catch (const std::system_error& error) {
    return ErrnoError(error.code().value(), "cannot start a thread that makes a network namespace");
  }
  return made;
}

Result<UniqueFd> KeepNetworkNamespace(const std::string& file) {
  Result<UniqueFd> kept = OpenNetworkNamespace(file);
  // If an earlier call was interrupted, FILE is missing or is not a namespace, and can be replaced.
  // Any other error may be temporary; then FILE stays, because tasks may be in its namespace.
  const bool none = kept.code() == Code::kNotFound || kept.code() == Code::kInvalidArgument;
  if (kept.ok() || !none) return kept;
  DROVER_TRY(DropNetworkNamespace(file));
  DROVER_ASSIGN(UniqueFd made, MakeNetworkNamespace());
  const UniqueFd place(open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0400));
  if (!place) return ErrnoError(errno, "cannot make " + file + " for a network namespace");
  const std::string itself = "/proc/self/fd/" + std::to_string(made.get());
  if (mount(itself.c_str(), file.c_str(), nullptr, MS_BIND, nullptr) != 0) {
    const Error error = ErrnoError(errno, "cannot mount a network namespace on " + file);
    unlink(file.c_str());
    return error;
  }
  return made;
}

Status DropNetworkNamespace(const std::string& file) {
  // EINVAL means that FILE exists but nothing is mounted on it.
  if (umount2(file.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW) != 0 && errno != EINVAL &&
      errno != ENOENT)
    return ErrnoError(errno, "cannot unmount the network namespace " + file);
  if (unlink(file.c_str()) != 0 && errno != ENOENT)
    return ErrnoError(errno, "cannot remove " + file);
  return {};
}

}  // namespace drover
