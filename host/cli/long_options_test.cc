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

TEST(LongOptionsTest, AnOptionOfOneLetterHasItsValueBehindAnEqualsSign) {
  EXPECT_THAT(WithTwoDashes({"job", "inspect", "-t={{if eq .A \"=\"}}x{{end}}", "--t=y", "web"}),
              ElementsAre("job", "inspect", "-t{{if eq .A \"=\"}}x{{end}}", "-ty", "web"));
  EXPECT_THAT(WithTwoDashes({"alloc", "logs", "-f=true", "-n=-3", "-c=", "x=y"}),
              ElementsAre("alloc", "logs", "--follow=true", "-n-3", "-c", "", "x=y"));
  EXPECT_THAT(
      WithTwoDashes({"alloc", "exec", "-i=false", "-t=F", "abcd", "ls", "-t=x"}),
      ElementsAre("alloc", "exec", "--no-interactive", "--no-tty", "abcd", "--", "ls", "-t=x"));
  EXPECT_THAT(WithTwoDashes({"alloc", "exec", "-i=1", "-t=true", "-task=t", "abcd", "ls"}),
              ElementsAre("alloc", "exec", "-i", "-t", "--task=t", "abcd", "--", "ls"));
  EXPECT_THAT(WithTwoDashes({"job", "action", "-i=true", "-t=false", "-t=x", "a"}),
              ElementsAre("job", "action", "-i", "--t=x", "a"));
}

TEST(LongOptionsTest, AnEmptyValueIsNotTheNextArgument) {
  EXPECT_THAT(WithTwoDashes({"job", "run", "-namespace=", "--token=", "-var", "a=", "file"}),
              ElementsAre("job", "run", "--namespace", "", "--token", "", "--var", "a=", "file"));
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
