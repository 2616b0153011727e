// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace exec_driver {

// True if this process is in a chroot: its root is not the root of its mount namespace. A process
// that enters the namespace of a task would then begin at the root of the host, so the host refuses
// to start tasks. For the fingerprint. Blocks for a moment.
bool IsInChroot();

}  // namespace exec_driver
