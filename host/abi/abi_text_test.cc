// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/abi/abi_text.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

TEST(AbiTextTest, ALineStaysOneLine) {
  EXPECT_EQ(OneLine(""), "");
  EXPECT_EQ(OneLine("it is gr\u00fcn"), "it is gr\u00fcn");
  EXPECT_EQ(OneLine("a\n[critical] b\tc\r\x1b[2Kd"), "a [critical] b c??[2Kd");
  EXPECT_EQ(OneLine("a\xff"), "a\ufffd");
  EXPECT_EQ(OneLine("a\xc2\x9b"
                    "b\u2028c\u202ed\u2066e"),
            "a?b?c?d?e");
}

}  // namespace
}  // namespace drover
