// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/command.h"

#include <utility>

namespace drover {
namespace {

std::string WholeName(const CLI::App& app) {
  const CLI::App* const parent = app.get_parent();
  const bool top = parent == nullptr || parent->get_parent() == nullptr;
  return top ? app.get_name() : WholeName(*parent) + " " + app.get_name();
}

}  // namespace

CommandGroup::CommandGroup(const CommandGroup& parent, const char* name, const char* what)
    : app_(parent.app_->add_subcommand(name, what)), code_(parent.code_) {
  app_->require_subcommand(1);
}

CLI::App* CommandGroup::AddApp(const char* name, const char* what,
                               std::function<int(const std::string& whole_name)> run) const {
  CLI::App* const app = app_->add_subcommand(name, what);
  app->callback([=, run = std::move(run), code = code_] { *code = run(WholeName(*app)); });
  return app;
}

}  // namespace drover
