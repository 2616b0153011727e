// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "host/cli/cli.h"
#include "host/cli/commands.h"
#include "sdk/include/drover/drover.h"

namespace drover {

int VersionCommand(bool json) {
  const char* format = json ? "{\"Version\":\"%s\",\"AbiMajor\":%d,\"AbiMinor\":%d}\n"
                            : "drover %s (driver ABI %d.%d)\n";
  std::printf(format, DROVER_VERSION, DROVER_ABI_MAJOR, DROVER_ABI_MINOR);
  return kExitOk;
}

}  // namespace drover
