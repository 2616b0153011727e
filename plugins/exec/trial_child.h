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

// Makes a child process that tests what the machine permits. This driver makes no other processes.
// The function returns twice, as fork does. NAMESPACES has the CLONE_NEW... flags of the child's
// new namespaces. Unlike fork, the function runs no other code, such as the fork handlers of a
// library. The child may only make system calls, and must end by _exit. The parent must call
// AwaitTrialChild.
inline pid_t MakeTrialChild(std::uint64_t namespaces) {
  clone_args args{};
  args.flags = namespaces;
  args.exit_signal = SIGCHLD;
  return static_cast<pid_t>(::syscall(SYS_clone3, &args, sizeof args));
}

// Waits for the end of CHILD and returns its wait status.
inline int AwaitTrialChild(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace exec_driver
