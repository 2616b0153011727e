// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/result.h"
#include "host/base/unique_fd.h"

namespace drover {

// Opens the network namespace that PATH names. PATH must be a file of the kernel, such as
// /run/netns/NAME or /proc/PID/ns/net; any other file is refused without being opened. Blocks as
// long as the host's file systems do.
Result<UniqueFd> OpenNetworkNamespace(const std::string& path);

// Makes a network namespace with only a loopback interface, which is up. The namespace exists as
// long as the descriptor is open or a process is in it. Blocks, usually for a few milliseconds.
// Needs root.
Result<UniqueFd> MakeNetworkNamespace();

// Opens the network namespace that is mounted on FILE. If no namespace is mounted on FILE, makes a
// network namespace and mounts it on FILE. The mounted namespace exists, even without a process in
// it, until DropNetworkNamespace or the shutdown of the machine. The directory of FILE must exist,
// and only the agent may write in it. Blocks, usually for a few milliseconds. Needs root.
Result<UniqueFd> KeepNetworkNamespace(const std::string& file);

// Undoes KeepNetworkNamespace by removing FILE. The namespace itself ends when its last process
// ends. Succeeds if FILE does not exist.
Status DropNetworkNamespace(const std::string& file);

}  // namespace drover
