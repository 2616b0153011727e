// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/checks/check_tally.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace drover {
namespace {

// Returns the statuses after the answers, each by the first letter of its name.
std::string After(const ServiceCheck& check, std::string_view answers) {
  CheckTally tally(check);
  std::string statuses;
  for (const char c : answers) {
    const CheckStatus answer = c == 's'   ? CheckStatus::kSuccess
                               : c == 'w' ? CheckStatus::kWarning
                                          : CheckStatus::kFailure;
    statuses += CheckStatusName(tally.Count(answer))[0];
  }
  return statuses;
}

TEST(CheckTallyTest, OneAnswerIsEnoughByDefault) {
  EXPECT_EQ(CheckTally(ServiceCheck()).status(), CheckStatus::kPending);
  EXPECT_EQ(After(ServiceCheck(), "sfwsf"), "sfwsf");
}

TEST(CheckTallyTest, ACheckMayWantSeveralAnswersInARow) {
  ServiceCheck check;
  check.success_before_passing = 3;
  EXPECT_EQ(After(check, "ssfsswss"), "ppfffwss");
  check = ServiceCheck();
  check.failures_before_critical = 3;
  EXPECT_EQ(After(check, "sffsfff"), "ssssssf");
  check.failures_before_warning = 2;
  EXPECT_EQ(After(check, "sfff"), "sswf");
}

TEST(CheckTallyTest, BeginsWithTheInitialStatus) {
  ServiceCheck check;
  check.initial_status = InitialStatus::kPassing;
  EXPECT_EQ(CheckTally(check).status(), CheckStatus::kSuccess);
  check.initial_status = InitialStatus::kWarning;
  EXPECT_EQ(CheckTally(check).status(), CheckStatus::kWarning);
  check.initial_status = InitialStatus::kCritical;
  check.success_before_passing = 2;
  EXPECT_EQ(After(check, "ss"), "fs");
}

}  // namespace
}  // namespace drover
