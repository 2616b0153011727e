// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "host/conformance/kit_case.h"
#include "host/library/probe.h"

// What the cases of the kit and the random sequences of verbs have in common: each runs in a
// process of its own.
namespace drover {

// A plugin file that has been probed. All cases of a run use the result of one probe.
struct ProbedPlugin {
  std::string path;
  std::string sha256;
  PluginInfo info;
};
Result<ProbedPlugin> ProbeForKit(const std::string& path);

// Runs a case in a child process. Blocks until the child has ended, at most for LIMIT and a moment
// more. [any thread]
ConformanceResult RunInChild(const KitSpec& spec, Duration limit);

// Calls WORK(i) once for each i below COUNT, on PARALLEL threads. Blocks until all calls have
// returned.
void RunSideBySide(std::size_t count, int parallel, const std::function<void(std::size_t)>& work);

}  // namespace drover
