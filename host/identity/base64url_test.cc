// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/identity/base64url.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

TEST(Base64UrlTest, KnownForms) {
  EXPECT_EQ(Base64Url(""), "");
  EXPECT_EQ(Base64Url("f"), "Zg");
  EXPECT_EQ(Base64Url("fo"), "Zm8");
  EXPECT_EQ(Base64Url("foo"), "Zm9v");
  EXPECT_EQ(Base64Url("\xfb\xff\xfe"), "-__-");
}

TEST(Base64UrlTest, WhatItReturnsIsReadAgain) {
  std::string bytes;
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(FromBase64Url(Base64Url(bytes)), bytes);
    bytes += static_cast<char>(i * 7);
  }
}

TEST(Base64UrlTest, EveryOtherFormIsRefused) {
  for (const char* text : {"Zg==", "Zg=", "Z", "Zm9vY", "Zh", "Zm9", "-__+", "+//-", "Zm 8",
                           "Zm8\n", "Zm8.", "=", "====", "Zm\xc3\xb6"}) {
    EXPECT_FALSE(FromBase64Url(text)) << text;
  }
  EXPECT_FALSE(FromBase64Url(std::string_view("Zm8\0", 4)));
}

}  // namespace
}  // namespace drover
