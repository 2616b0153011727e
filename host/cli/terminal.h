// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "host/base/result.h"

namespace drover {

// How a command writes for people: colour and redrawing only on a terminal.
class Terminal {
 public:
  enum class Colour { kRed, kGreen, kYellow, kBlue, kCyan, kGrey };

  // Looks at standard output, NO_COLOR and TERM.
  Terminal();

  bool is_terminal() const { return is_terminal_; }
  // Characters in a line; 0 without a terminal, where lines have no end.
  std::size_t width() const { return is_terminal_ ? static_cast<std::size_t>(width_) : 0; }
  std::string Paint(Colour colour, std::string_view text) const;

  // Writes one line (without its line break) above the status line.
  void Line(std::string_view line);
  // Replaces the status line at the bottom; nothing without a terminal. Empty removes it.
  void Status(std::string_view line);

 private:
  bool is_terminal_ = false;
  bool colours_ = false;
  int width_ = 80;
  std::string status_;
};

// Asks QUESTION on the terminal; whether the answer was yes. Without a terminal it returns an error
// that names --yes.
Result<bool> Confirmed(const std::string& question);

}  // namespace drover
