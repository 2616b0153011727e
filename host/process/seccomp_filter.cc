// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/seccomp_filter.h"

#include <linux/audit.h>
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

namespace drover {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "seccomp_filter.cc needs the architecture's number"
#endif

// The highest number of a system call that this file considers: that of set_mempolicy_home_node.
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

class Program {
 public:
  void Load(std::size_t offset) {
    code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
  }
  // The next COUNT instructions run only if COMPARISON is true for the loaded word and VALUE.
  void If(std::uint16_t comparison, std::uint32_t value, std::uint8_t count) {
    code_.push_back(
        BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | BPF_K | comparison), value, 0, count));
  }
  void Return(std::uint32_t action) { code_.push_back(BPF_STMT(BPF_RET | BPF_K, action)); }
  void Fail(int error) { Return(SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error)); }
  void FailIfEqual(long value, int error) {
    If(BPF_JEQ, static_cast<std::uint32_t>(value), 1);
    Fail(error);
  }
  void AllowIfEqual(long value) {
    If(BPF_JEQ, static_cast<std::uint32_t>(value), 1);
    Return(SECCOMP_RET_ALLOW);
  }
  // Adds BLOCK, which runs only if the loaded word is VALUE. BLOCK must end with Return or Fail.
  void IfEqual(long value, Program block) {
    If(BPF_JEQ, static_cast<std::uint32_t>(value), static_cast<std::uint8_t>(block.code_.size()));
    code_.insert(code_.end(), block.code_.begin(), block.code_.end());
  }
  std::vector<sock_filter> Take() { return std::move(code_); }

 private:
  std::vector<sock_filter> code_;
};

// Returns the offset of the lower half of an argument. The supported architectures are
// little-endian.
constexpr std::size_t Argument(int index) {
  return offsetof(seccomp_data, args) + sizeof(std::uint64_t) * static_cast<std::size_t>(index);
}

// Returns a program that allows only the socket families that tasks need. Most of the kernel's
// vulnerabilities in sockets are in the code of the other families. In addition, vsock reaches the
// hypervisor and bypasses every network namespace and firewall.
Program SocketFamilies(CapabilitySet capabilities) {
  Program netlink;
  netlink.Load(Argument(2));
  netlink.AllowIfEqual(NETLINK_ROUTE);
  netlink.AllowIfEqual(NETLINK_SOCK_DIAG);
  netlink.Fail(EPROTONOSUPPORT);
  Program family;
  family.Load(Argument(0));
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
  Program program;
  program.Load(offsetof(seccomp_data, arch));
  program.If(BPF_JEQ, kArchitecture, 1);
  program.Load(offsetof(seccomp_data, nr));
  // Refuses the calls of x32, whose numbers are above kNewest, and all calls of other architectures
  // than kArchitecture. For another architecture, the second Load was skipped. So the loaded word
  // is still the number of the architecture, which is also above kNewest.
  static_assert(AUDIT_ARCH_I386 > kNewest && AUDIT_ARCH_ARM > kNewest);
  program.If(BPF_JGT, kNewest, 1);
  program.Fail(ENOSYS);
  for (const Refused& refused : kRefused)
    if (refused.capability == kNever || !capabilities.Has(refused.capability))
      program.FailIfEqual(refused.number, EPERM);
  if (!capabilities.Has(CAP_SYS_ADMIN)) {
    program.FailIfEqual(SYS_clone3, ENOSYS);
    program.If(BPF_JEQ, SYS_clone, 3);
    program.Load(Argument(0));
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
  program.Load(Argument(1));
  program.FailIfEqual(TIOCSTI, EPERM);
  program.FailIfEqual(TIOCLINUX, EPERM);
  program.Return(SECCOMP_RET_ALLOW);
  return program.Take();
}

}  // namespace drover
