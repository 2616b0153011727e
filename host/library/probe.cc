// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/library/probe.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "host/abi/abi_text.h"
#include "host/child/child_process.h"

namespace drover {

Result<PluginInfo> PluginProber::Probe(const PluginFile& file, const ProbeLimits& limits) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = results_.find(file.sha256);
    if (found != results_.end() && (found->second.ok() || failed_under_[file.sha256] == limits)) {
      return found->second;
    }
  }
  ++probes_;
  Result<PluginInfo> result = RunChild(file, limits);
  const std::lock_guard lock(mutex_);
  // The result is not stored if the probe could not run or did not end in time. Such a failure need
  // not be the file's fault, since the machine may have been busy.
  const Code code = result.code();
  if (code != Code::kResourceExhausted && code != Code::kTimeout) {
    results_.insert_or_assign(file.sha256, result);
    failed_under_[file.sha256] = limits;
  }
  return result;
}

void PluginProber::Remember(const std::string& sha256, PluginInfo info) {
  const std::lock_guard lock(mutex_);
  results_.insert_or_assign(sha256, std::move(info));
}

PluginProber& SharedProber() {
  static auto* const prober = new PluginProber;
  return *prober;
}

Result<PluginInfo> PluginProber::RunChild(const PluginFile& file, const ProbeLimits& limits) const {
  if (std::getenv(kProbeMark) != nullptr) {
    return Error(Code::kFailedPrecondition, "a probe cannot probe");
  }
  ChildSpec spec;
  spec.arguments = {kProbeArgument, std::to_string(limits.memory_mb),
                    std::to_string(limits.file_mb)};
  spec.environment = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8", std::string(kProbeMark) + "=1"};
  spec.descriptor = file.fd.get();
  const Duration limit = limits.time.count() > 0 ? limits.time : limit_;
  spec.limit = limit;
  spec.grace = 3s;  // time for the child to end the processes that the plugin started
  Result<ChildEnd> ran = RunChildProcess(spec);
  if (!ran.ok()) {
    return Error(Code::kResourceExhausted,
                 file.path + " cannot be probed: " + ran.error().message());
  }
  const ChildEnd& end = *ran;
  std::string said;
  if (!end.stderr_tail.empty()) said = "; it wrote: " + SafeText(end.stderr_tail, 500);
  while (!said.empty() && said.back() == '\n') said.pop_back();
  if (end.timed_out) {
    return Error(Code::kTimeout, file.path +
                                     " hangs when it is loaded: the probe was stopped after " +
                                     FormatDuration(limit) + "; the plugin is broken" + said);
  }
  if (end.signal != 0) {
    return Error(Code::kFailedPrecondition,
                 file.path + " crashes when it is loaded (signal " + std::to_string(end.signal) +
                     ", " + strsignal(end.signal) + "); the plugin is broken" + said);
  }
  if (end.exit_code == 0 && end.output.rfind("ok ", 0) == 0) {
    Result<PluginInfo> info = PluginInfoFromJson(end.output.substr(3));
    if (!info.ok()) return info.error().WithContext(file.path);
    return info;
  }
  if (end.output.rfind("error ", 0) == 0) {
    std::string message = SafeText(end.output.substr(6), 2000);
    // The child does not know the file's path and writes "plugin" instead.
    const std::string name = "plugin";
    if (message.rfind(name, 0) == 0) message = file.path + message.substr(name.size());
    return Error(Code::kFailedPrecondition, message);
  }
  return Error(Code::kFailedPrecondition, file.path + " ended the probe with exit code " +
                                              std::to_string(end.exit_code) +
                                              " while it was loaded; the plugin is broken" + said);
}

}  // namespace drover
