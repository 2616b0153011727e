// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// Random sequences of verbs find drivers whose fault no single case finds, and none in the others.
#include "host/conformance/fuzz/fuzz.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "host/conformance/kit_file.h"
#include "host/library/test_files.h"

namespace drover {
namespace {

using ::testing::HasSubstr;

FuzzOptions SomeSequences(int runs, int steps) {
  FuzzOptions options;
  options.kit.seed = 4711;
  options.kit.limit = 60s;  // long, because machines that run tests are busy
  options.kit.parallel = 4;
  options.runs = runs;
  options.steps = steps;
  return options;
}

std::vector<FuzzResult> Fuzz(const std::string& file, const FuzzOptions& options) {
  auto results = RunFuzz(file, options);
  EXPECT_TRUE(results.ok()) << results.error().message();
  return results.ok() ? *results : std::vector<FuzzResult>();
}

void ExpectRight(const std::string& file, FuzzOptions options) {
  const std::vector<FuzzResult> results = Fuzz(file, options);
  EXPECT_EQ(results.size(), static_cast<std::size_t>(options.runs));
  for (const FuzzResult& result : results) {
    EXPECT_EQ(result.verdict, Verdict::kPass) << result.seed << ": " << result.detail;
    EXPECT_EQ(result.steps.size(), static_cast<std::size_t>(options.steps)) << result.seed;
  }
}

struct SequenceFault {
  const char* file;
  const char* detail;  // of one of the failures
};
void PrintTo(const SequenceFault& fault, std::ostream* out) { *out << fault.file; }

class BrokenSequenceTest : public testing::TestWithParam<SequenceFault> {};

TEST_P(BrokenSequenceTest, IsFoundByASequence) {
  const std::string file = TestPlugin(GetParam().file);
  // A fault that needs several verbs in one order is in a few of a hundred sequences.
  std::optional<FuzzResult> found;
  for (std::uint64_t batch = 0; batch < 6 && !found; ++batch) {
    FuzzOptions options = SomeSequences(12, 60);
    options.kit.seed += batch;
    for (const FuzzResult& result : Fuzz(file, options)) {
      if (result.verdict == Verdict::kFail && !found) found = result;
    }
  }
  ASSERT_TRUE(found) << "no sequence has failed";
  EXPECT_THAT(found->detail, HasSubstr(GetParam().detail));
  EXPECT_THAT(found->detail, HasSubstr("step " + std::to_string(found->steps.size()) + ": "));
  // The prefix is shorter than the sequence, and fails again.
  EXPECT_LE(found->steps.size(), 60u);
  EXPECT_TRUE(found->again && *found->again == Verdict::kFail);
  FuzzOptions again = SomeSequences(1, static_cast<int>(found->steps.size()));
  again.reproduce = found->seed;
  const std::vector<FuzzResult> once = Fuzz(file, again);
  ASSERT_EQ(once.size(), 1u);
  EXPECT_EQ(once[0].verdict, Verdict::kFail);
  EXPECT_EQ(once[0].steps, found->steps);
}

INSTANTIATE_TEST_SUITE_P(
    Faults, BrokenSequenceTest,
    testing::Values(SequenceFault{"never_again", "so the answer must be OK"},
                    SequenceFault{"recovers_once", "it must know the run"},
                    SequenceFault{"deaf_after_recover", "so the answer must be OK"},
                    SequenceFault{"forgets_refused", "it must know the run"},
                    SequenceFault{"counts_waits", "it must know the run"},
                    SequenceFault{"ends_twice", "but before it had ended with"}),
    [](const auto& param) { return std::string(param.param.file); });

TEST(FuzzTest, ADriverWithoutAFaultIsRight) {
  ExpectRight(TestPlugin("sequence"), SomeSequences(12, 60));
}

TEST(FuzzTest, WhatCannotRunIsAnError) {
  const auto results = RunFuzz("/nonexistent.so", SomeSequences(1, 1));
  EXPECT_FALSE(results.ok());
  FuzzOptions none = SomeSequences(0, 1);
  EXPECT_EQ(RunFuzz(TestPlugin("test"), none).code(), Code::kInvalidArgument);
  none = SomeSequences(1, kMostFuzzSteps + 1);
  EXPECT_EQ(RunFuzz(TestPlugin("test"), none).code(), Code::kInvalidArgument);
}

#ifdef RAW_EXEC_SO
TEST(FuzzTest, RawExecIsRight) {
  for (const char* place : {"in-process", "process"}) {
    FuzzOptions options = SomeSequences(6, 50);
    options.kit.isolation = place;
    ExpectRight(RAW_EXEC_SO, options);
  }
}
#endif
#ifdef MOCK_DRIVER_SO
TEST(FuzzTest, MockIsRight) {
  for (const char* place : {"in-process", "process"}) {
    FuzzOptions options = SomeSequences(6, 50);
    options.kit.isolation = place;
    ExpectRight(MOCK_DRIVER_SO, options);
  }
}
#endif
#ifdef HELLO_SO
TEST(FuzzTest, HelloIsRight) {
  const Result<std::string> kit = ReadKitFile(std::string(DROVER_EXAMPLES) + "/hello/kit.json");
  ASSERT_TRUE(kit.ok()) << kit.error().message();
  FuzzOptions options = SomeSequences(6, 50);
  options.kit.kit_json = *kit;
  ExpectRight(HELLO_SO, options);
}
#endif

}  // namespace
}  // namespace drover
