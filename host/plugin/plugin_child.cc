// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/plugin_child.h"

#include <cstdlib>
#include <cstring>

#include "host/plugin/container_child.h"
#include "host/plugin/kit/conformance.h"
#include "host/plugin/kit/scratch.h"
#include "host/plugin/probe.h"

namespace drover {

std::optional<int> MaybeRunPluginChild(int argc, char** argv) {
  if (argc >= 4 && std::strcmp(argv[1], kProbeArgument) == 0) {
    ProbeLimits limits;
    limits.memory_mb = std::atoi(argv[2]);
    limits.file_mb = std::atoi(argv[3]);
    return RunProbeChild(3, 4, limits);
  }
  if (argc == 3 && std::strcmp(argv[1], kContainerArgument) == 0) return RunContainerChild();
  if (argc >= 4 && std::strcmp(argv[1], kConformanceArgument) == 0) {
    return RunConformanceChild(3, 4);
  }
  if (argc == 3 && std::strcmp(argv[1], kScratchArgument) == 0) return RunScratchRemover(argv[2]);
  return std::nullopt;
}

}  // namespace drover
