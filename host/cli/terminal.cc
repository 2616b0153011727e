// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "host/base/printable.h"

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
  winsize size{};
  if (is_terminal_ && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 10) {
    width_ = size.ws_col;
  }
}

std::string Terminal::Paint(Colour colour, std::string_view text) const {
  if (!colours_) return std::string(text);
  return std::string("\x1b[") + ColourCode(colour) + "m" + std::string(text) + "\x1b[0m";
}

void Terminal::Line(std::string_view line) {
  std::string out;
  if (!status_.empty()) out += "\r\x1b[K";
  out += line;
  out += '\n';
  out += status_;
  Write(out);
}

void Terminal::Status(std::string_view line) {
  if (!is_terminal_ || line == status_) return;
  status_ = line.substr(0, static_cast<std::size_t>(width_ - 1));
  Write("\r\x1b[K" + status_);
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
