// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

namespace drover {

// The first thing that main() calls: when this process was started as a probe's child or as the
// process of a driver, does that work and returns the exit code. Nothing otherwise.
std::optional<int> MaybeRunPluginChild(int argc, char** argv);

}  // namespace drover
