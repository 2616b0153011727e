// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

namespace drover {

// A program that runs the kit calls this first in main(): when this process was started as a case
// of the kit, as the one that clears away behind a case, or as a plugin's child
// (MaybeRunPluginChild), does that work and returns the exit code. Nothing otherwise.
std::optional<int> MaybeRunKitChild(int argc, char** argv);

}  // namespace drover
