// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/long_options.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

namespace drover {
namespace {

// Returns true if OPTION, an option of `alloc exec`, takes no value or contains its value after
// "=". In both cases, the next argument is not the value of OPTION.
bool StandsAlone(const std::string& option) {
  static constexpr const char* kFlags[] = {
      "-i", "-t", "--no-interactive", "--no-tty", "--tls-skip-verify", "--job", "-h", "--help"};
  return std::find(std::begin(kFlags), std::end(kFlags), option) != std::end(kFlags) ||
         option.find('=') != std::string::npos;
}

bool IsLongWithOneDash(const std::string& argument) {
  return argument.size() > 2 && argument[0] == '-' &&
         std::isalpha(static_cast<unsigned char>(argument[1])) != 0;
}

}  // namespace

std::vector<std::string> WithTwoDashes(std::vector<std::string> arguments) {
  std::vector<std::string> out;
  bool options = true;
  bool exec = false;    // true after `alloc exec`; the next positional argument is the id
  bool valued = false;  // true if the next argument is the value of an option
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string argument = std::move(arguments[i]);
    if (argument == "--") options = false;
    const bool is_id = exec && options && !valued && argument[0] != '-';
    if (options && IsLongWithOneDash(argument)) argument.insert(0, 1, '-');
    valued = options && argument[0] == '-' && !StandsAlone(argument);
    exec = exec || (argument == "exec" && !out.empty() && out.back() == "alloc");
    out.push_back(std::move(argument));
    if (!is_id) continue;
    if (i + 1 < arguments.size() && arguments[i + 1] != "--") out.emplace_back("--");
    options = false;
  }
  return out;
}

}  // namespace drover
