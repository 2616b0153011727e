// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/govalues/go_number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace drover::templates {
namespace {

TEST(GoNumberTest, ReadsIntegers) {
  EXPECT_EQ(ParseInt("-9223372036854775808", 10), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(ParseInt("9223372036854775808", 10), std::nullopt);
  EXPECT_EQ(ParseUint("18446744073709551615", 10), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(ParseUint("18446744073709551616", 10), std::nullopt);
  EXPECT_EQ(ParseInt("0x1F", 0), 31);
  EXPECT_EQ(ParseInt("0o17", 0), 15);
  EXPECT_EQ(ParseInt("017", 0), 15);
  EXPECT_EQ(ParseInt("0b1_0", 0), 2);
  EXPECT_EQ(ParseInt("1__0", 0), std::nullopt);
  EXPECT_EQ(ParseInt("08", 0), std::nullopt);
  EXPECT_EQ(ParseInt("", 10), std::nullopt);
  EXPECT_EQ(ParseInt("+5", 10), 5);
  EXPECT_EQ(ParseUint("+5", 10), std::nullopt);
}

TEST(GoNumberTest, ReadsReals) {
  EXPECT_EQ(ParseFloat("1.5e3"), 1500);
  EXPECT_EQ(ParseFloat("-.5"), -0.5);
  EXPECT_EQ(ParseFloat("0x1p-2"), 0.25);
  EXPECT_EQ(ParseFloat("1e400"), std::nullopt);
  EXPECT_EQ(ParseFloat("1e-400"), 0);
  EXPECT_EQ(ParseFloat("x"), std::nullopt);
  EXPECT_EQ(ParseFloat("1x"), std::nullopt);
  EXPECT_TRUE(std::isinf(ParseFloat("-Inf").value_or(0)));
}

TEST(GoNumberTest, WritesReals) {
  EXPECT_EQ(FormatFloat(1e23, 'f', -1), "100000000000000000000000");
  EXPECT_EQ(FormatFloat(1e21, 'g', -1), "1e+21");
  EXPECT_EQ(FormatFloat(0.1, 'g', -1), "0.1");
  EXPECT_EQ(FormatFloat(0.000001234, 'f', -1), "0.000001234");
  EXPECT_EQ(FormatFloat(100, 'g', 3), "100");
  EXPECT_EQ(FormatFloat(1000, 'g', 3), "1e+03");
  EXPECT_EQ(FormatFloat(2.5, 'f', 0), "2");
  EXPECT_EQ(FormatFloat(0, 'g', -1), "0");
  EXPECT_EQ(FormatFloat(-0.0, 'g', -1), "-0");
}

}  // namespace
}  // namespace drover::templates
