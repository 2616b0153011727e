// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>

#include "host/commands/cli.h"
#include "host/conformance/kit_child.h"

namespace {

// The caller of this program may have closed its standard descriptors. Files that are opened next
// would take their places, and be written to or replaced as if it were they. Writing still fails.
void TakeStandardDescriptors() {
  int fd;
  do fd = open("/dev/null", O_RDONLY);
  while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd > STDERR_FILENO) close(fd);
}

}  // namespace

int main(int argc, char** argv) {
  TakeStandardDescriptors();
  // A probe of a plugin and a case of the conformance kit are this program, started again.
  if (const std::optional<int> code = drover::MaybeRunKitChild(argc, argv)) return *code;
  const int code = drover::RunCli(argc, argv);
  // A driver may keep threads for ever: no static object is destroyed under them.
  std::fflush(nullptr);
  std::_Exit(code);
}
