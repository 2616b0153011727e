// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/shim_launcher.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>
#include <string>
#include <utility>

#include "host/process/detached_spawn.h"
#include "host/process/process_service.h"
#include "host/process/shim_connection.h"
#include "host/process/shim_image.h"
#include "host/process/start_message.h"
#include "host/process/supervised_run.h"

namespace drover {

Result<ShimLauncher> ShimLauncher::Open(Loop* loop, const ProcessServiceOptions& options) {
  ShimLauncher launcher(loop);
  DROVER_ASSIGN(launcher.image_, OpenShimImage());
  launcher.null_device_.Reset(open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!launcher.null_device_) return ErrnoError(errno, "cannot open /dev/null");
  if (!options.shim_cgroup.empty()) {
    launcher.cgroup_.Reset(open(options.shim_cgroup.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!launcher.cgroup_)
      return ErrnoError(errno, "cannot open the cgroup " + options.shim_cgroup);
  }
  launcher.open_files_ = options.open_files;
  launcher.core_bytes_ = options.core_bytes;
  return launcher;
}

Status ShimLauncher::Launch(const StartMessage& message, SupervisedRun* run) const {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return ErrnoError(errno, "cannot make a connection for the shim");
  UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);
  auto connection = ShimConnection::Make(loop_, std::move(ours));
  if (!connection->Send(message.bytes, message.fds))
    return ErrnoError(errno, "cannot send the start message to the shim");
  const std::string title = run->id().ToString();
  drover_detached_spawn spawn{};
  spawn.image = image_.get();
  spawn.connection = theirs.get();
  spawn.null_device = null_device_.get();
  spawn.cgroup = cgroup_ ? cgroup_.get() : -1;
  spawn.title = title.c_str();
  spawn.open_files = open_files_;
  spawn.core_bytes = core_bytes_ ? &*core_bytes_ : nullptr;
  if (const int error = drover_spawn_detached(&spawn); error != 0)
    return ErrnoError(error, "cannot start the shim");
  ProcessInfo info;
  info.shim_pid = spawn.pid;
  run->set_info(info);
  run->Follow(std::move(connection), UniqueFd(spawn.pidfd));
  return {};
}

}  // namespace drover
