// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/prompt.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

using Kind = PromptAnswer::Kind;

std::optional<Kind> KindOf(std::string_view text, bool default_yes, bool takes_duration = false) {
  const auto answer = ReadAnswer(text, default_yes, takes_duration);
  if (!answer) return std::nullopt;
  return answer->kind;
}

TEST(ReadAnswerTest, AnEmptyAnswerIsTheDefault) {
  EXPECT_EQ(KindOf("", true), Kind::kYes);
  EXPECT_EQ(KindOf("  ", false), Kind::kNo);
}

TEST(ReadAnswerTest, WordsCountInAnyCase) {
  for (const char* yes : {"y", "Y", "yes", "YES", " Yes\r"})
    EXPECT_EQ(KindOf(yes, false), Kind::kYes);
  for (const char* no : {"n", "N", "no", "NO"}) EXPECT_EQ(KindOf(no, true), Kind::kNo);
  for (const char* other : {"ja", "yy", "1", "y n"}) EXPECT_EQ(KindOf(other, true), std::nullopt);
}

TEST(ReadAnswerTest, ADurationCountsOnlyWhereItIsAskedFor) {
  EXPECT_EQ(KindOf("10s", true), std::nullopt);
  EXPECT_EQ(KindOf("10s", true, true), Kind::kDuration);
  EXPECT_EQ(ReadAnswer("1m30s", true, true)->duration, 90s);
  EXPECT_EQ(KindOf("10", true, true), std::nullopt);
  EXPECT_EQ(KindOf("-1s", true, true), std::nullopt);
}

}  // namespace
}  // namespace drover
