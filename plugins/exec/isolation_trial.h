// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace exec_driver {

// Tries the isolation of a task once, in a process of its own: namespaces, mounts, a changed root
// (PIVOT: by pivot_root, else by chroot), another user. Returns the first step that this machine
// refuses and a remedy, "cannot make namespaces (...): give ..."; empty: no step is refused. Used
// for the fingerprint. Blocks for some milliseconds.
std::string WhyNotIsolated(bool pivot);

}  // namespace exec_driver
