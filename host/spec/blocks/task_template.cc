// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/blocks/task_template.h"

#include <charconv>
#include <system_error>

#include "host/spec/strict_json.h"

namespace drover {
namespace {

constexpr unsigned kMostFileMode = 0777;

}  // namespace

std::string_view TemplateChangeModeName(TaskTemplate::ChangeMode mode) {
  switch (mode) {
    case TaskTemplate::ChangeMode::kNoop:
      return "noop";
    case TaskTemplate::ChangeMode::kSignal:
      return "signal";
    case TaskTemplate::ChangeMode::kRestart:
      return "restart";
    case TaskTemplate::ChangeMode::kScript:
      return "script";
  }
  return "unknown";
}

Result<unsigned> FileModeOf(std::string_view perms) {
  unsigned mode = 0;
  const char* const end = perms.data() + perms.size();
  const auto [rest, error] = std::from_chars(perms.data(), end, mode, 8);
  if (error == std::errc() && rest == end && mode <= kMostFileMode) return mode;
  return Error(Code::kInvalidArgument,
               Quoted(perms) + " is not an octal number from 0 to 0777, such as \"0644\"");
}

}  // namespace drover
