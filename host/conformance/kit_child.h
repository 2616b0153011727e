// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

namespace drover {

// A program that runs the kit must call this function first in main(). In a child process of the
// kit, does the work of the child process and returns its exit code. The child process runs a case,
// removes the files of the cases, or serves a plugin (MaybeRunPluginChild). In any other process,
// returns nothing.
std::optional<int> MaybeRunKitChild(int argc, char** argv);

}  // namespace drover
