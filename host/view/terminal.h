// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.h"

namespace drover {

// Standard output for people. Only a terminal gets colours and a status line that is redrawn.
class Terminal {
 public:
  enum class Colour { kRed, kGreen, kYellow, kBlue, kCyan, kGrey };

  // Reads the environment variables NO_COLOR and TERM.
  Terminal();

  bool is_terminal() const { return is_terminal_; }
  // Returns the number of characters that fit in one line of the terminal. Returns 0 if the output
  // is not a terminal, since its lines have no limit.
  std::size_t width() const { return is_terminal_ ? static_cast<std::size_t>(width_) : 0; }
  std::string Paint(Colour colour, std::string_view text) const;

  // Writes one line (without its line break) above the status line.
  void Line(std::string_view line);
  // Replaces the status line at the bottom. An empty LINE removes it. Does nothing if the output is
  // not a terminal.
  void Status(std::string_view line);
  // The same for several lines. Those that do not fit the height of the terminal are left out, and
  // a line says how many.
  void Block(std::vector<std::string> lines);

 private:
  // Reads the size of the terminal, which may have changed.
  void Measure();
  // Returns what removes the lines at the bottom from the terminal, and what writes them.
  std::string Erased() const;
  std::string Drawn() const;
  // Returns the wanted lines as they fit the terminal.
  std::vector<std::string> Fitted() const;

  bool is_terminal_ = false;
  bool colours_ = false;
  int width_ = 80;
  int height_ = 24;
  std::vector<std::string> wanted_;  // what Block was called with
  std::vector<std::string> status_;  // the lines at the bottom; the cursor is behind the last one
};

// Asks the user QUESTION on the terminal. Returns true if the answer is yes. If standard input is
// not a terminal, returns an error that suggests the option --yes.
Result<bool> Confirmed(const std::string& question);

}  // namespace drover
