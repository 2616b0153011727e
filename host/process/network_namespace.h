// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/result.h"
#include "host/base/unique_fd.h"

namespace drover {

// Opens the network namespace that PATH names: a file of the kernel, such as /run/netns/NAME or
// /proc/PID/ns/net. Anything else is refused without being opened. Blocks as long as the host's
// file systems do.
Result<UniqueFd> OpenNetworkNamespace(const std::string& path);

// Makes a network namespace with only a loopback interface, which is up. It lives as long as a
// process is in it or the descriptor is open. Blocks, usually for a few milliseconds. Needs root.
Result<UniqueFd> MakeNetworkNamespace();

// Opens the network namespace that is mounted on FILE. If there is none, makes one and mounts it
// there: it lives until it is dropped or the machine ends, even without a process in it. The
// directory of FILE must exist and be ours alone. Blocks as above. Needs root.
Result<UniqueFd> KeepNetworkNamespace(const std::string& file);

// Undoes KeepNetworkNamespace: removes FILE; the namespace goes with its last process. Succeeds if
// there is no FILE.
Status DropNetworkNamespace(const std::string& file);

}  // namespace drover
