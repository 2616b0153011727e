// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.h"
#include "host/base/time.h"

// The conformance kit: black-box cases that test the plugin file of a driver. Each case runs in a
// process of its own, and uses the plugin loader and the process service of this host.
namespace drover {

// The result of a case. kWarn means that the driver conforms, but the case found a fault of style
// or a result that may be due to the machine.
enum class Verdict { kPass, kFail, kCrash, kTimeout, kSkip, kWarn };
// Returns "PASS", "FAIL", "CRASH", "TIMEOUT", "SKIP" or "WARN".
std::string_view VerdictName(Verdict verdict);

struct ConformanceCase {
  std::string name;
  std::string what;  // the rule that the case checks, in one sentence
  // The common name of cases that check the same rule in several ways. Empty if the case has no
  // family.
  std::string family;
  std::string fault;  // the kind of fault of the host (kit_fault.h) that the case needs, or empty
};
// Returns all cases. Those that need a fault of the host come last.
std::vector<ConformanceCase> ConformanceCases();
// Returns whether WANTED means the case NAME of FAMILY: WANTED is the family, the name, or the
// first words of the name.
bool IsOfFamily(const std::string& name, const std::string& family, const std::string& wanted);

struct ConformanceOptions {
  // The plugin's configuration, which is a JSON object. If it is empty, the kit uses {}, or
  // {"enabled":true} if the plugin's schema has "enabled".
  std::string plugin_config;
  // The JSON of a task that runs for a minute. If it is empty, the kit makes such a task if the
  // schema of the driver's tasks has "command" and "args", "run_for" or "run_for_ms". Cases that
  // need a task that the kit cannot make are skipped.
  std::string task_config;
  // The content of a kit file (kit_file.h), or empty. PLUGIN_CONFIG and TASK_CONFIG come before it.
  std::string kit_json;
  // The cases to run. If empty, all cases run that need no fault of the host.
  std::vector<std::string> cases;
  // The faults of the host, as texts (kit_fault.h), or "all" alone. If there is one, only cases run
  // that need one of these faults.
  std::vector<std::string> faults;
  std::string isolation = "in-process";
  // If true, CASES must contain one case. The kit then runs this case in the kit's own process,
  // without a time limit, for a debugger.
  bool in_process = false;
  Duration limit = 15s;    // the time limit of one case
  int parallel = 8;        // how many cases run at the same time
  std::uint64_t seed = 1;  // the seed of the random numbers in the cases
};

struct ConformanceResult {
  std::string name;
  std::string family;  // empty if the case has none
  Verdict verdict = Verdict::kFail;
  std::string detail;  // the reason of a verdict other than kPass
  Duration took{0};
  std::vector<std::string> steps{};  // of a random sequence, those that have begun
};

// Runs the cases. Calls ON_RESULT when a case has ended, in any order, but never at the same time
// for two cases. The results are in the order of ConformanceCases. Returns an error if no case can
// be run, for example because a name is not the name of a case. Blocks until all cases have ended.
// main() must call MaybeRunKitChild first.
Result<std::vector<ConformanceResult>> RunConformance(
    const std::string& file, const ConformanceOptions& options,
    const std::function<void(const ConformanceResult&)>& on_result = nullptr);

// Returns true if no case failed, crashed or timed out.
bool AllConform(const std::vector<ConformanceResult>& results);

// This first argument marks a child process of the kit. The function below runs one case in the
// child process.
inline constexpr char kConformanceArgument[] = "__conformance-case";
int RunConformanceChild(int spec_fd, int result_fd);

}  // namespace drover
