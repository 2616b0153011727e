// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string_view>

#include "host/view/line_cutter.h"

namespace drover {

// Prints the output of tasks without a change. If the target is a terminal, prints line by line and
// without control characters, which could control the terminal.
class TaskOutput {
 public:
  // TO must outlive this object.
  explicit TaskOutput(std::FILE* to);

  void Write(std::string_view bytes);
  // Prints the text after the last line break.
  void End();

 private:
  std::FILE* const to_;
  const bool is_terminal_;
  LineCutter cutter_;
};

}  // namespace drover
