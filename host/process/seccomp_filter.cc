// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/seccomp_filter.h"

#include <linux/capability.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "host/child/filter_program.h"

namespace drover {
namespace {

// The number of the newest system call that this file takes into account, set_mempolicy_home_node.
constexpr std::uint32_t kNewest = 450;

constexpr int kNever = -1;  // stands for a call that no capability allows

struct Refused {
  long number;
  int capability;  // the capability that allows the call, or kNever
};

// The system calls that the filter refuses to a task without the capability. The kernel itself also
// refuses most of these calls without the capability. But with the filter, the task cannot even
// execute the kernel's code of these calls, which may have bugs.
constexpr Refused kRefused[] = {
    // Calls for mounts and namespaces.
    {SYS_mount, CAP_SYS_ADMIN},
    {SYS_umount2, CAP_SYS_ADMIN},
    {SYS_pivot_root, CAP_SYS_ADMIN},
    {SYS_open_tree, CAP_SYS_ADMIN},
    {SYS_move_mount, CAP_SYS_ADMIN},
    {SYS_fsopen, CAP_SYS_ADMIN},
    {SYS_fsconfig, CAP_SYS_ADMIN},
    {SYS_fsmount, CAP_SYS_ADMIN},
    {SYS_fspick, CAP_SYS_ADMIN},
    {SYS_mount_setattr, CAP_SYS_ADMIN},
    {SYS_setns, CAP_SYS_ADMIN},
    {SYS_unshare, CAP_SYS_ADMIN},
    // Calls that change the machine as a whole.
    {SYS_reboot, CAP_SYS_BOOT},
    {SYS_kexec_load, CAP_SYS_BOOT},
    {SYS_kexec_file_load, CAP_SYS_BOOT},
    {SYS_init_module, CAP_SYS_MODULE},
    {SYS_finit_module, CAP_SYS_MODULE},
    {SYS_delete_module, CAP_SYS_MODULE},
    {SYS_swapon, CAP_SYS_ADMIN},
    {SYS_swapoff, CAP_SYS_ADMIN},
    {SYS_sethostname, CAP_SYS_ADMIN},
    {SYS_setdomainname, CAP_SYS_ADMIN},
    {SYS_settimeofday, CAP_SYS_TIME},
    {SYS_clock_settime, CAP_SYS_TIME},
    {SYS_clock_adjtime, CAP_SYS_TIME},
    {SYS_adjtimex, CAP_SYS_TIME},
    {SYS_acct, CAP_SYS_PACCT},
    {SYS_quotactl, CAP_SYS_ADMIN},
    {SYS_quotactl_fd, CAP_SYS_ADMIN},
    {SYS_syslog, CAP_SYSLOG},
    {SYS_vhangup, CAP_SYS_TTY_CONFIG},
#if defined(__x86_64__)
    {SYS_iopl, CAP_SYS_RAWIO},
    {SYS_ioperm, CAP_SYS_RAWIO},
    {SYS_uselib, kNever},
    {SYS_modify_ldt, kNever},
#endif
    // memfd_secret: secret memory can be neither swapped nor dumped, and prevents hibernation.
    {SYS_memfd_secret, kNever},
    // Calls that bypass the permissions of files, the separation of users, or this filter.
    {SYS_open_by_handle_at, CAP_DAC_READ_SEARCH},
    {SYS_name_to_handle_at, CAP_DAC_READ_SEARCH},
    {SYS_fanotify_init, CAP_SYS_ADMIN},
    {SYS_add_key, kNever},
    {SYS_request_key, kNever},
    {SYS_keyctl, kNever},
    {SYS_io_uring_setup, kNever},
    {SYS_io_uring_enter, kNever},
    {SYS_io_uring_register, kNever},
    // Calls that access other processes and the kernel's memory.
    {SYS_process_vm_readv, CAP_SYS_PTRACE},
    {SYS_process_vm_writev, CAP_SYS_PTRACE},
    {SYS_kcmp, CAP_SYS_PTRACE},
    {SYS_bpf, CAP_BPF},
    {SYS_perf_event_open, CAP_PERFMON},
    {SYS_userfaultfd, CAP_SYS_PTRACE},
    {SYS_lookup_dcookie, CAP_SYS_ADMIN},
    {SYS_personality, CAP_SYS_ADMIN},
    {SYS_migrate_pages, CAP_SYS_NICE},
    {SYS_move_pages, CAP_SYS_NICE},
};

// Returns a program that allows only the socket families that tasks need. Most of the
// kernel's vulnerabilities in sockets are in the code of the other families. In addition, vsock
// reaches the hypervisor and bypasses every network namespace and firewall.
FilterProgram SocketFamilies(CapabilitySet capabilities) {
  FilterProgram netlink;
  netlink.Load(FilterProgram::Argument(2));
  netlink.AllowIfEqual(NETLINK_ROUTE);
  netlink.AllowIfEqual(NETLINK_SOCK_DIAG);
  netlink.Fail(EPROTONOSUPPORT);
  FilterProgram family;
  family.Load(FilterProgram::Argument(0));
  for (const int allowed : {AF_UNIX, AF_INET, AF_INET6}) family.AllowIfEqual(allowed);
  if (capabilities.Has(CAP_NET_RAW)) family.AllowIfEqual(AF_PACKET);
  if (capabilities.Has(CAP_NET_ADMIN))
    family.AllowIfEqual(AF_NETLINK);
  else
    family.IfEqual(AF_NETLINK, netlink);
  family.Fail(EAFNOSUPPORT);
  return family;
}

}  // namespace

std::vector<sock_filter> DefaultSeccompFilter(CapabilitySet capabilities) {
  constexpr std::uint32_t kNamespaces = CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
                                        CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWCGROUP;
  FilterProgram program;
  program.Load(offsetof(seccomp_data, arch));
  program.If(BPF_JEQ, kFilterArchitecture, 1);
  program.Load(offsetof(seccomp_data, nr));
  // For another architecture than kFilterArchitecture, the loaded word is still the number of that
  // architecture, which is above kNewest. The system calls of x32 have numbers above kNewest, too.
  static_assert(AUDIT_ARCH_I386 > kNewest && AUDIT_ARCH_ARM > kNewest);
  program.If(BPF_JGT, kNewest, 1);
  program.Fail(ENOSYS);
  for (const Refused& refused : kRefused)
    if (refused.capability == kNever || !capabilities.Has(refused.capability))
      program.FailIfEqual(refused.number, EPERM);
  if (!capabilities.Has(CAP_SYS_ADMIN)) {
    program.FailIfEqual(SYS_clone3, ENOSYS);
    program.If(BPF_JEQ, SYS_clone, 3);
    program.Load(FilterProgram::Argument(0));
    program.If(BPF_JSET, kNamespaces, 1);
    program.Fail(EPERM);
    // If clone is allowed, the loaded word is now its flags. So the number of the call is loaded
    // again.
    program.Load(offsetof(seccomp_data, nr));
    for (const long call : {SYS_socket, SYS_socketpair})
      program.IfEqual(call, SocketFamilies(capabilities));
  }
  // Refuses the ioctl calls that insert input into a terminal, because the task may share its
  // terminal with a user's shell.
  program.If(BPF_JEQ, SYS_ioctl, 5);
  program.Load(FilterProgram::Argument(1));
  program.FailIfEqual(TIOCSTI, EPERM);
  program.FailIfEqual(TIOCLINUX, EPERM);
  program.Return(SECCOMP_RET_ALLOW);
  return program.Take();
}

}  // namespace drover
