// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/render/env_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace drover {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::Pair;
using testing::UnorderedElementsAre;

TEST(EnvFileTest, EachLineIsAVariable) {
  const auto env = ReadEnvFile(
      "# a comment\n\nA=1\n export B = two words \nC=\r\n\tD=x # after a blank\nE=x#y\nA=2");
  ASSERT_TRUE(env.ok()) << env.error().message();
  EXPECT_THAT(*env, UnorderedElementsAre(Pair("A", "2"), Pair("B", "two words"), Pair("C", ""),
                                         Pair("D", "x"), Pair("E", "x#y")));
}

TEST(EnvFileTest, QuotesKeepWhatIsInThem) {
  const auto env = ReadEnvFile(
      "A=' a # $b \\n'\nB=\" a\\n\\t\\\"\\\\\\u00e4 # \" # comment\nC=a'b'\"c\"\nD=\"\" \nE=a=b");
  ASSERT_TRUE(env.ok()) << env.error().message();
  EXPECT_THAT(*env,
              UnorderedElementsAre(Pair("A", " a # $b \\n"), Pair("B", " a\n\t\"\\\xC3\xA4 # "),
                                   Pair("C", "abc"), Pair("D", ""), Pair("E", "a=b")));
}

TEST(EnvFileTest, AMistakeNamesItsLineButNotItsContent) {
  const std::pair<std::string, std::string> cases[] = {
      {"A=1\nsecret", "line 2: it has no \"=\""},
      {"1A=secret", "line 1: the name before"},
      {"secret-a=1", "line 1: the name before"},
      {"=secret", "line 1: the name before"},
      {"A='secret", "line 1: a quote (') is not closed"},
      {"A=\"secret", "line 1: a quote (\") is not closed"},
      {"A=\"secret\\q\"", "line 1: an escape"},
      {"A=\"\\u12\"", "line 1: an escape"},
      {"A=\"secret\\ud800\"", "line 1: an escape"},
      {"A=\"secret\\", "line 1: an escape"},
      {std::string("A=secret\0", 9), "line 1: the value holds a zero byte"}};
  for (const auto& [content, mistake] : cases) {
    const auto env = ReadEnvFile(content);
    ASSERT_FALSE(env.ok()) << content;
    EXPECT_THAT(env.error().message(), HasSubstr(mistake)) << content;
    EXPECT_THAT(env.error().message(), Not(HasSubstr("secret"))) << content;
  }
}

TEST(EnvFileTest, AnEmptyFileHasNone) {
  EXPECT_EQ(ReadEnvFile("")->size(), 0u);
  EXPECT_EQ(ReadEnvFile("\n\n#x")->size(), 0u);
}

}  // namespace
}  // namespace drover
