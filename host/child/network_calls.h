// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/filter.h>

#include <vector>

namespace drover {

// Returns the filter of system calls for a process that fetches something from the network. It may
// do all that a usual program does, but cannot: take or change namespaces, mounts, modules, clocks,
// keys and devices of the machine; look into or signal another process; leave its process group;
// wait for connections; open sockets other than those of IPv4 and IPv6. Without STARTS_PROGRAMS it
// can also start no process and execute no program. Refused calls fail with EPERM. The system calls
// of another architecture end the process.
std::vector<sock_filter> CallsOfNetworkChildren(bool starts_programs);

}  // namespace drover
