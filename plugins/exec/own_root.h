// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace exec_driver {

// True if this process is in a chroot, that is, if its root is not the root of its mount namespace.
// If the agent is in a chroot, a process that enters the namespace of a task begins at the root of
// the host. So the host refuses to start tasks. The fingerprint of the driver uses this function.
// Blocks for a moment.
bool IsInChroot();

}  // namespace exec_driver
