// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/exit_code.h"

#include <cstdio>

#include "host/base/printable.h"

namespace drover {

void PrintError(const std::string& command, const Error& error) {
  std::fprintf(stderr, "drover %s: %s\n", command.c_str(), PrintableLines(error.message()).c_str());
}

int Fail(const std::string& command, const Error& error, int code) {
  PrintError(command, error);
  return code;
}

}  // namespace drover
