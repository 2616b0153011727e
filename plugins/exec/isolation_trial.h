// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace exec_driver {

// Tries the isolation of a task once, in a child process: namespaces, mounts, a changed root and
// another user. If PIVOT is true, the child process changes its root by pivot_root, else by chroot.
// Returns the first step that this machine refuses, and a remedy. An example is "cannot make
// namespaces (...): give ...". The text is empty if no step is refused. The fingerprint of the
// driver uses this function. Blocks for some milliseconds.
std::string WhyNotIsolated(bool pivot);

}  // namespace exec_driver
