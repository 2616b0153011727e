// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/govalues/go_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drover::templates {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(GoTextTest, QuotesAndUnquotes) {
  EXPECT_EQ(QuoteText("a\tb\x01\x7f\xff\u00e9\u200b"), R"("a\tb\x01\x7f\xff)"
                                                       "\u00e9"
                                                       R"(\u200b")");
  EXPECT_EQ(QuoteText("\U0001f600", '"', true), R"("\U0001f600")");
  EXPECT_EQ(QuoteCharacter('\'', false), R"('\'')");
  EXPECT_EQ(UnquoteText(R"("a\n\x41\u00e9\101")"),
            "a\nA\u00e9"
            "A");
  EXPECT_EQ(UnquoteText("`a\\n`"), "a\\n");
  EXPECT_EQ(UnquoteText(R"("\q")"), std::nullopt);
  EXPECT_EQ(UnquoteText(R"("\ud800")"), std::nullopt);
  EXPECT_EQ(UnquoteText("\"a"), std::nullopt);
}

TEST(GoTextTest, CountsWrongBytesAsCharacters) {
  EXPECT_EQ(CountCharacters("a\u00e9\xff"), 3u);
  EXPECT_EQ(CharactersOf("\xff").front(), kWrongCharacter);
}

TEST(GoTextTest, ChangesCase) {
  EXPECT_EQ(UpperText("abc é"), "ABC É");
  EXPECT_EQ(LowerText("ÀB"), "àb");
}

TEST(GoTextTest, TrimsAndSplits) {
  EXPECT_EQ(TrimSpace("\u00a0 a b\n\u2003"), "a b");
  EXPECT_EQ(TrimCharacters("éaéé", "é"), "a");
  EXPECT_THAT(Split("a,b,c", ","), ElementsAre("a", "b", "c"));
  EXPECT_THAT(Split("a,b,c", ",", 2), ElementsAre("a", "b,c"));
  EXPECT_THAT(Split("", ","), ElementsAre(""));
  EXPECT_THAT(Split("aé", ""), ElementsAre("a", "é"));
  EXPECT_THAT(Split("a", ",", 0), IsEmpty());
  EXPECT_EQ(ReplaceAll("aaa", "a", "b"), "bbb");
  EXPECT_EQ(ReplaceAll("ab", "", "-"), "-a-b-");
}

}  // namespace
}  // namespace drover::templates
