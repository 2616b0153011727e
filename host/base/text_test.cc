// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/text.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace drover {
namespace {

TEST(TextTest, HexDigitsInEitherCase) {
  EXPECT_EQ(HexDigit('0'), 0);
  EXPECT_EQ(HexDigit('9'), 9);
  EXPECT_EQ(HexDigit('a'), 10);
  EXPECT_EQ(HexDigit('F'), 15);
  for (const char c : {'g', 'G', '/', ':', '@', '`', ' ', '\0'}) EXPECT_EQ(HexDigit(c), -1) << c;
}

TEST(TextTest, BytesInHex) {
  EXPECT_EQ(HexText(""), "");
  EXPECT_EQ(HexText({"\0\x0f\x9a\xff", 4}), "000f9aff");
}

TEST(TextTest, ANumberIsTheWholeText) {
  EXPECT_EQ(ParseNumber<std::uint64_t>("18446744073709551615"), 18446744073709551615u);
  EXPECT_EQ(ParseNumber<int>("-7"), -7);
  EXPECT_EQ(ParseNumber<double>("2.5"), 2.5);
  for (const char* text : {"", " 1", "1 ", "+1", "1.5", "0x10", "2147483648"}) {
    EXPECT_EQ(ParseNumber<int>(text), std::nullopt) << text;
  }
  EXPECT_EQ(ParseNumber<std::uint64_t>("-1"), std::nullopt);
}

TEST(TextTest, ABooleanIsOneOfTwelveWords) {
  for (const char* yes : {"1", "t", "T", "true", "True", "TRUE"}) EXPECT_EQ(ParseBool(yes), true);
  for (const char* no : {"0", "f", "F", "false", "False", "FALSE"}) EXPECT_EQ(ParseBool(no), false);
  for (const char* other : {"", "yes", "no", "tRUE", " 1", "1 ", "10"}) {
    EXPECT_EQ(ParseBool(other), std::nullopt) << other;
  }
}

TEST(TextTest, TrimTakesSpacesAndTabsFromTheEnds) {
  EXPECT_EQ(Trim(" \t a b\t"), "a b");
  EXPECT_EQ(Trim("a\n"), "a\n");
  EXPECT_EQ(Trim(" \t "), "");
  EXPECT_EQ(Trim(""), "");
}

TEST(TextTest, IdsLoseTheirHyphens) {
  EXPECT_EQ(WithoutHyphens("3af779b9-b8-"), "3af779b9b8");
  EXPECT_EQ(WithoutHyphens("--"), "");
}

}  // namespace
}  // namespace drover
