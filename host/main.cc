// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "host/artifact/fetch_child.h"
#include "host/commands/cli.h"
#include "host/conformance/kit_child.h"

namespace {

// Opens /dev/null for each closed standard descriptor, so that no file that is opened later gets
// the descriptor and receives output. Writing to the descriptor still fails.
void TakeStandardDescriptors() {
  int fd;
  do fd = open("/dev/null", O_RDONLY);
  while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd > STDERR_FILENO) close(fd);
}

// A parent may have ignored SIGCHLD. The kernel would then drop the exit status of each child.
void TakeExitStatuses() { signal(SIGCHLD, SIG_DFL); }

}  // namespace

int main(int argc, char** argv) {
  TakeStandardDescriptors();
  TakeExitStatuses();
  // To probe a plugin or to run a case of the conformance kit, this program starts itself.
  if (const std::optional<int> code = drover::MaybeRunKitChild(argc, argv)) return *code;
  // To fetch an artifact, too.
  if (const std::optional<int> code = drover::MaybeRunFetchChild(argc, argv)) return *code;
  const int code = drover::RunCli(argc, argv);
  // No static object is destroyed, because threads of a driver may still use it.
  std::fflush(nullptr);
  std::_Exit(code);
}
