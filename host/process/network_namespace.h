// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/result.h"
#include "host/base/unique_fd.h"

namespace drover {

// Opens the network namespace that PATH names: a file of the kernel's, such as /run/netns/NAME or
// /proc/PID/ns/net. Anything else is refused, and not opened. Blocks as long as the host's file
// systems do.
Result<UniqueFd> OpenNetworkNamespace(const std::string& path);

// Makes a network namespace that has nothing but its own loopback interface, which is up. It lives
// as long as a process is in it or the descriptor is open. Blocks, a few milliseconds as a rule.
// Needs root.
Result<UniqueFd> MakeNetworkNamespace();

// The network namespace that is mounted on FILE; if there is none, one is made and mounted there,
// so that it lives until it is dropped or the machine ends, whoever is in it. The directory of FILE
// must exist and be ours alone. Blocks as above. Needs root.
Result<UniqueFd> KeepNetworkNamespace(const std::string& file);

// Undoes that: FILE is gone, and the namespace with its last process. Success if there is none.
Status DropNetworkNamespace(const std::string& file);

}  // namespace drover
