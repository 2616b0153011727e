// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string_view>

#include "host/cli/log_printer.h"

namespace drover {

// Prints what tasks have written: as it is, but to a terminal, which it could steer, line by line
// and without control characters.
class TaskOutput {
 public:
  // TO outlives this.
  explicit TaskOutput(std::FILE* to);

  void Write(std::string_view bytes);
  // What is left without a line break.
  void End();

 private:
  std::FILE* const to_;
  const bool is_terminal_;
  LineCutter cutter_;
};

}  // namespace drover
