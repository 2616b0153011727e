// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>

#include "host/cli/exit_code.h"

namespace drover {

// A place to which commands are added: the program, or a group in it such as "drover plugin".
class CommandGroup {
 public:
  // The group of the whole program. A command runs while APP parses the command line, and stores
  // its exit code in CODE. Both pointers must outlive the group.
  CommandGroup(CLI::App* app, int* code) : app_(app), code_(code) {}
  // Adds the group NAME to PARENT. WHAT is the first line of its help.
  CommandGroup(const CommandGroup& parent, const char* name, const char* what);

  // Adds the command NAME. COMMAND is a struct whose members are the options. It has these
  // functions:
  //   void Declare(CLI::App*) adds the options to the command line.
  //   int Run() const prints the output and the errors, and returns the exit code.
  template <typename Command>
  void Add(const char* name, const char* what) const {
    const auto command = std::make_shared<Command>();
    command->Declare(AddApp(name, what, [command](const std::string&) { return command->Run(); }));
  }
  // Adds the command NAME. RUN gets the whole name, such as "job tag apply", and returns the exit
  // code.
  CLI::App* AddApp(const char* name, const char* what,
                   std::function<int(const std::string& whole_name)> run) const;

  CLI::App* app() const { return app_; }

 private:
  CLI::App* const app_;
  int* const code_;
};

}  // namespace drover
