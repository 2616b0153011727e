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

// The limits of the child that tries a plugin before it is loaded.
struct ProbeLimits {
  Duration time{0};      // 0: the prober's own
  int memory_mb = 2048;  // of address space
  int file_mb = 0;       // the longest file that it may write
  bool operator==(const ProbeLimits&) const = default;
};

// Loads a plugin in a child process first, to see whether its code can be loaded at all, and what
// it says about itself. The child is this program again, with a hidden argument; when the agent is
// root it runs as a user of its own, without network, privileges to gain, core dumps or much of
// anything else. With it ends whatever the plugin's constructors have started. Results are kept by
// the file's sha256, failures too, though not for other limits, and not that the time was over.
// Thread-safe.
class PluginProber {
 public:
  // Sanitized code starts many times slower.
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  static constexpr Duration kLimit = 60s;
#else
  static constexpr Duration kLimit = 5s;
#endif
  explicit PluginProber(Duration limit = kLimit) : limit_(limit) {}

  // Blocks until the child has ended: not for the control thread.
  Result<PluginInfo> Probe(const PluginFile& file, const ProbeLimits& limits = {});

  // Keeps the information that another probe of a file with that content has found.
  void Remember(const std::string& sha256, PluginInfo info);

  // For tests: how often a child was started.
  int probes() const { return probes_; }

 private:
  Result<PluginInfo> RunChild(const PluginFile& file, const ProbeLimits& limits) const;

  const Duration limit_;
  std::mutex mutex_;
  std::map<std::string, Result<PluginInfo>> results_;
  std::map<std::string, ProbeLimits> failed_under_;
  std::atomic<int> probes_{0};
};

// The prober of this process.
PluginProber& SharedProber();

// The child's side: never returns into the program's own work.
int RunProbeChild(int plugin_fd, int result_fd, const ProbeLimits& limits);

// In the environment of a probe's child, which can never probe again.
inline constexpr char kProbeMark[] = "DROVER_PROBE_CHILD";
inline constexpr char kProbeArgument[] = "__probe-plugin";

}  // namespace drover
