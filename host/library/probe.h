// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <string>

#include "host/abi/plugin_info.h"
#include "host/base/time.h"
#include "host/library/plugin_file.h"

#ifndef __has_feature
#define __has_feature(name) 0
#endif

namespace drover {

// The limits of the child process that loads a plugin as a trial, before the agent loads it.
struct ProbeLimits {
  Duration time{0};      // if it is 0, the prober's own limit applies
  int memory_mb = 2048;  // maximum address space
  int file_mb = 0;       // maximum size of a file that the child writes
  bool operator==(const ProbeLimits&) const = default;
};

// Loads a plugin in a child process first, to find out whether its code can be loaded, and to get
// its description of itself. The child is this program, started with a hidden argument. If the
// agent is root, the child runs as a user of its own and without network. The child gains no
// privileges, writes no core dump and has limits for its resources. When it ends, all processes
// that the plugin's constructors started end too.
//
// Results are stored by the file's sha256. A stored failure is used only for a probe with the same
// limits. A timeout is not stored. Thread-safe.
class PluginProber {
 public:
  // Code with a sanitizer starts many times more slowly.
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  static constexpr Duration kLimit = 60s;
#else
  static constexpr Duration kLimit = 5s;
#endif
  explicit PluginProber(Duration limit = kLimit) : limit_(limit) {}

  // Blocks until the child has ended, so it is not for the control thread.
  Result<PluginInfo> Probe(const PluginFile& file, const ProbeLimits& limits = {});

  // Stores the result of another prober for a file with that sha256.
  void Remember(const std::string& sha256, PluginInfo info);

  // For tests: the number of children that were started.
  int probes() const { return probes_; }

 private:
  Result<PluginInfo> RunChild(const PluginFile& file, const ProbeLimits& limits) const;

  const Duration limit_;
  std::mutex mutex_;
  std::map<std::string, Result<PluginInfo>> results_;
  std::map<std::string, ProbeLimits> failed_under_;
  std::atomic<int> probes_{0};
};

// Returns the prober of this process.
PluginProber& SharedProber();

// Runs in the child process, and never returns.
int RunProbeChild(int plugin_fd, int result_fd, const ProbeLimits& limits);

// Set in the environment of a probe's child. A process with this variable refuses to probe.
inline constexpr char kProbeMark[] = "DROVER_PROBE_CHILD";
inline constexpr char kProbeArgument[] = "__probe-plugin";

}  // namespace drover
