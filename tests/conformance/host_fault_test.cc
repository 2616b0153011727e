// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// The cases with a fault of the host: which drivers bear it, and that each case can fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "host/conformance/conformance.h"
#include "host/conformance/kit_file.h"
#include "host/library/test_files.h"

namespace drover {
namespace {

using FaultResults = std::vector<ConformanceResult>;

// KIT is the content of a kit file, or empty.
FaultResults RunFault(const std::string& file, const std::string& fault,
                      const std::string& kit = "") {
  ConformanceOptions options;
  options.faults = {fault};
  options.kit_json = kit;
  options.limit = 60s;  // long, because machines that run tests are busy
  options.parallel = 4;
  Result<FaultResults> results = RunConformance(file, options);
  EXPECT_TRUE(results.ok()) << results.error().message();
  return results.ok() ? *results : FaultResults();
}

// The names of the cases that did not pass, were not skipped and gave no warning.
std::vector<std::string> Bad(const FaultResults& results) {
  std::vector<std::string> bad;
  for (const ConformanceResult& result : results) {
    if (result.verdict == Verdict::kPass || result.verdict == Verdict::kSkip ||
        result.verdict == Verdict::kWarn)
      continue;
    bad.push_back(result.name);
    std::printf("%s %s: %s\n", result.name.c_str(), VerdictName(result.verdict).data(),
                result.detail.c_str());
  }
  return bad;
}

struct HostFault {
  const char* file;
  const char* fault;
  const char* fails;
};
void PrintTo(const HostFault& fault, std::ostream* out) {
  *out << fault.file << " fails " << fault.fails;
}

class BrokenAtFaultTest : public testing::TestWithParam<HostFault> {};

TEST_P(BrokenAtFaultTest, FailsTheCaseOfTheFault) {
  const FaultResults results = RunFault(TestPlugin(GetParam().file), GetParam().fault);
  EXPECT_THAT(Bad(results), testing::Contains(GetParam().fails));
}

INSTANTIATE_TEST_SUITE_P(
    Faults, BrokenAtFaultTest,
    testing::Values(HostFault{"says_started", "process-refuses", "fault-refused-start"},
                    HostFault{"says_signalled", "process-refuses", "fault-refused-calls"},
                    HostFault{"destroy_attaches", "process-hangs", "fault-hanging-start"},
                    HostFault{"shutdown_awaits_starts", "process-hangs", "fault-hanging-shutdown"},
                    HostFault{"ignores_output", "output-refuses", "fault-refused-output"},
                    HostFault{"counts_on_timers", "timer-slow", "fault-late-timers"},
                    HostFault{"one_after_another", "slow-start", "fault-slow-starts"},
                    HostFault{"recovers_nothing", "kill-at=idle", "fault-kill-at-idle"}),
    [](const auto& param) { return std::string(param.param.file); });

TEST(HostFaultTest, ADriverWithoutAFaultBearsAll) {
  const FaultResults results = RunFault(TestPlugin("at_fault"), "all");
  EXPECT_EQ(Bad(results), std::vector<std::string>());
  EXPECT_GE(std::count_if(results.begin(), results.end(),
                          [](const auto& one) { return one.verdict == Verdict::kPass; }),
            12);
}

#ifdef MOCK_DRIVER_SO
// Its tasks are no processes, but have output, timers and a process of the driver.
TEST(HostFaultTest, MockBearsAll) {
  const FaultResults results = RunFault(MOCK_DRIVER_SO, "all");
  EXPECT_EQ(Bad(results), std::vector<std::string>());
  EXPECT_GE(std::count_if(results.begin(), results.end(),
                          [](const auto& one) { return one.verdict == Verdict::kPass; }),
            8);
}
#endif
#ifdef RAW_EXEC_SO
TEST(HostFaultTest, RawExecBearsAll) {
  EXPECT_EQ(Bad(RunFault(RAW_EXEC_SO, "all")), std::vector<std::string>());
}
#endif

#ifdef COMPANION_SO
// The start of a task asks for two processes. The second request may fail after the first one.
TEST(HostFaultTest, CompanionBearsThoseOfProcesses) {
  const Result<std::string> kit = ReadKitFile(std::string(DROVER_EXAMPLES) + "/companion/kit.json");
  ASSERT_TRUE(kit.ok()) << kit.error().message();
  for (const char* fault : {"process-refuses", "process-hangs", "kill-at"}) {
    const FaultResults results = RunFault(COMPANION_SO, fault, *kit);
    EXPECT_EQ(Bad(results), std::vector<std::string>()) << fault;
    EXPECT_FALSE(results.empty()) << fault;
  }
}
#endif

TEST(HostFaultTest, FaultsAreChecked) {
  const std::vector<std::vector<std::string>> wrong = {
      {"nothing"}, {"slow-start=soon"}, {"kill-at=lunch"}, {"slow-start=1s", "slow-start=2s"}};
  for (const std::vector<std::string>& faults : wrong) {
    ConformanceOptions options;
    options.faults = faults;
    EXPECT_EQ(RunConformance(TestPlugin("test"), options).code(), Code::kInvalidArgument);
  }
}

TEST(HostFaultTest, ACaseThatIsNamedHasItsFault) {
  ConformanceOptions options;
  options.cases = {"fault-refused-start"};
  options.limit = 60s;
  const Result<FaultResults> results = RunConformance(TestPlugin("says_started"), options);
  ASSERT_TRUE(results.ok()) << results.error().message();
  ASSERT_EQ(results->size(), 1u);
  EXPECT_EQ((*results)[0].verdict, Verdict::kFail) << (*results)[0].detail;
}

}  // namespace
}  // namespace drover
