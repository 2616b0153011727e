/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "host/process/detached_spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shim/child_entry.h"

/*
 * This file starts a child process, which starts the program as its own child. Both children share
 * the memory of the caller, and the caller waits for them (CLONE_VM | CLONE_VFORK). So the children
 * may do only what is allowed after vfork. This file is built without sanitizers.
 */
struct job {
  struct drover_detached_spawn* spawn;
  char* second_stack;
  size_t stack_size;
  int error;
};

/*
 * Sets a soft limit for the calling child only. Each process has its own limits, even if it shares
 * the memory of another process.
 */
static int set_soft_limit(int resource, uint64_t soft) {
  struct rlimit64 limit;
  if (syscall(SYS_prlimit64, 0, resource, NULL, &limit) != 0) return -1;
  limit.rlim_cur = soft < limit.rlim_max ? soft : limit.rlim_max;
  return (int)syscall(SYS_prlimit64, 0, resource, &limit, NULL);
}

static int set_limits(const struct drover_detached_spawn* spawn) {
  if (spawn->open_files != 0 && set_soft_limit(RLIMIT_NOFILE, spawn->open_files) != 0) return -1;
  if (spawn->core_bytes != NULL && set_soft_limit(RLIMIT_CORE, *spawn->core_bytes) != 0) return -1;
  return 0;
}

/* The second child runs this function, which executes the program. */
static void become_program(void* argument) {
  struct job* job = argument;
  const struct drover_detached_spawn* spawn = job->spawn;
  /* Duplicates the descriptors to numbers from 8 on, because 0 to 3 are assigned below. */
  const int image = fcntl(spawn->image, F_DUPFD_CLOEXEC, 8);
  const int connection = fcntl(spawn->connection, F_DUPFD_CLOEXEC, 8);
  const int null_device = fcntl(spawn->null_device, F_DUPFD_CLOEXEC, 8);
  char* const argv[] = {(char*)"drover-shim", (char*)spawn->title, NULL};
  char* const envp[] = {NULL};
  if (image >= 0 && connection >= 0 && null_device >= 0 && dup2(null_device, 0) == 0 &&
      dup2(null_device, 1) == 1 && dup2(null_device, 2) == 2 && dup2(connection, 3) == 3 &&
      syscall(SYS_close_range, 4u, ~0u, 4u /* CLOSE_RANGE_CLOEXEC */) == 0 &&
      set_limits(spawn) == 0)
    syscall(SYS_execveat, image, "", argv, envp, AT_EMPTY_PATH);
  job->error = errno;
  _exit(1);
}

/*
 * The first child runs this function and exits. It shares the caller's descriptors, so the pidfd
 * that it opens belongs to the caller.
 */
static void start_program(void* argument) {
  struct job* job = argument;
  struct drover_detached_spawn* spawn = job->spawn;
  const unsigned long flags = CLONE_VM | CLONE_VFORK | CLONE_PIDFD;
  struct clone_args args = {
      .flags = flags | CLONE_INTO_CGROUP,
      .pidfd = (uint64_t)(uintptr_t)&spawn->pidfd,
      .exit_signal = SIGCHLD,
      .stack = (uint64_t)(uintptr_t)job->second_stack,
      .stack_size = job->stack_size,
      .cgroup = (uint64_t)spawn->cgroup,
  };
  /* Unprivileged containers refuse clone3, so clone3 is called only if there is a cgroup. */
  const long pid = spawn->cgroup >= 0
                       ? clone3_with_child(&args, sizeof args, become_program, job)
                       : call_with_child(SYS_clone, (long)(flags | SIGCHLD),
                                         (long)(job->second_stack + job->stack_size),
                                         (long)&spawn->pidfd, 0, 0, become_program, job);
  if (pid < 0) job->error = (int)-pid;
  if (pid > 0) spawn->pid = (pid_t)pid;
  _exit(0);
}

int drover_spawn_detached(struct drover_detached_spawn* spawn) {
  char stacks[2][8192] __attribute__((aligned(16)));
  struct job job = {.spawn = spawn, .second_stack = stacks[1], .stack_size = sizeof stacks[1]};
  spawn->pid = 0;
  spawn->pidfd = -1;
  /* No signal handler may run in the children, because they share the caller's memory. */
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const long pid =
      call_with_child(SYS_clone, CLONE_VM | CLONE_VFORK | CLONE_FILES,
                      (long)(stacks[0] + sizeof stacks[0]), 0, 0, 0, start_program, &job);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (pid < 0) return (int)-pid;
  siginfo_t info;
  /*
   * The child has no exit signal, so waitid needs __WALL. Nobody has reaped the child yet, so its
   * pid cannot be reused.
   */
  while (waitid(P_PID, (id_t)pid, &info, WEXITED | __WALL) != 0 && errno == EINTR) {
  }
  if (job.error == 0 && spawn->pid == 0) job.error = ECHILD;
  if (job.error != 0 && spawn->pidfd >= 0) {
    close(spawn->pidfd);
    spawn->pidfd = -1;
  }
  return job.error;
}
