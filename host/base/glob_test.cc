// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/glob.h"

#include <gtest/gtest.h>

#include <string>

namespace drover {
namespace {

TEST(GlobTest, AStarMatchesAnything) {
  EXPECT_TRUE(MatchesGlob("*", ""));
  EXPECT_TRUE(MatchesGlob("*", "default"));
  EXPECT_TRUE(MatchesGlob("dev-*", "dev-"));
  EXPECT_TRUE(MatchesGlob("dev-*", "dev-web"));
  EXPECT_TRUE(MatchesGlob("*-web", "dev-web"));
  EXPECT_TRUE(MatchesGlob("a*b*c", "aXbXbYc"));
  EXPECT_TRUE(MatchesGlob("a**c", "abc"));
  EXPECT_TRUE(MatchesGlob("nomad/jobs/*", "nomad/jobs/web/group/task"));
  EXPECT_TRUE(MatchesGlob("*ab", "aab"));
}

TEST(GlobTest, TheRestMatchesItself) {
  EXPECT_TRUE(MatchesGlob("default", "default"));
  EXPECT_TRUE(MatchesGlob("", ""));
  EXPECT_FALSE(MatchesGlob("", "a"));
  EXPECT_FALSE(MatchesGlob("default", "Default"));
  EXPECT_FALSE(MatchesGlob("dev-*", "dev"));
  EXPECT_FALSE(MatchesGlob("dev-*", "my-dev-web"));
  EXPECT_FALSE(MatchesGlob("*-web", "dev-webs"));
  EXPECT_FALSE(MatchesGlob("a*b*c", "acb"));
  EXPECT_FALSE(MatchesGlob("a?c", "abc"));
  EXPECT_FALSE(MatchesGlob("[a]", "a"));
}

TEST(GlobTest, HostilePatternsEnd) {
  std::string pattern;
  for (int i = 0; i < 64; ++i) pattern += "*a";
  EXPECT_FALSE(MatchesGlob(pattern + "b", std::string(4096, 'a')));
  EXPECT_TRUE(MatchesGlob(pattern, std::string(4096, 'a')));
  EXPECT_TRUE(MatchesGlob(std::string(100'000, '*'), "x"));
}

TEST(GlobTest, CountsWhatIsNoStar) {
  EXPECT_EQ(LiteralCount("*"), 0u);
  EXPECT_EQ(LiteralCount("dev-*"), 4u);
  EXPECT_EQ(LiteralCount("a*b*"), 2u);
  EXPECT_FALSE(IsGlob("default"));
  EXPECT_TRUE(IsGlob("dev-*"));
}

}  // namespace
}  // namespace drover
