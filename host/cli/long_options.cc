// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/long_options.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <utility>

#include "host/base/text.h"

namespace drover {
namespace {

// Returns true if OPTION, an option of `alloc exec`, takes no value. Then the next argument is not
// its value.
bool StandsAlone(const std::string& option) {
  static constexpr const char* kFlags[] = {
      "-i", "-t", "--no-interactive", "--no-tty", "--tls-skip-verify", "--job", "-h", "--help"};
  return std::find(std::begin(kFlags), std::end(kFlags), option) != std::end(kFlags);
}

// Changes OPTION to the number of dashes that the parser expects: one before a letter, and two
// before a word. Other arguments do not change.
void SetDashes(std::string* option) {
  const std::size_t begin = std::min(option->find_first_not_of('-'), option->size());
  if (begin < 1 || begin > 2 || begin == option->size()) return;
  if (std::isalpha(static_cast<unsigned char>((*option)[begin])) == 0) return;
  const std::size_t end = std::min(option->find('='), option->size());
  option->replace(0, begin, end - begin == 1 ? "-" : "--");
}

// The command that the arguments have named.
enum class Command { kOther, kExec, kAction };

// Returns OPTION, which contains its value after "=", as arguments that the parser reads. The
// parser knows "=" only after a word, and there it would take the next argument for an empty value.
std::vector<std::string> WithValue(const std::string& option, Command command) {
  const std::size_t end = option.find('=');
  const std::string name = option.substr(0, end);
  const std::string value = option.substr(end + 1);
  if (name == "-f") return {"--follow=" + value};
  if (command != Command::kOther && (name == "-i" || name == "-t")) {  // flags of both commands
    const std::optional<bool> on = ParseBool(value);
    if (!on) return {"-" + option};  // the parser refuses this option, and names it
    if (*on) return {name};
    if (command == Command::kAction) return {};
    return {name == "-t" ? "--no-tty" : "--no-interactive"};
  }
  if (value.empty()) return {name, ""};
  return {name.size() == 2 ? name + value : option};
}

}  // namespace

std::vector<std::string> WithTwoDashes(std::vector<std::string> arguments) {
  std::vector<std::string> out;
  bool options = true;
  Command command = Command::kOther;
  bool valued = false;  // true if the next argument is the value of an option
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string argument = std::move(arguments[i]);
    if (argument == "--") options = false;
    // The first positional argument after `alloc exec` is the id.
    const bool is_id = command == Command::kExec && options && !valued && argument[0] != '-';
    if (options) SetDashes(&argument);
    const bool is_option = options && argument.size() > 1 && argument[0] == '-';
    if (is_option && argument.find('=') != std::string::npos) {
      for (std::string& part : WithValue(argument, command)) out.push_back(std::move(part));
      valued = false;
      continue;
    }
    valued = options && argument[0] == '-' && !StandsAlone(argument);
    const std::string before = out.empty() ? "" : out.back();
    if (argument == "exec" && before == "alloc") command = Command::kExec;
    if (argument == "action" && before == "job") command = Command::kAction;
    out.push_back(std::move(argument));
    if (!is_id) continue;
    if (i + 1 < arguments.size() && arguments[i + 1] != "--") out.emplace_back("--");
    options = false;
  }
  return out;
}

}  // namespace drover
