// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "host/cli/cli.h"
#include "host/plugin/plugin_child.h"

int main(int argc, char** argv) {
  // A probe of a plugin and a case of the conformance kit are this program, started again.
  if (const std::optional<int> code = drover::MaybeRunPluginChild(argc, argv)) return *code;
  const int code = drover::RunCli(argc, argv);
  // A driver may keep threads for ever: no static object is destroyed under them.
  std::fflush(nullptr);
  std::_Exit(code);
}
