// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/seccomp_filter.h"

#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cerrno>
#include <csignal>
#include <cstring>

namespace drover {
namespace {

// Returns what the kernel's interpreter would. Knows only the instructions that our filters use.
std::uint32_t Evaluate(const std::vector<sock_filter>& program, const seccomp_data& data) {
  std::uint32_t loaded = 0;
  for (std::size_t at = 0; at < program.size(); ++at) {
    const sock_filter& step = program[at];
    const auto jump = [&](bool taken) { at += taken ? step.jt : step.jf; };
    switch (step.code) {
      case BPF_LD | BPF_W | BPF_ABS:
        std::memcpy(&loaded, reinterpret_cast<const char*>(&data) + step.k, sizeof loaded);
        break;
      case BPF_JMP | BPF_JEQ | BPF_K:
        jump(loaded == step.k);
        break;
      case BPF_JMP | BPF_JGT | BPF_K:
        jump(loaded > step.k);
        break;
      case BPF_JMP | BPF_JGE | BPF_K:
        jump(loaded >= step.k);
        break;
      case BPF_JMP | BPF_JSET | BPF_K:
        jump((loaded & step.k) != 0);
        break;
      case BPF_RET | BPF_K:
        return step.k;
      default:
        ADD_FAILURE() << "instruction " << step.code;
        return 0;
    }
  }
  ADD_FAILURE() << "the program has no end";
  return 0;
}

std::uint32_t Ask(CapabilitySet capabilities, long number, std::uint64_t first = 0,
                  std::uint64_t second = 0, std::uint64_t third = 0) {
  seccomp_data data{};
#if defined(__x86_64__)
  data.arch = AUDIT_ARCH_X86_64;
#else
  data.arch = AUDIT_ARCH_AARCH64;
#endif
  data.nr = static_cast<int>(number);
  data.args[0] = first;
  data.args[1] = second;
  data.args[2] = third;
  return Evaluate(DefaultSeccompFilter(capabilities), data);
}

constexpr std::uint32_t kAllow = SECCOMP_RET_ALLOW;
constexpr std::uint32_t kPermission = SECCOMP_RET_ERRNO | EPERM;
constexpr std::uint32_t kUnknown = SECCOMP_RET_ERRNO | ENOSYS;

TEST(SeccompFilterTest, OrdinaryCallsPass) {
  for (const long number : {SYS_read, SYS_write, SYS_execve, SYS_exit_group, SYS_openat, SYS_mmap,
                            SYS_ptrace, SYS_futex, SYS_prctl, SYS_seccomp})
    EXPECT_EQ(Ask(CapabilitySet(), number), kAllow) << number;
}

TEST(SeccompFilterTest, WhatChangesTheMachineIsRefused) {
  for (const long number :
       {SYS_mount, SYS_setns, SYS_unshare, SYS_init_module, SYS_bpf, SYS_keyctl, SYS_io_uring_setup,
        SYS_open_by_handle_at, SYS_reboot, SYS_move_mount, SYS_memfd_secret})
    EXPECT_EQ(Ask(CapabilitySet(), number), kPermission) << number;
}

TEST(SeccompFilterTest, ACapabilityAllowsWhatItIsFor) {
  const CapabilitySet admin(std::uint64_t{1} << CAP_SYS_ADMIN);
  EXPECT_EQ(Ask(admin, SYS_mount), kAllow);
  EXPECT_EQ(Ask(admin, SYS_clone3), kAllow);
  EXPECT_EQ(Ask(admin, SYS_clone, CLONE_NEWUSER), kAllow);
  EXPECT_EQ(Ask(admin, SYS_init_module), kPermission);
  EXPECT_EQ(Ask(admin, SYS_keyctl), kPermission);
}

TEST(SeccompFilterTest, NamespacesCannotBeMadeByClone) {
  EXPECT_EQ(Ask(CapabilitySet(), SYS_clone, SIGCHLD | CLONE_VM), kAllow);
  EXPECT_EQ(Ask(CapabilitySet(), SYS_clone, SIGCHLD | CLONE_NEWUSER), kPermission);
  EXPECT_EQ(Ask(CapabilitySet(), SYS_clone, CLONE_NEWNS), kPermission);
  EXPECT_EQ(Ask(CapabilitySet(), SYS_clone3), kUnknown);
  // A clone whose flags look like the number of ioctl is judged as a clone.
  EXPECT_EQ(Ask(CapabilitySet(), SYS_clone, SYS_ioctl, TIOCSTI), kAllow);
}

TEST(SeccompFilterTest, SocketsAreOfTheFamiliesThatTasksNeed) {
  constexpr std::uint32_t kNoFamily = SECCOMP_RET_ERRNO | EAFNOSUPPORT;
  constexpr std::uint32_t kNoProtocol = SECCOMP_RET_ERRNO | EPROTONOSUPPORT;
  const auto capability = [](int number) { return CapabilitySet(std::uint64_t{1} << number); };
  for (const long call : {SYS_socket, SYS_socketpair}) {
    for (const int family : {AF_UNIX, AF_INET, AF_INET6})
      EXPECT_EQ(Ask(CapabilitySet(), call, family, SOCK_STREAM), kAllow) << family;
    for (int family = 0; family < AF_MAX; ++family) {
      if (family == AF_UNIX || family == AF_INET || family == AF_INET6 || family == AF_NETLINK)
        continue;
      EXPECT_EQ(Ask(CapabilitySet(), call, family, SOCK_STREAM), kNoFamily) << family;
    }
    for (const int protocol : {NETLINK_ROUTE, NETLINK_SOCK_DIAG})
      EXPECT_EQ(Ask(CapabilitySet(), call, AF_NETLINK, SOCK_RAW, protocol), kAllow);
    for (const int protocol : {NETLINK_AUDIT, NETLINK_KOBJECT_UEVENT, NETLINK_NETFILTER})
      EXPECT_EQ(Ask(CapabilitySet(), call, AF_NETLINK, SOCK_RAW, protocol), kNoProtocol);
    EXPECT_EQ(Ask(capability(CAP_NET_ADMIN), call, AF_NETLINK, SOCK_RAW, NETLINK_NETFILTER),
              kAllow);
    EXPECT_EQ(Ask(capability(CAP_NET_RAW), call, AF_PACKET), kAllow);
    EXPECT_EQ(Ask(capability(CAP_NET_RAW), call, AF_VSOCK), kNoFamily);
    EXPECT_EQ(Ask(capability(CAP_SYS_ADMIN), call, AF_VSOCK), kAllow);
    // The kernel looks at the lower half only.
    EXPECT_EQ(Ask(CapabilitySet(), call, 0xdeadbeef00000000u | AF_VSOCK), kNoFamily);
    EXPECT_EQ(Ask(CapabilitySet(), call, 0xdeadbeef00000000u | AF_INET), kAllow);
  }
}

TEST(SeccompFilterTest, NothingIsTypedIntoATerminal) {
  EXPECT_EQ(Ask(CapabilitySet(), SYS_ioctl, 0, TIOCGWINSZ), kAllow);
  EXPECT_EQ(Ask(CapabilitySet(), SYS_ioctl, 0, TIOCSTI), kPermission);
  EXPECT_EQ(Ask(CapabilitySet(), SYS_ioctl, 0, TIOCLINUX), kPermission);
  // The kernel looks at the lower half only.
  EXPECT_EQ(Ask(CapabilitySet(), SYS_ioctl, 0, 0xdeadbeef00000000u | TIOCSTI), kPermission);
}

TEST(SeccompFilterTest, WhatIsNewerOrOfAnotherModeIsUnknown) {
  EXPECT_EQ(Ask(CapabilitySet(), 451), kUnknown);
  EXPECT_EQ(Ask(CapabilitySet(), 0x3fffffff), kUnknown);
  EXPECT_EQ(Ask(CapabilitySet(), 0x40000000 | SYS_read), kUnknown);
  seccomp_data data{};
  data.arch = AUDIT_ARCH_I386;
  data.nr = 3;
  EXPECT_EQ(Evaluate(DefaultSeccompFilter(CapabilitySet()), data), kUnknown);
}

TEST(CapabilitySetTest, ParsesNames) {
  const Result<CapabilitySet> set = CapabilitySet::Parse({"net_raw", "CAP_SYS_ADMIN", "Chown"});
  ASSERT_TRUE(set.ok());
  EXPECT_EQ(set->bits(), 1u << CAP_NET_RAW | 1u << CAP_SYS_ADMIN | 1u << CAP_CHOWN);
  EXPECT_EQ(set->ToString(), "chown,net_raw,sys_admin");
  EXPECT_EQ(CapabilitySet::Parse({"all"})->bits(), (std::uint64_t{1} << (CAP_LAST_CAP + 1)) - 1);
  EXPECT_EQ(CapabilitySet::Parse({"all"})->Has(CAP_CHECKPOINT_RESTORE), true);
  EXPECT_EQ(CapabilitySet().ToString(), "none");
  const Result<CapabilitySet> wrong = CapabilitySet::Parse({"net_raw", "fly"});
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().message(), "\"fly\" is no capability; write it as net_bind_service");
}

}  // namespace
}  // namespace drover
