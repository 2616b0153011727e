// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/plugin_config.h"

#include <filesystem>

namespace drover {

Result<Isolation> ParseIsolation(const std::string& text, Isolation otherwise) {
  if (text.empty()) return otherwise;
  for (const Isolation known : {Isolation::kInProcess, Isolation::kProcess}) {
    if (text == IsolationName(known)) return known;
  }
  return Error(Code::kInvalidArgument, "isolation \"" + text +
                                           "\" is not known: write \"process\" or "
                                           "\"in-process\", or leave it out");
}

std::string_view IsolationName(Isolation isolation) {
  switch (isolation) {
    case Isolation::kInProcess:
      return "in-process";
    case Isolation::kProcess:
      return "process";
  }
  return "in-process";
}

const std::string& ShippedPluginDirectory() {
  static const std::string directory = [] {
    std::error_code error;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
    return (program.parent_path().parent_path() / "lib/drover/plugins").string();
  }();
  return directory;
}

}  // namespace drover
