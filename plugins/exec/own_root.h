// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace exec_driver {

// Whether this process is in a chroot: its root is not that of its mount namespace. Who enters the
// namespace of a task would begin at the root of the host then, so the host starts no task so.
// For the fingerprint. Blocks for a moment.
bool IsInChroot();

}  // namespace exec_driver
