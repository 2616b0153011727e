// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/long_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drover {
namespace {

using ::testing::ElementsAre;

TEST(LongOptionsTest, NomadsSpellingGetsASecondDash) {
  EXPECT_THAT(WithTwoDashes({"job", "run", "-json", "-f", "--detach", "-", "file"}),
              ElementsAre("job", "run", "--json", "-f", "--detach", "-", "file"));
  EXPECT_THAT(WithTwoDashes({"alloc", "logs", "-n", "-12", "-tail=x", ""}),
              ElementsAre("alloc", "logs", "-n", "-12", "--tail=x", ""));
}

TEST(LongOptionsTest, ArgumentsBehindTwoDashesStay) {
  EXPECT_THAT(WithTwoDashes({"job", "run", "--", "-json"}),
              ElementsAre("job", "run", "--", "-json"));
}

TEST(LongOptionsTest, TheCommandOfExecStays) {
  EXPECT_THAT(
      WithTwoDashes({"alloc", "exec", "-task", "t", "-i", "abcd", "ls", "-la", "-json"}),
      ElementsAre("alloc", "exec", "--task", "t", "-i", "abcd", "--", "ls", "-la", "-json"));
  EXPECT_THAT(WithTwoDashes({"alloc", "exec", "-job", "web", "--", "ls"}),
              ElementsAre("alloc", "exec", "--job", "web", "--", "ls"));
  EXPECT_THAT(WithTwoDashes({"alloc", "exec", "abcd"}), ElementsAre("alloc", "exec", "abcd"));
}

}  // namespace
}  // namespace drover
