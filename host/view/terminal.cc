// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/view/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <utility>

#include "host/base/printable.h"
#include "host/view/text_width.h"

namespace drover {
namespace {

const char* ColourCode(Terminal::Colour colour) {
  switch (colour) {
    case Terminal::Colour::kRed:
      return "31";
    case Terminal::Colour::kGreen:
      return "32";
    case Terminal::Colour::kYellow:
      return "33";
    case Terminal::Colour::kBlue:
      return "34";
    case Terminal::Colour::kCyan:
      return "36";
    case Terminal::Colour::kGrey:
      return "90";
  }
  return "0";
}

void Write(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

}  // namespace

Terminal::Terminal() {
  const char* term = std::getenv("TERM");
  is_terminal_ = isatty(STDOUT_FILENO) == 1 && term != nullptr && std::strcmp(term, "dumb") != 0;
  colours_ = is_terminal_ && std::getenv("NO_COLOR") == nullptr;
  Measure();
}

void Terminal::Measure() {
  winsize size{};
  if (!is_terminal_ || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return;
  // A terminal of which nobody has said the size has 0 columns and rows.
  if (size.ws_col > 0) width_ = size.ws_col;
  if (size.ws_row > 0) height_ = size.ws_row;
}

std::string Terminal::Paint(Colour colour, std::string_view text) const {
  if (!colours_) return std::string(text);
  return std::string("\x1b[") + ColourCode(colour) + "m" + std::string(text) + "\x1b[0m";
}

std::string Terminal::Erased() const {
  if (status_.empty()) return "";
  // A terminal that has become narrower shows a line in several rows.
  const std::size_t width = static_cast<std::size_t>(width_);
  std::size_t rows = 0;
  for (const std::string& line : status_) {
    rows += std::max<std::size_t>((Columns(line) + width - 1) / width, 1);
  }
  if (rows == 1) return "\r\x1b[K";
  return "\r\x1b[" + std::to_string(rows - 1) + "A\x1b[J";
}

std::string Terminal::Drawn() const {
  std::string out;
  // A line may be empty.
  for (std::size_t i = 0; i < status_.size(); ++i) out += (i == 0 ? "" : "\n") + status_[i];
  return out;
}

std::vector<std::string> Terminal::Fitted() const {
  std::vector<std::string> lines = wanted_;
  const auto room = static_cast<std::size_t>(std::max(height_ - 1, 1));
  if (lines.size() > room) {
    const std::size_t left_out = lines.size() - room + 1;
    lines.resize(room);
    lines.back() = "  ... and " + std::to_string(left_out) + " more";
  }
  for (std::string& line : lines) {
    // Nobody knows how wide a tab is.
    std::replace(line.begin(), line.end(), '\t', ' ');
    line = FirstColumns(line, static_cast<std::size_t>(width_ - 1));
  }
  return lines;
}

void Terminal::Line(std::string_view line) {
  if (!status_.empty()) Measure();
  std::string out = Erased();
  status_ = Fitted();
  out += line;
  out += '\n';
  out += Drawn();
  Write(out);
}

void Terminal::Status(std::string_view line) {
  if (line.empty()) return Block({});
  Block({std::string(line)});
}

void Terminal::Block(std::vector<std::string> lines) {
  if (!is_terminal_) return;
  wanted_ = std::move(lines);
  Measure();
  const std::string erased = Erased();
  std::vector<std::string> fitted = Fitted();
  if (fitted == status_) return;
  status_ = std::move(fitted);
  Write(erased + Drawn());
}

Result<bool> Confirmed(const std::string& question) {
  if (isatty(STDIN_FILENO) != 1) {
    return Error(Code::kFailedPrecondition,
                 question + " Nobody can be asked: write it in full, or use --yes");
  }
  std::cout << Printable(question) << " [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "yes" || answer == "Y";
}

}  // namespace drover
