// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "bench/bare_clone.h"

#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

#include "host/base/result.h"
#include "shim/child_entry.h"

namespace drover::bench {
namespace {

// Shares this program's memory until it has executed its own.
void Execute(void* program) {
  char* const argv[] = {static_cast<char*>(program), nullptr};
  char* const envp[] = {nullptr};
  execve(argv[0], argv, envp);
  _exit(127);
}

}  // namespace

double StartBareClone(const std::string& program) {
  return StartInNamespaces(Execute, const_cast<char*>(program.c_str()));
}

double StartInNamespaces(void (*enter)(void*), void* argument) {
  alignas(16) static char stack[64 << 10];
  clone_args args{};
  args.flags = CLONE_VM | CLONE_VFORK | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS;
  args.exit_signal = SIGCHLD;
  args.stack = reinterpret_cast<std::uint64_t>(stack);
  args.stack_size = sizeof stack;
  const auto start = std::chrono::steady_clock::now();
  const long pid = clone3_with_child(&args, sizeof args, enter, argument);
  const auto end = std::chrono::steady_clock::now();
  DROVER_CHECK(pid > 0);
  int status = 0;
  DROVER_CHECK(waitpid(static_cast<pid_t>(pid), &status, 0) == pid && status == 0);
  return std::chrono::duration<double>(end - start).count();
}

}  // namespace drover::bench
