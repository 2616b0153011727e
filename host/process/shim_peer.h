// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "host/base/result.h"
#include "host/base/unique_fd.h"

namespace drover {

// Returns the pidfd of the process that listens at the other end of SOCKET. Before Linux 6.5 the
// process is opened by its pid, which may belong to another process by then: check it with
// StartedBefore once the shim has reported its times. Empty if the process has ended.
// kResourceExhausted: it may succeed later.
Result<UniqueFd> PidfdOfPeer(int socket);

// True if the process of PIDFD existed at BOOT_TIME (CLOCK_BOOTTIME, nanoseconds). A stranger did
// not, if it got the pid of a shim that died after its task began. Also true if the process has
// ended since: no signal can reach it then.
bool StartedBefore(int pidfd, std::int64_t boot_time);

}  // namespace drover
