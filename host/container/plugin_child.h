// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

namespace drover {

// Must be the first call in main(). A process may be started as the child of a probe or as the
// process of a driver. In such a process, this function does the whole work of the process and
// returns the exit code. In other processes, it returns nothing.
std::optional<int> MaybeRunPluginChild(int argc, char** argv);

}  // namespace drover
