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

TEST(AbiTextTest, APlainTextLooksLikeWhatItIs) {
  for (const char* plain : {"", "docker.io/library/redis:7", "gr\u00fcn", "\u00a0", "\u2027",
                            "\u202f", "\u2065", "\u206a", "\U0001f600"}) {
    EXPECT_TRUE(IsPlainText(plain)) << plain;
  }
  for (const char* odd : {"a\nb", "\x1b[31m", "\x7f", "a\xff", "\xc2\x80", "\xc2\x9b", "\xc2\x9f",
                          "a\u2028", "a\u202ab", "a\u202eb", "\u2066", "\u2069"}) {
    EXPECT_FALSE(IsPlainText(odd)) << odd;
  }
}

}  // namespace
}  // namespace drover
