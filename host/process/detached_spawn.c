/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "host/process/detached_spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Both children share the memory of the caller, which waits for them (CLONE_VM | CLONE_VFORK), so
 * what they may do is what may be done after vfork. The file is built without sanitizers.
 */
struct job {
  struct drover_detached_spawn* spawn;
  char* second_stack;
  size_t stack_size;
  int error;
};

/* clone3, then FUNCTION(ARGUMENT) in the child on its own stack. The libc has no call for it. */
static long clone3_call(struct clone_args* args, int (*function)(void*), void* argument) {
#if defined(__x86_64__)
  long result;
  register int (*f)(void*) __asm__("r12") = function;
  register void* a __asm__("r13") = argument;
  __asm__ volatile(
      "syscall\n\t"
      "testq %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "xorl %%ebp, %%ebp\n\t"
      "movq %[a], %%rdi\n\t"
      "callq *%[f]\n\t"
      "movl %%eax, %%edi\n\t"
      "movl $231, %%eax\n\t" /* exit_group */
      "syscall\n\t"
      "hlt\n"
      "1:"
      : "=a"(result)
      : "0"((long)SYS_clone3), "D"(args), "S"(sizeof *args), [f] "r"(f), [a] "r"(a)
      : "rcx", "r11", "memory", "cc");
  return result;
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = SYS_clone3;
  register long x0 __asm__("x0") = (long)args;
  register long x1 __asm__("x1") = sizeof *args;
  register int (*f)(void*) __asm__("x19") = function;
  register void* a __asm__("x20") = argument;
  __asm__ volatile(
      "svc #0\n\t"
      "cbnz x0, 1f\n\t"
      "mov x29, xzr\n\t"
      "mov x0, %[a]\n\t"
      "blr %[f]\n\t"
      "mov x8, #94\n\t" /* exit_group */
      "svc #0\n"
      "1:"
      : "+r"(x0)
      : "r"(x8), "r"(x1), [f] "r"(f), [a] "r"(a)
      : "memory", "cc", "x30");
  return x0;
#else
#error "detached_spawn.c needs a clone3_call for this processor"
#endif
}

/*
 * The same by the old clone, for where no cgroup is wanted: unprivileged containers refuse clone3.
 * The stack ends at STACK_END; with CLONE_PIDFD, PIDFD is set.
 */
static long clone_call(unsigned long flags, char* stack_end, int* pidfd, int (*function)(void*),
                       void* argument) {
#if defined(__x86_64__)
  long result;
  register int (*f)(void*) __asm__("r12") = function;
  register void* a __asm__("r13") = argument;
  register long r10 __asm__("r10") = 0;
  register long r8 __asm__("r8") = 0;
  __asm__ volatile(
      "syscall\n\t"
      "testq %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "xorl %%ebp, %%ebp\n\t"
      "movq %[a], %%rdi\n\t"
      "callq *%[f]\n\t"
      "movl %%eax, %%edi\n\t"
      "movl $231, %%eax\n\t" /* exit_group */
      "syscall\n\t"
      "hlt\n"
      "1:"
      : "=a"(result)
      : "0"((long)SYS_clone), "D"(flags), "S"(stack_end), "d"(pidfd), "r"(r10),
        "r"(r8), [f] "r"(f), [a] "r"(a)
      : "rcx", "r11", "memory", "cc");
  return result;
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = SYS_clone;
  register long x0 __asm__("x0") = (long)flags;
  register long x1 __asm__("x1") = (long)stack_end;
  register long x2 __asm__("x2") = (long)pidfd;
  register long x3 __asm__("x3") = 0;
  register long x4 __asm__("x4") = 0;
  register int (*f)(void*) __asm__("x19") = function;
  register void* a __asm__("x20") = argument;
  __asm__ volatile(
      "svc #0\n\t"
      "cbnz x0, 1f\n\t"
      "mov x29, xzr\n\t"
      "mov x0, %[a]\n\t"
      "blr %[f]\n\t"
      "mov x8, #94\n\t" /* exit_group */
      "svc #0\n"
      "1:"
      : "+r"(x0)
      : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), [f] "r"(f), [a] "r"(a)
      : "memory", "cc", "x30");
  return x0;
#endif
}

/* Runs as the process that becomes the program. */
static int become_program(void* argument) {
  struct job* job = argument;
  const struct drover_detached_spawn* spawn = job->spawn;
  /* Out of the way of the numbers that are given away below. */
  const int image = fcntl(spawn->image, F_DUPFD_CLOEXEC, 8);
  const int connection = fcntl(spawn->connection, F_DUPFD_CLOEXEC, 8);
  const int null_device = fcntl(spawn->null_device, F_DUPFD_CLOEXEC, 8);
  char* const argv[] = {(char*)"drover-shim", (char*)spawn->title, NULL};
  char* const envp[] = {NULL};
  if (image >= 0 && connection >= 0 && null_device >= 0 && dup2(null_device, 0) == 0 &&
      dup2(null_device, 1) == 1 && dup2(null_device, 2) == 2 && dup2(connection, 3) == 3 &&
      syscall(SYS_close_range, 4u, ~0u, 4u /* CLOSE_RANGE_CLOEXEC */) == 0)
    syscall(SYS_execveat, image, "", argv, envp, AT_EMPTY_PATH);
  job->error = errno;
  return 1;
}

/* Runs as the parent for a moment; shares the caller's descriptors, so the pidfd is the caller's.
 */
static int start_program(void* argument) {
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
  const long pid = spawn->cgroup >= 0
                       ? clone3_call(&args, become_program, job)
                       : clone_call(flags | SIGCHLD, job->second_stack + job->stack_size,
                                    &spawn->pidfd, become_program, job);
  if (pid < 0) job->error = (int)-pid;
  if (pid > 0) spawn->pid = (pid_t)pid;
  return 0;
}

int drover_spawn_detached(struct drover_detached_spawn* spawn) {
  char stacks[2][8192] __attribute__((aligned(16)));
  struct job job = {.spawn = spawn, .second_stack = stacks[1], .stack_size = sizeof stacks[1]};
  spawn->pid = 0;
  spawn->pidfd = -1;
  /* No handler may run in the children: it would change the caller's memory. */
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const long pid = clone_call(CLONE_VM | CLONE_VFORK | CLONE_FILES, stacks[0] + sizeof stacks[0],
                              NULL, start_program, &job);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (pid < 0) return (int)-pid;
  siginfo_t info;
  /* Without exit signal, so __WALL. It is our own child, not reaped: the number is its own. */
  while (waitid(P_PID, (id_t)pid, &info, WEXITED | __WALL) != 0 && errno == EINTR) {
  }
  if (job.error == 0 && spawn->pid == 0) job.error = ECHILD;
  if (job.error != 0 && spawn->pidfd >= 0) {
    close(spawn->pidfd);
    spawn->pidfd = -1;
  }
  return job.error;
}
