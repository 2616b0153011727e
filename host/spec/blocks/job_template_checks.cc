// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/blocks/job_template_checks.h"

#include <filesystem>
#include <string>

#include "host/spec/signal_name.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

using At = JobPlace;
using OnChange = TaskTemplate::ChangeMode;
using job_checks::CheckDuration;
using job_checks::HasControl;

constexpr std::size_t kLongestPath = 1024;
constexpr std::size_t kLongestDelimiter = 16;

// Checks PATH, which is relative to the task's directory. What stands in ${...} is known only when
// the task starts, and is checked then.
void CheckPath(const std::string& path, const At& at) {
  if (path.size() > kLongestPath) {
    return at.Fault("is longer than " + std::to_string(kLongestPath) + " bytes");
  }
  if (HasControl(path)) {
    return at.Fault(Quoted(path) + " holds a control character or an invisible one");
  }
  if (path.ends_with('/')) return at.Fault(Quoted(path) + " names a directory, not a file");
  if (path.find("${") != std::string::npos || path[0] == '/') return;
  const std::string plain = std::filesystem::path(path).lexically_normal().string();
  if (plain.starts_with("..") && (plain.size() == 2 || plain[2] == '/') &&
      !plain.starts_with("../alloc/")) {
    at.Fault(Quoted(path) + " leads out of the task's directory");
  }
}

void CheckChangeScript(const TaskTemplate& of, const At& at) {
  if (of.change_mode != OnChange::kScript) return;
  if (!of.script) return at.Fault("is missing: ChangeMode is \"script\"");
  (at / "Command").Unless(!of.script->command.empty(), "is missing");
  if (of.script->timeout <= 0s) {
    (at / "Timeout").Fault("must be more than 0s, but is " + FormatDuration(of.script->timeout));
  }
  job_checks::CheckLength(of.script->timeout, at / "Timeout");
}

void CheckSignal(const TaskTemplate& of, const At& at) {
  if (of.change_mode != OnChange::kSignal) return;
  if (of.env) {
    (at / "ChangeMode")
        .Fault("the environment of a running task cannot change: write \"restart\" or \"noop\"");
  }
  if (of.change_signal.empty()) {
    (at / "ChangeSignal").Fault("is missing: ChangeMode is \"signal\"");
  } else if (!IsSignalName(of.change_signal)) {
    (at / "ChangeSignal").Fault(Quoted(of.change_signal) + " is not a signal, such as \"SIGHUP\"");
  }
}

void CheckWait(const TemplateWait& wait, const At& at) {
  CheckDuration(wait.min, at / "Min");
  CheckDuration(wait.max, at / "Max");
  if (wait.min > wait.max) {
    (at / "Min")
        .Fault("is " + FormatDuration(wait.min) + ", more than Max, which is " +
               FormatDuration(wait.max));
  }
}

void CheckDelimiter(const std::string& text, const At& at) {
  if (text.size() > kLongestDelimiter) {
    at.Fault("is longer than " + std::to_string(kLongestDelimiter) + " bytes");
  } else if (HasControl(text)) {
    at.Fault(Quoted(text) + " holds a control character or an invisible one");
  }
}

void CheckTemplate(const TaskTemplate& of, const At& at) {
  if (of.source.empty() && of.data.empty()) {
    at.Fault("has neither EmbeddedTmpl nor SourcePath: write the template into one of them");
  } else if (!of.source.empty() && !of.data.empty()) {
    (at / "SourcePath").Fault("the template also has EmbeddedTmpl; write only one of them");
  }
  if (!of.source.empty()) CheckPath(of.source, at / "SourcePath");
  if (of.destination.empty()) {
    (at / "DestPath").Fault("is missing");
  } else {
    CheckPath(of.destination, at / "DestPath");
  }
  CheckSignal(of, at);
  CheckChangeScript(of, at / "ChangeScript");
  CheckDuration(of.splay, at / "Splay");
  if (const Result<unsigned> mode = FileModeOf(of.perms); !mode.ok()) {
    (at / "Perms").Fault(mode.error().message());
  }
  CheckDelimiter(of.left_delimiter, at / "LeftDelim");
  CheckDelimiter(of.right_delimiter, at / "RightDelim");
  if (of.wait) CheckWait(*of.wait, at / "Wait");
}

}  // namespace

void CheckTemplates(const std::vector<TaskTemplate>& templates, const JobPlace& at) {
  if (templates.size() > kMostTemplates) {
    return at.Fault("must hold at most " + std::to_string(kMostTemplates) + " templates");
  }
  UniqueNames destinations;
  for (std::size_t i = 0; i < templates.size(); ++i) {
    CheckTemplate(templates[i], at / i);
    destinations.Add(templates[i].destination, at / i / "DestPath");
  }
}

void WarnOfTemplates(const std::vector<TaskTemplate>& templates, const JobPlace& at) {
  for (std::size_t i = 0; i < templates.size() && i < kMostTemplates; ++i) {
    const TaskTemplate& of = templates[i];
    if (of.change_mode != OnChange::kSignal && !of.change_signal.empty()) {
      (at / i / "ChangeSignal").Fault("has no effect: ChangeMode is not \"signal\"");
    }
    if (of.change_mode != OnChange::kScript && of.script) {
      (at / i / "ChangeScript").Fault("has no effect: ChangeMode is not \"script\"");
    }
    if (of.once && of.wait) {
      (at / i / "Wait").Fault("has no effect: a template with Once is not rendered again");
    }
  }
}

}  // namespace drover
