// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/task_output.h"

#include <unistd.h>

#include <string>

#include "host/base/printable.h"

namespace drover {

TaskOutput::TaskOutput(std::FILE* to) : to_(to), is_terminal_(isatty(fileno(to)) == 1) {}

void TaskOutput::Write(std::string_view bytes) {
  if (!is_terminal_) {
    std::fwrite(bytes.data(), 1, bytes.size(), to_);
  } else {
    for (const std::string& line : cutter_.Add(std::string(bytes))) {
      std::fputs((Printable(line) + "\n").c_str(), to_);
    }
  }
  std::fflush(to_);
}

void TaskOutput::End() { std::fputs(Printable(cutter_.TakeRest()).c_str(), to_); }

}  // namespace drover
