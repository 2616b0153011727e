// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/common_text.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

TEST(CommonTextTest, EqualTextsAreOneText) {
  const CommonText status = "complete";
  CommonText other = std::string("comp") + "lete";
  EXPECT_EQ(&status.str(), &other.str());
  EXPECT_TRUE(status == other);
  EXPECT_TRUE(status == "complete");
  other = "failed";
  EXPECT_FALSE(status == other);
  const std::string& text = other;
  EXPECT_EQ(text, "failed");
}

TEST(CommonTextTest, IsEmptyAtFirstAndWhenCleared) {
  CommonText text;
  EXPECT_TRUE(text.empty());
  EXPECT_TRUE(text == CommonText(""));
  EXPECT_EQ(text.str(), "");
  text = "blocked";
  EXPECT_FALSE(text.empty());
  text.clear();
  EXPECT_TRUE(text == "");
}

}  // namespace
}  // namespace drover
