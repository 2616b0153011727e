/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "host/child/confined_spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/child/give_up_rights.h"

#ifndef SYS_landlock_restrict_self
#define SYS_landlock_restrict_self 446
#endif

/* What the new process reports through its status pipe. It is a copy of this process, so the text
   has the same place in both. */
struct failure {
  const char* step;
  int error;
};

static _Noreturn void give_up(int status, const char* step) {
  const struct failure failure = {step, errno};
  syscall(SYS_write, status, &failure, sizeof failure);
  for (;;) syscall(SYS_exit_group, 1);
}

/* No signal is ignored or blocked in the program. */
static int reset_signals(void) {
  const uint64_t usual[4] = {0}; /* the kernel's struct sigaction, with SIG_DFL */
  const uint64_t none = 0;
  for (int number = 1; number <= 64; number++)
    syscall(SYS_rt_sigaction, number, usual, NULL, sizeof none);
  return (int)syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, sizeof none);
}

static int copy_above(int fd) {
  return (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, DROVER_CONFINED_PROGRAM + 1);
}

/* Gives the descriptors their numbers. First duplicates them to higher numbers, so that none is
   overwritten before it is copied. Fails if one cannot be copied: without its rules, the program
   would have the whole file system. */
static int place_descriptors(struct drover_confined_spawn* spawn, int* status) {
  int* const moved[] = {
      status,       &spawn->program, &spawn->standard[0], &spawn->standard[1], &spawn->standard[2],
      &spawn->rules};
  for (size_t i = 0; i < sizeof moved / sizeof *moved; i++) {
    if (moved[i] == &spawn->rules && spawn->rules < 0) continue; /* there are none */
    const int copy = copy_above(*moved[i]);
    if (copy < 0) return -1;
    *moved[i] = copy;
  }
  for (int i = 0; i < 3; i++)
    if (syscall(SYS_dup3, spawn->standard[i], i, 0) < 0) return -1;
  if (syscall(SYS_dup3, spawn->program, DROVER_CONFINED_PROGRAM, O_CLOEXEC) < 0) return -1;
  return (int)syscall(SYS_close_range, 3u, ~0u, 4u /* CLOSE_RANGE_CLOEXEC */);
}

/* Where memory is scarce, the kernel ends this process and not its parent, which may be the larger
   one. It is no error if the kernel cannot be told so. Comes before a change of the user, after
   which the file belongs to root. */
static void prefer_own_end(void) {
  const long file = syscall(SYS_openat, AT_FDCWD, "/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  syscall(SYS_write, file, "1000", (size_t)4);
  syscall(SYS_close, file);
}

/* Root may have no right to become another user, as without capabilities, or there may be no other,
   as in a small user namespace. Then the process stays root. It has no capabilities even so, and
   the filter and the rules decide which files it reaches. */
static int become_nobody(bool reads_files) {
  if (geteuid() == 0 && drover_become_user(DROVER_CONFINED_USER) != 0 &&
      drover_become_user(DROVER_NOBODY) != 0 && errno != EPERM && errno != EINVAL)
    return -1;
  return drover_keep_capabilities(reads_files ? UINT64_C(1) << CAP_DAC_READ_SEARCH : 0);
}

static int limit_resources(const struct drover_confined_spawn* spawn) {
  for (size_t i = 0; i < spawn->limit_count; i++) {
    const struct drover_confined_limit* const limit = &spawn->limits[i];
    /* It would count all processes of root. */
    if (limit->resource == RLIMIT_NPROC && geteuid() == 0) continue;
    if (drover_limit(limit->resource, limit->most) != 0) return -1;
  }
  return 0;
}

static int filter_calls(struct drover_confined_spawn* spawn) {
  spawn->filter[spawn->own_pid].k = (uint32_t)getpid();
  const struct sock_fprog filter = {.len = spawn->filter_count, .filter = spawn->filter};
  return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter);
}

/* Makes system calls only by their numbers, since the functions of the C library may need locks
   that other threads held when this copy was made, above all with sanitizers. */
static _Noreturn void become_program(struct drover_confined_spawn* spawn, pid_t parent,
                                     int status) {
  if (syscall(SYS_setpgid, 0, 0) != 0) give_up(status, "lead a process group");
  if (reset_signals() != 0) give_up(status, "reset its signals");
  if (place_descriptors(spawn, &status) != 0) give_up(status, "place its descriptors");
  prefer_own_end();
  if (syscall(SYS_chdir, "/") != 0) give_up(status, "leave its directory");
  if (become_nobody(spawn->reads_files) != 0) give_up(status, "become another user");
  if (drover_stay_below(parent) != 0) give_up(status, "give up rights");
  if (limit_resources(spawn) != 0) give_up(status, "limit its resources");
  if (spawn->rules >= 0 && syscall(SYS_landlock_restrict_self, spawn->rules, 0) != 0)
    give_up(status, "leave the file system (Landlock)");
  if (filter_calls(spawn) != 0) give_up(status, "filter its system calls");
  syscall(SYS_execveat, DROVER_CONFINED_PROGRAM, "", spawn->argv, spawn->envp, AT_EMPTY_PATH);
  give_up(status, "be executed");
}

int drover_spawn_confined(struct drover_confined_spawn* spawn) {
  int status[2];
  spawn->failed = "get a pipe";
  if (pipe2(status, O_CLOEXEC) != 0) return errno;
  /* No signal handler may run in the copy. */
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t parent = getpid();
  /* Unlike fork, this runs no handlers of libraries. */
  const long pid = syscall(SYS_clone, (long)SIGCHLD, 0, 0, 0, 0);
  const int error = errno;
  if (pid == 0) become_program(spawn, parent, status[1]);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  close(status[1]);
  struct failure failure = {"get a process", error};
  ssize_t got = sizeof failure;
  if (pid > 0) {
    do got = read(status[0], &failure, sizeof failure);
    while (got < 0 && errno == EINTR);
  }
  close(status[0]);
  if (got == 0) { /* executing the program has closed the pipe; or the process was killed */
    spawn->pid = (pid_t)pid;
    spawn->failed = NULL;
    return 0;
  }
  siginfo_t info;
  while (pid > 0 && waitid(P_PID, (id_t)pid, &info, WEXITED) != 0 && errno == EINTR) {
  }
  spawn->failed = failure.step;
  return failure.error;
}
