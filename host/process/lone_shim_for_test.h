// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>
#include <string>
#include <vector>

#include "host/base/loop.h"
#include "host/base/result.h"
#include "host/base/unique_fd.h"
#include "host/process/boot_id.h"
#include "host/process/detached_spawn.h"
#include "host/process/process_spec.h"
#include "host/process/shim_connection.h"
#include "host/process/shim_image.h"
#include "host/process/start_message.h"

namespace drover {

// Starts a shim without a process service. The shim receives the start message of SPEC, then
// REQUESTS, then the end of its agent's connection. Returns a pidfd of the shim.
inline Result<UniqueFd> StartLoneShim(Loop* loop, const std::string& run_directory,
                                      const ProcessSpec& spec,
                                      const std::vector<ShimConnection::Bytes>& requests) {
  const UniqueFd directory(open(run_directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const UniqueFd null_device(open("/dev/null", O_RDWR | O_CLOEXEC));
  StartEnvironment environment;
  environment.boot_id = ThisBoot();
  environment.run_directory = directory.get();
  DROVER_ASSIGN(const StartMessage message, CompileStart(spec, environment));
  DROVER_ASSIGN(const UniqueFd image, OpenShimImage());
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return ErrnoError(errno, "socketpair");
  const UniqueFd theirs(ends[1]);
  const auto ours = ShimConnection::Make(loop, UniqueFd(ends[0]));
  bool sent = ours->Send(message.bytes, message.fds);
  for (const ShimConnection::Bytes& request : requests) sent = sent && ours->Send(request);
  ours->Close();
  if (!sent) return Error(Code::kInternal, "the messages do not fit into the connection");
  const std::string title = spec.run.ToString();
  drover_detached_spawn spawn{};
  spawn.image = image.get();
  spawn.connection = theirs.get();
  spawn.null_device = null_device.get();
  spawn.cgroup = -1;
  spawn.title = title.c_str();
  if (const int error = drover_spawn_detached(&spawn); error != 0)
    return ErrnoError(error, "cannot start the shim");
  return UniqueFd(spawn.pidfd);
}

}  // namespace drover
