// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "host/base/result.h"
#include "host/base/unique_fd.h"

namespace drover {

// The pidfd of the process that listens where SOCKET is connected. Before Linux 6.5 it is found by
// its pid, which may be another's by then: ask StartedBefore when the shim has told its times. None
// if it has ended; kResourceExhausted: there may be one later.
Result<UniqueFd> PidfdOfPeer(int socket);

// Was the process of PIDFD there at BOOT_TIME (CLOCK_BOOTTIME, nanoseconds)? A stranger that has
// got the pid of a shim which died after its task began was not. True as well when it has ended
// since: then nothing can be done to it.
bool StartedBefore(int pidfd, std::int64_t boot_time);

}  // namespace drover
