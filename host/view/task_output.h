// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string_view>

#include "host/view/line_cutter.h"

namespace drover {

// Prints the output of tasks as it is. A terminal gets it line by line and without control
// characters, since these could steer it.
class TaskOutput {
 public:
  // TO outlives this.
  explicit TaskOutput(std::FILE* to);

  void Write(std::string_view bytes);
  // Prints the rest without a line break.
  void End();

 private:
  std::FILE* const to_;
  const bool is_terminal_;
  LineCutter cutter_;
};

}  // namespace drover
