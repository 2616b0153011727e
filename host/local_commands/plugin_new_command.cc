// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string>
#include <vector>

#include "host/base/printable.h"
#include "host/cli/shell_word.h"
#include "host/local_commands/local_commands.h"
#include "host/local_commands/plugin_project.h"

namespace drover {
namespace {

struct PluginNewCommand {
  std::string name;
  std::string language;
  std::string directory;

  void Declare(CLI::App* command) {
    command->add_option("NAME", name, "The driver's name, as jobs write it")->required();
    command->add_option("--lang", language, "The language: c, cpp or rust")
        ->required()
        ->check(CLI::IsMember({"c", "cpp", "rust"}));
    command->add_option("--dir", directory, "The new directory (default: NAME)");
    command->footer(
        "The project builds at once with the SDK (package drover-sdk-dev) and a compiler. It has a "
        "test, a file for CI, and a job that runs it.");
  }

  int Run() const {
    const Result<std::vector<ProjectFile>> files = MakePluginProject(name, language);
    if (!files.ok()) return Fail("plugin new", files.error(), kExitUsage);
    const std::string target = directory.empty() ? name : directory;
    const Status written = WritePluginProject(target, *files);
    if (!written.ok()) return Fail("plugin new", written.error(), kExitFailed);
    // cd would take a name that begins with "-" for an option, or for the directory before.
    const std::string entered = (target.front() == '-' ? "./" : "") + target;
    std::printf("Wrote %s. To build it: cd %s && %s\n", Printable(target).c_str(),
                Printable(ShortShellWord(entered)).c_str(),
                language == "rust" ? "make" : "cmake -S . -B build && cmake --build build");
    return kExitOk;
  }
};

}  // namespace

void AddPluginNew(const CommandGroup& plugin) {
  plugin.Add<PluginNewCommand>(
      "new", "Writes the project of a new driver, with a test and a job that runs it");
}

}  // namespace drover
