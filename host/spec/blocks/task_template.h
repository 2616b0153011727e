// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.h"
#include "host/base/time.h"

namespace drover {

// How many templates a task may have.
inline constexpr std::size_t kMostTemplates = 256;

// A command that the host runs in a task after a template of the task has changed.
struct TemplateScript {
  std::string command;
  std::vector<std::string> args = {};
  Duration timeout = 5s;
  bool fail_on_error = false;        // a script that fails ends the task as failed
  bool run_on_first_render = false;  // the script also runs once the task has started

  bool operator==(const TemplateScript&) const = default;
};

// How long a template waits for further changes before it is rendered.
struct TemplateWait {
  Duration min{0};  // the time without a change after which it is rendered
  Duration max{0};  // the time after the first change at which it is rendered in any case

  bool operator==(const TemplateWait&) const = default;
};

// A file of a task that the host renders from a template, and renders again when a value changes.
struct TaskTemplate {
  // What the host does to the running task after it has rendered the file anew.
  enum class ChangeMode { kNoop, kSignal, kRestart, kScript };

  std::string source;  // a file of the task that is the template; empty: DATA is
  std::string data;
  std::string destination;  // relative to the task's directory, with ${...}
  ChangeMode change_mode = ChangeMode::kRestart;
  std::string change_signal;             // for kSignal
  std::optional<TemplateScript> script;  // for kScript
  bool once = false;                     // rendered once; its values are not watched
  Duration splay = 5s;                   // what follows a change is delayed by up to this time
  std::string perms = "0644";            // see FileModeOf
  int uid = -1;                          // -1: the owner of the task's directory
  int gid = -1;
  std::string left_delimiter = "{{";
  std::string right_delimiter = "}}";
  bool env = false;  // the file holds variables for the task's environment
  std::optional<TemplateWait> wait;
  bool error_on_missing_key = false;

  bool operator==(const TaskTemplate&) const = default;
};
std::string_view TemplateChangeModeName(TaskTemplate::ChangeMode mode);  // such as "noop"

// Returns the permissions of a file that the octal number PERMS means, such as 0644.
Result<unsigned> FileModeOf(std::string_view perms);

}  // namespace drover
