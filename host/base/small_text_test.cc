// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/small_text.h"

#include <gtest/gtest.h>

#include <utility>

namespace drover {
namespace {

TEST(SmallTextTest, HasEachByteOfItsText) {
  const std::string with_zero("a\0b", 3);
  const SmallText text = with_zero;
  EXPECT_TRUE(text == with_zero);
  EXPECT_FALSE(text == "a");
  EXPECT_EQ(static_cast<std::string>(text), with_zero);
}

TEST(SmallTextTest, IsEmptyAtFirstAndWhenCleared) {
  SmallText text;
  EXPECT_TRUE(text.empty());
  EXPECT_TRUE(text == "");
  EXPECT_EQ(sizeof(text), 8u);
  text = "id";
  EXPECT_FALSE(text.empty());
  text.clear();
  EXPECT_TRUE(text == SmallText());
}

TEST(SmallTextTest, ACopyHasItsOwnText) {
  SmallText text = "first";
  const SmallText copy = text;
  text = "second";
  EXPECT_TRUE(copy == "first");
  const SmallText& same = text;
  text = same;
  EXPECT_TRUE(text == "second");
  const SmallText moved = std::move(text);
  EXPECT_TRUE(moved == "second");
}

}  // namespace
}  // namespace drover
