// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/durable_step.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace drover {
namespace {

std::string MakeDirectory(const std::string& fault) {
  std::string directory = "/tmp/drover-steps-XXXXXX";
  DROVER_CHECK(mkdtemp(directory.data()) != nullptr);
  std::ofstream(directory + "/fault") << fault;
  return directory;
}

// Runs in a process of its own, since the environment is read only once.
int DoThree(const std::string& directory) {
  setenv("DROVER_TEST_STEPS", directory.c_str(), 1);
  int done = 0;
  for (int i = 0; i < 3; ++i) {
    const Status status = DurableStep(Step::kCommit, [&] {
      ++done;
      return Status();
    });
    if (status.code() == Code::kResourceExhausted || status.code() == Code::kInternal)
      return 10 + done;
  }
  return done;
}

TEST(DurableStepTest, EachHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (int i = 1; i <= kSteps; ++i) names.insert(StepName(static_cast<Step>(i)));
  EXPECT_EQ(names.size(), std::size_t(kSteps));
  EXPECT_EQ(StepName(Step::kLedgerAdd), "ledger_add");
  EXPECT_EQ(StepName(Step::kDropNetwork), "drop_network");
  EXPECT_EQ(StepName(Step::kReplaceStore), "replace_store");
}

TEST(DurableStepDeathTest, OneDiesOrFailsWhereTheTestWants) {
  const auto traced = [](const std::string& directory) {
    std::ostringstream text;
    text << std::ifstream(directory + "/trace").rdbuf();
    std::filesystem::remove_all(directory);
    return text.str();
  };
  const std::string none = MakeDirectory("");
  EXPECT_EXIT(std::_Exit(DoThree(none)), testing::ExitedWithCode(3), "");
  EXPECT_EQ(traced(none), "commit\ncommit\ncommit\n");
  const std::string other = MakeDirectory("sync 1 before");
  EXPECT_EXIT(std::_Exit(DoThree(other)), testing::ExitedWithCode(3), "");
  traced(other);
  for (const char* way : {"before", "after"}) {
    const std::string killed = MakeDirectory("commit 2 " + std::string(way));
    EXPECT_EXIT(std::_Exit(DoThree(killed)), testing::KilledBySignal(SIGKILL), "");
    EXPECT_EQ(traced(killed), "commit\ncommit\n");
  }
  for (const char* way : {"ENOSPC", "EIO"}) {
    const std::string failed = MakeDirectory("commit 2 " + std::string(way));
    EXPECT_EXIT(std::_Exit(DoThree(failed)), testing::ExitedWithCode(11), "");
    traced(failed);
  }
}

TEST(DurableStepDeathTest, AStepThatOverlapsAnotherHidesNoFault) {
  const std::string directory = MakeDirectory("commit 1 after");
  const auto overlap = [&] {
    setenv("DROVER_TEST_STEPS", directory.c_str(), 1);
    (void)DurableStep(Step::kCommit,
                      [] { return DurableStep(Step::kCommit, [] { return Status(); }); });
    std::_Exit(0);
  };
  EXPECT_EXIT(overlap(), testing::KilledBySignal(SIGKILL), "");
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace drover
