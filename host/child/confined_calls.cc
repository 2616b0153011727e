// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/child/confined_calls.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <cerrno>
#include <initializer_list>

#include "host/child/confined_spawn.h"
#include "host/child/filter_program.h"

namespace drover {
namespace {

constexpr long kAllowed[] = {
    // Memory. The calls that map it are below.
    SYS_munmap, SYS_mprotect, SYS_madvise, SYS_mincore,
    // Threads and signals.
    SYS_exit, SYS_exit_group, SYS_futex, SYS_getpid, SYS_gettid, SYS_rt_sigaction,
    SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_sched_getaffinity, SYS_sched_yield,
#if defined(__x86_64__)
    SYS_arch_prctl, SYS_getrlimit,
#endif
    // Time.
    SYS_clock_gettime, SYS_clock_nanosleep, SYS_gettimeofday, SYS_nanosleep, SYS_restart_syscall,
    // Descriptors that are open, and those of the runtime's poller.
    SYS_close, SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait, SYS_eventfd2, SYS_fstat,
    SYS_lseek, SYS_pipe2, SYS_pread64, SYS_read, SYS_write,
    // The rest.
    SYS_getrandom, SYS_uname};

constexpr long kFileCalls[] = {SYS_getcwd, SYS_getdents64, SYS_newfstatat, SYS_readlinkat};

// The program is executed once, at the beginning. Later, the descriptor is above the limit.
FilterProgram Execution() {
  FilterProgram block;
  block.Load(FilterProgram::Argument(0));
  block.If(BPF_JEQ, DROVER_CONFINED_PROGRAM, 3);
  block.Load(FilterProgram::Argument(4));
  block.If(BPF_JEQ, AT_EMPTY_PATH, 1);
  block.Return(SECCOMP_RET_ALLOW);
  block.Fail(EPERM);
  return block;
}

// A thread is allowed, and a process is not.
FilterProgram Cloning() {
  FilterProgram block;
  block.Load(FilterProgram::Argument(0));
  block.If(BPF_JSET, CLONE_THREAD, 1);
  block.Return(SECCOMP_RET_ALLOW);
  block.Fail(EPERM);
  return block;
}

// The limit of memory (RLIMIT_DATA) counts no shared memory, and none that grows like a stack.
FilterProgram Mapping() {
  FilterProgram block;
  block.Load(FilterProgram::Argument(3));
  block.If(BPF_JSET, MAP_SHARED | MAP_GROWSDOWN, 1);
  block.Fail(EPERM);
  block.Return(SECCOMP_RET_ALLOW);
  return block;
}

// Allows the call only if its argument INDEX is one of VALUES.
FilterProgram Only(int index, std::initializer_list<long> values) {
  FilterProgram block;
  block.Load(FilterProgram::Argument(index));
  for (const long value : values) block.AllowIfEqual(value);
  block.Fail(EPERM);
  return block;
}

FilterProgram OpeningForReading() {
  FilterProgram block;
  block.Load(FilterProgram::Argument(2));
  block.If(BPF_JSET, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, 1);
  block.Fail(EPERM);
  block.Return(SECCOMP_RET_ALLOW);
  return block;
}

}  // namespace

ConfinedCalls CallsOfConfinedPrograms(bool reads_files) {
  FilterProgram program;
  program.Load(offsetof(seccomp_data, arch));
  // In a foreign mode of the processor, the loaded word stays the architecture, which is no number
  // of a call.
  program.If(BPF_JEQ, kFilterArchitecture, 1);
  program.Load(offsetof(seccomp_data, nr));
  for (const long call : kAllowed) program.AllowIfEqual(call);
  const std::size_t own_pid = program.size() + 2;
  program.IfEqual(SYS_tgkill, Only(0, {0}));
  program.IfEqual(SYS_prlimit64, Only(0, {0}));
  program.IfEqual(SYS_fcntl, Only(1, {F_GETFD, F_SETFD, F_GETFL, F_SETFL}));
  program.IfEqual(SYS_clone, Cloning());
  program.IfEqual(SYS_mmap, Mapping());
  program.IfEqual(SYS_execveat, Execution());
  if (reads_files) {
    for (const long call : kFileCalls) program.AllowIfEqual(call);
    program.IfEqual(SYS_openat, OpeningForReading());
  }
  program.Fail(EPERM);
  return {program.Take(), own_pid};
}

}  // namespace drover
