// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.h"
#include "host/base/time.h"

// The conformance kit: black-box cases against a driver's file, each in a process of its own,
// through the loader and the process service of this host.
namespace drover {

// A warning is about what depends on the machine too, or is bad manners: the driver conforms.
enum class Verdict { kPass, kFail, kCrash, kTimeout, kSkip, kWarn };
// "PASS", "FAIL", "CRASH", "TIMEOUT", "SKIP", "WARN"
std::string_view VerdictName(Verdict verdict);

struct ConformanceCase {
  std::string name;
  std::string what;    // the rule that it checks, one sentence
  std::string family;  // of cases that ask the same in several ways; empty: it stands alone
};
std::vector<ConformanceCase> ConformanceCases();

struct ConformanceOptions {
  std::string plugin_config;  // JSON; empty: {}, with "enabled" where the schema has that
  // JSON of a task that runs for a minute; empty: made for drivers whose schema has "command" and
  // "args", or "run_for". Cases that need another kind of task are then skipped for other drivers.
  std::string task_config;
  std::vector<std::string> cases;  // only those; empty: all
  std::string isolation = "in-process";
  // Runs the one case of CASES in this process, for a debugger: no time limit.
  bool in_process = false;
  Duration limit = 15s;    // for one case
  int parallel = 8;        // cases at a time
  std::uint64_t seed = 1;  // of what cases make up at random
};

struct ConformanceResult {
  std::string name;
  Verdict verdict = Verdict::kFail;
  std::string detail;  // why, unless it passed
  Duration took{0};
};

// Runs the cases; ON_RESULT hears of each as it ends, one at a time, in any order. The results are
// in the order of ConformanceCases. An error when nothing could be run: a name that is no case.
// Blocks; main() must call MaybeRunKitChild first.
Result<std::vector<ConformanceResult>> RunConformance(
    const std::string& file, const ConformanceOptions& options,
    const std::function<void(const ConformanceResult&)>& on_result = nullptr);

// No case failed, crashed or ran out of time.
bool AllConform(const std::vector<ConformanceResult>& results);

// The child's side.
inline constexpr char kConformanceArgument[] = "__conformance-case";
int RunConformanceChild(int spec_fd, int result_fd);

}  // namespace drover
