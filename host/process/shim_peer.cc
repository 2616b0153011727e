// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/shim_peer.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <optional>
#include <string>

#include "host/process/process_usage.h"
#include "host/process/small_file.h"

namespace drover {
namespace {

constexpr int kSoPeerPidfd = 77;  // SO_PEERPIDFD, since Linux 6.5

bool HasEnded(int pidfd) {
  pollfd end{pidfd, POLLIN, 0};
  return poll(&end, 1, 0) == 1;
}

std::optional<Duration> StartOf(std::int64_t pid) {
  const std::string path = "/proc/" + std::to_string(pid) + "/stat";
  const auto stat = ParseProcessStat(ReadSmallFile(AT_FDCWD, path.c_str()).value_or(""));
  return stat ? std::optional(stat->started) : std::nullopt;
}

}  // namespace

Result<UniqueFd> PidfdOfPeer(int socket) {
  int pidfd = -1;
  socklen_t size = sizeof pidfd;
  if (getsockopt(socket, SOL_SOCKET, kSoPeerPidfd, &pidfd, &size) == 0) return UniqueFd(pidfd);
  ucred peer{};
  size = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return UniqueFd();
  UniqueFd opened(static_cast<int>(syscall(SYS_pidfd_open, peer.pid, 0)));
  if (opened) return opened;
  Error error = ErrnoError(errno, "cannot open the process of the shim");
  if (error.code() == Code::kResourceExhausted) return error;
  return UniqueFd();  // the process has ended
}

bool StartedBefore(int pidfd, std::int64_t boot_time) {
  const std::string path = "/proc/self/fdinfo/" + std::to_string(pidfd);
  const std::string about = ReadSmallFile(AT_FDCWD, path.c_str()).value_or("");
  const std::size_t pid = about.find("Pid:\t");
  const std::optional<Duration> start =
      pid == std::string::npos ? std::nullopt : StartOf(std::atoll(about.c_str() + pid + 5));
  if (HasEnded(pidfd)) return true;  // START may be wrong, but no signal reaches a dead process
  return start && start->count() <= boot_time;
}

}  // namespace drover
