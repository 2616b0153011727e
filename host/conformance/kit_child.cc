// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/conformance/kit_child.h"

#include <cstring>

#include "host/conformance/conformance.h"
#include "host/conformance/scratch.h"
#include "host/container/plugin_child.h"

namespace drover {

std::optional<int> MaybeRunKitChild(int argc, char** argv) {
  if (argc >= 4 && std::strcmp(argv[1], kConformanceArgument) == 0) {
    return RunConformanceChild(3, 4);
  }
  if (argc == 3 && std::strcmp(argv[1], kScratchArgument) == 0) return RunScratchRemover(argv[2]);
  return MaybeRunPluginChild(argc, argv);
}

}  // namespace drover
