// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <vector>

namespace drover {

enum class WhichCalls { kAll, kWithFifthArgument };

// From now on, in this thread and in all that it starts, CALLS do nothing and fail with ERROR; 0:
// they say that they have succeeded. Needs root. 0 or an errno.
inline int FailCalls(const std::vector<long>& calls, int error,
                     WhichCalls which = WhichCalls::kAll) {
  std::vector<sock_filter> filter;
  for (const long call : calls) {
    filter.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)));
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 3));
    filter.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[4])));
    const unsigned char skipped = which == WhichCalls::kAll ? 0 : 1;
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, skipped, 0));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0 ? 0 : errno;
}

// As FailCalls, of those that old kernels lack, and that filters of old container runtimes refuse;
// then mount(2) must do. By the environment: DROVER_TEST_NO_MOUNT_CALLS=ERRNO.
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
