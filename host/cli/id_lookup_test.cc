// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/id_lookup.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

TEST(ListedPrefixTest, HasTheHyphensOfAnIdAndAnEvenNumberOfDigits) {
  EXPECT_EQ(*ListedPrefix("ab"), "ab");
  EXPECT_EQ(*ListedPrefix("abc"), "ab");
  EXPECT_EQ(*ListedPrefix("12345678-9"), "12345678");
  EXPECT_EQ(*ListedPrefix("1234567890"), "12345678-90");
  EXPECT_EQ(*ListedPrefix("0123456789abcdef0123456789abcdef"),
            "01234567-89ab-cdef-0123-456789abcdef");
}

TEST(ListedPrefixTest, NeedsTwoCharacters) {
  EXPECT_EQ(ListedPrefix("a").code(), Code::kInvalidArgument);
  EXPECT_EQ(ListedPrefix("a-").code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace drover
