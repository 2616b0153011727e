// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/container/plugin_child.h"

#include <cstdlib>
#include <cstring>

#include "host/child/helper.h"
#include "host/container/container_child.h"
#include "host/library/probe.h"

namespace drover {

std::optional<int> MaybeRunPluginChild(int argc, char** argv) {
  if (argc >= 4 && std::strcmp(argv[1], kProbeArgument) == 0) {
    ProbeLimits limits;
    limits.memory_mb = std::atoi(argv[2]);
    limits.file_mb = std::atoi(argv[3]);
    return RunProbeChild(3, 4, limits);
  }
  if (argc == 3 && std::strcmp(argv[1], kHelperArgument) == 0) return RunHelperKeeper(argv[2]);
  if (argc == 3 && std::strcmp(argv[1], kContainerArgument) == 0) return RunContainerChild();
  return std::nullopt;
}

}  // namespace drover
