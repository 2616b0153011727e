// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <vector>

namespace drover {

// A condition on the lower half of an argument. BPF_JEQ: it is VALUE. BPF_JSET: it has a bit of
// VALUE.
struct CallsWith {
  unsigned argument = 0;
  unsigned short comparison = BPF_JEQ;
  std::uint32_t value = 0;
};

// From now on CALLS do nothing and fail with ERROR, in this thread and in everything that it
// starts. ERROR 0: they report success. Needs root. Returns 0 or an errno.
inline int FailCalls(const std::vector<long>& calls, int error,
                     std::optional<CallsWith> only = std::nullopt) {
  std::vector<sock_filter> filter;
  for (const long call : calls) {
    filter.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)));
    const unsigned char conditions = only ? 2 : 0;
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0,
                              static_cast<unsigned char>(conditions + 1)));
    if (only) {
      const std::size_t at = offsetof(seccomp_data, args) + only->argument * sizeof(std::uint64_t);
      filter.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(at)));
      filter.push_back(BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | only->comparison | BPF_K),
                                only->value, 0, 1));
    }
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0 ? 0 : errno;
}

// FailCalls for the mount calls that old kernels lack and filters of old container runtimes refuse,
// so that mount(2) is used. The environment asks for it: DROVER_TEST_NO_MOUNT_CALLS=ERRNO.
inline bool WithoutMountCalls() { return std::getenv("DROVER_TEST_NO_MOUNT_CALLS") != nullptr; }
inline int FailMountCallsIfAsked() {
  static const int result = WithoutMountCalls()
                                ? FailCalls({SYS_fsopen, SYS_fsconfig, SYS_fsmount, SYS_open_tree,
                                             SYS_move_mount, SYS_mount_setattr},
                                            std::atoi(std::getenv("DROVER_TEST_NO_MOUNT_CALLS")))
                                : 0;
  return result;
}

}  // namespace drover
