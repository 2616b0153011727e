// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "host/base/result.h"
#include "host/base/unique_fd.h"

namespace drover {

// Returns the pidfd of the process that listens at the other end of SOCKET. Before Linux 6.5 the
// pidfd is opened by the pid, which another process may have got in the meantime. So the caller
// must check the pidfd with StartedBefore once the shim has reported its times. Returns an empty
// descriptor if the process has ended. After the error kResourceExhausted, a later call may
// succeed.
Result<UniqueFd> PidfdOfPeer(int socket);

// Returns true if the process of PIDFD existed at BOOT_TIME (CLOCK_BOOTTIME in nanoseconds). The
// caller passes the time at which the shim began its task. If another process got the pid of the
// shim after that time, the function returns false. It also returns true if the process of PIDFD
// has ended since, because then a signal reaches no process.
bool StartedBefore(int pidfd, std::int64_t boot_time);

}  // namespace drover
