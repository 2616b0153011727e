// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace exec_driver {

// Makes what isolates a task once, in a process that ends with it: namespaces, mounts, a changed
// root (PIVOT: by pivot_root, else by chroot), another user. Returns the first that this machine
// refuses and what to do about it, "cannot make namespaces (...): give ..."; empty: nothing is
// refused. For the fingerprint. Blocks for some milliseconds.
std::string WhyNotIsolated(bool pivot);

}  // namespace exec_driver
