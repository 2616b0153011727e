// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/child/network_calls.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cerrno>

#include "host/child/filter_program.h"

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif
#ifndef SYS_memfd_secret
#define SYS_memfd_secret 447
#endif
#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x00000080
#endif

namespace drover {
namespace {

// From here on, numbers belong to other architectures: those of x32, and those that name an
// architecture themselves.
constexpr std::uint32_t kForeignCalls = 0x40000000;

constexpr long kRefused[] = {
    // Namespaces, mounts and roots.
    SYS_unshare, SYS_setns, SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_fsopen,
    SYS_fsmount, SYS_fsconfig, SYS_fspick, SYS_move_mount, SYS_open_tree, SYS_mount_setattr,
    SYS_name_to_handle_at, SYS_open_by_handle_at,
    // The machine.
    SYS_reboot, SYS_kexec_load, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_swapon,
    SYS_swapoff, SYS_settimeofday, SYS_clock_settime, SYS_clock_adjtime, SYS_adjtimex,
    SYS_sethostname, SYS_setdomainname, SYS_acct, SYS_quotactl, SYS_syslog, SYS_bpf,
    SYS_perf_event_open, SYS_userfaultfd, SYS_io_uring_setup, SYS_io_uring_enter,
    SYS_io_uring_register, SYS_fanotify_init, SYS_personality,
    // Keys.
    SYS_add_key, SYS_request_key, SYS_keyctl,
    // Other processes.
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_pidfd_open, SYS_pidfd_getfd,
    SYS_pidfd_send_signal, SYS_kcmp, SYS_process_madvise, SYS_tkill, SYS_tgkill,
    SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_sched_setaffinity, SYS_sched_setscheduler,
    SYS_sched_setattr, SYS_sched_setparam, SYS_setpriority, SYS_ioprio_set, SYS_migrate_pages,
    SYS_move_pages,
    // The rules for files know neither these nor their like. Nobody needs them for a download.
    SYS_truncate, SYS_mknodat, SYS_fchownat, SYS_fchown, SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr,
    SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr, SYS_fchmodat2,
#if defined(__x86_64__)
    SYS_mknod, SYS_chown, SYS_lchown, SYS_iopl, SYS_ioperm, SYS_modify_ldt, SYS_kexec_file_load,
#endif
    // Memory that its limit (RLIMIT_DATA) does not count. The call that maps memory is below.
    SYS_memfd_create, SYS_memfd_secret, SYS_shmget, SYS_shmat,
    // What would stay after the end of the process, in memory of the kernel.
    SYS_msgget, SYS_semget, SYS_mq_open,
    // A process that left the group would outlive its end.
    SYS_setsid, SYS_setpgid,
    // Nobody may connect to this process.
    SYS_bind, SYS_listen, SYS_accept, SYS_accept4};

constexpr long kStarts[] = {
#if defined(__x86_64__)
    SYS_fork, SYS_vfork,
#endif
    SYS_execve, SYS_execveat};

// Refuses new namespaces and, unless STARTS_PROGRAMS, all but threads.
FilterProgram ThreadsOrProcesses(bool starts_programs) {
  constexpr std::uint32_t kNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
                                        CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET |
                                        CLONE_NEWTIME;
  FilterProgram block;
  block.Load(FilterProgram::Argument(0));
  block.If(BPF_JSET, kNamespaces, 1);
  block.Fail(EPERM);
  if (starts_programs) {
    block.Return(SECCOMP_RET_ALLOW);
    return block;
  }
  block.If(BPF_JSET, CLONE_THREAD, 1);
  block.Return(SECCOMP_RET_ALLOW);
  block.Fail(EPERM);
  return block;
}

// The limit of memory counts no shared memory, and none that grows like a stack.
FilterProgram OwnMemory() {
  FilterProgram block;
  block.Load(FilterProgram::Argument(3));
  block.If(BPF_JSET, MAP_SHARED | MAP_GROWSDOWN, 1);
  block.Fail(EPERM);
  block.Return(SECCOMP_RET_ALLOW);
  return block;
}

FilterProgram InternetOnly() {
  FilterProgram block;
  block.Load(FilterProgram::Argument(0));
  block.AllowIfEqual(AF_INET);
  block.AllowIfEqual(AF_INET6);
  block.Fail(EAFNOSUPPORT);
  return block;
}

// Process 0 means all of the own group.
FilterProgram OwnGroup() {
  FilterProgram block;
  block.Load(FilterProgram::Argument(0));
  block.AllowIfEqual(0);
  block.Fail(EPERM);
  return block;
}

}  // namespace

std::vector<sock_filter> CallsOfNetworkChildren(bool starts_programs) {
  FilterProgram program;
  program.Load(offsetof(seccomp_data, arch));
  // In a foreign mode of the processor, the loaded word stays the architecture.
  program.If(BPF_JEQ, kFilterArchitecture, 1);
  program.Load(offsetof(seccomp_data, nr));
  program.If(BPF_JGE, kForeignCalls, 1);
  program.Return(SECCOMP_RET_KILL_PROCESS);
  for (const long call : kRefused) program.FailIfEqual(call, EPERM);
  if (!starts_programs) {
    for (const long call : kStarts) program.FailIfEqual(call, EPERM);
    program.FailIfEqual(SYS_kill, EPERM);
  } else {
    program.IfEqual(SYS_kill, OwnGroup());  // whoever starts programs ends them, too
  }
  // Its arguments are in memory, which a filter cannot read. The C library then uses clone.
  program.FailIfEqual(SYS_clone3, ENOSYS);
  program.IfEqual(SYS_clone, ThreadsOrProcesses(starts_programs));
  program.IfEqual(SYS_mmap, OwnMemory());
  program.IfEqual(SYS_socket, InternetOnly());
  program.Return(SECCOMP_RET_ALLOW);
  return program.Take();
}

}  // namespace drover
