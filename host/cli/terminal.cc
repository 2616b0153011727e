// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "host/base/unseen_text.h"

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

// The length of the character at the start of TEXT, which is not empty; 0 when it steers terminals,
// changes how the text around it is read, or is no UTF-8.
std::size_t ShownLength(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return first == '\t' || (first >= 0x20 && first != 0x7f) ? 1 : 0;
  const std::size_t length = first < 0xc2 || first > 0xf4 ? 0
                             : first < 0xe0               ? 2
                             : first < 0xf0               ? 3
                                                          : 4;
  if (text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 0;
  }
  return UnseenLength(text) > 0 ? 0 : length;
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

std::string Printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = ShownLength(text);
    if (length > 0) {
      out += text.substr(0, length);
      text.remove_prefix(length);
      continue;
    }
    char escaped[5];
    std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned char>(text[0]));
    out += escaped;
    text.remove_prefix(1);
  }
  return out;
}

std::string PrintableLines(std::string_view text) {
  std::string out;
  for (std::size_t end; (end = text.find('\n')) != std::string_view::npos;) {
    out += Printable(text.substr(0, end)) + '\n';
    text.remove_prefix(end + 1);
  }
  return out + Printable(text);
}

}  // namespace drover
