// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// drover-plugin has the commands of "drover plugin" that authors of plugins need. It is a part of
// the SDK, so that nobody needs an agent, or Drover itself, to make and test a plugin.
#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/cli/command.h"
#include "host/cli/exit_code.h"
#include "host/cli/long_options.h"
#include "host/conformance/kit_child.h"
#include "host/local_commands/local_commands.h"

namespace drover {
namespace {

int Main(int argc, char** argv) {
  CLI::App app("Makes driver plugins of Drover, looks at them and tests them, without an agent.",
               "drover-plugin");
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  app.set_version_flag("-v,--version", std::string("drover-plugin ") + DROVER_VERSION);
  int code = kExitOk;
  const CommandGroup plugin(&app, &code);
  AddPluginNew(plugin);
  AddPluginInspect(plugin);
  AddPluginTest(plugin);
  AddPluginFuzz(plugin);
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  arguments = WithTwoDashes(std::move(arguments));
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes the arguments in reverse order
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? kExitOk : kExitUsage;
  }
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  std::fputs("drover-plugin: not everything could be written to standard output\n", stderr);
  return code == kExitOk ? kExitFailed : code;
}

}  // namespace
}  // namespace drover

int main(int argc, char** argv) {
  // Closed standard descriptors become /dev/null, so that no file gets their numbers, and output.
  int fd;
  do fd = open("/dev/null", O_RDONLY);
  while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd > STDERR_FILENO) close(fd);
  // A parent may have ignored SIGCHLD. The kernel would then drop the exit status of each child.
  signal(SIGCHLD, SIG_DFL);
  // To probe a plugin or to run a case, this program starts itself.
  if (const std::optional<int> code = drover::MaybeRunKitChild(argc, argv)) return *code;
  const int code = drover::Main(argc, argv);
  // No static object is destroyed, because threads of a driver may still use it.
  std::fflush(nullptr);
  std::_Exit(code);
}
