// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "host/local_commands/local_commands.h"
#include "sdk/include/drover/drover.h"

namespace drover {
namespace {

struct VersionCommand {
  bool json = false;

  void Declare(CLI::App* command) { command->add_flag("--json", json, "Prints JSON"); }

  int Run() const {
    const char* format = json ? "{\"Version\":\"%s\",\"AbiMajor\":%d,\"AbiMinor\":%d}\n"
                              : "drover %s (driver ABI %d.%d)\n";
    std::printf(format, DROVER_VERSION, DROVER_ABI_MAJOR, DROVER_ABI_MINOR);
    return kExitOk;
  }
};

}  // namespace

void AddVersion(const CommandGroup& drover) {
  drover.Add<VersionCommand>("version", "Prints the version");
}

}  // namespace drover
