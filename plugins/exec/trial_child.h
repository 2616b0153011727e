// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/sched.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>

namespace exec_driver {

// The only processes that this driver makes, in which it looks what the machine permits. As fork
// returns twice, and NAMESPACES are new in the child; but nothing of this process runs in between,
// no handler of another library either. The child may make system calls and nothing else, ends by
// _exit, and is waited for by AwaitTrialChild.
inline pid_t MakeTrialChild(std::uint64_t namespaces) {
  clone_args args{};
  args.flags = namespaces;
  args.exit_signal = SIGCHLD;
  return static_cast<pid_t>(::syscall(SYS_clone3, &args, sizeof args));
}

// The status of its end.
inline int AwaitTrialChild(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace exec_driver
