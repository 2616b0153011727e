/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * The supervisor that does least for one task. It starts the task in the cgroup that is descriptor
 * 4, waits for it, and writes a record to the directory that is descriptor 3. The record is as long
 * as a shim's, and its name is the supervisor's process id. It has no socket, output, signals or
 * detaching.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "shim/attach_protocol.h"
#include "shim/child_entry.h"
#include "shim/sys.h"

static _Alignas(16) char stack[8 << 10];

static void become_task(void* unused) {
  (void)unused;
  char* const argv[] = {(char*)DROVER_BENCH_NOOP, NULL};
  char* const envp[] = {NULL};
  SYS(execve, DROVER_BENCH_NOOP, argv, envp);
  sys_exit(127);
}

int main(void) {
  struct clone_args args = {.flags = CLONE_VM | CLONE_VFORK | CLONE_INTO_CGROUP,
                            .exit_signal = SIGCHLD,
                            .stack = (uint64_t)(uintptr_t)stack,
                            .stack_size = sizeof stack,
                            .cgroup = 4};
  long pid = clone3_with_child(&args, sizeof args, become_task, NULL);
  if (pid < 0) { /* no cgroup was given */
    args.flags &= ~(uint64_t)CLONE_INTO_CGROUP;
    args.cgroup = 0;
    pid = clone3_with_child(&args, sizeof args, become_task, NULL);
  }
  int status = -1;
  struct rusage usage;
  if (pid < 0 || SYS(wait4, pid, &status, 0, &usage) != pid || status != 0) return 1;

  const struct drover_exit_record record = {.magic = DROVER_EXIT_MAGIC,
                                            .user_us = (uint64_t)usage.ru_utime.tv_usec};
  char name[12];
  size_t at = sizeof name;
  name[--at] = 0;
  for (long rest = SYS(getpid); rest > 0; rest /= 10) name[--at] = (char)('0' + rest % 10);
  const int file = (int)sys_open(3, name + at, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  return file >= 0 && SYS(write, file, &record, sizeof record) == sizeof record ? 0 : 1;
}
