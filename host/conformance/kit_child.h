// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

namespace drover {

// Does the work of a child process of the kit and returns its exit code. A program that runs the
// kit must call this first in main(). The work is a case of the kit, the removal of the files of
// the cases, or a plugin's child (MaybeRunPluginChild). In a process that is no such child,
// returns nothing.
std::optional<int> MaybeRunKitChild(int argc, char** argv);

}  // namespace drover
