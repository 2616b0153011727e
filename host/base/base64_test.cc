// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/base64.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

TEST(Base64Test, TheVectorsOfItsSpecification) {
  const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : vectors) {
    EXPECT_EQ(Base64(bytes), text);
    EXPECT_EQ(FromBase64(text), bytes);
  }
}

TEST(Base64Test, EveryByteComesBack) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  EXPECT_EQ(Base64(all).substr(336), "/P3+/w==");
  EXPECT_EQ(FromBase64(Base64(all)), all);
}

TEST(Base64Test, WhatIsNoneIsRefused) {
  for (const char* text :
       {"Zg", "Zg=", "Zg===", "Z===", "====", "Z=9v", "Zm9v\n", "Zm9*", "Zm-_"}) {
    EXPECT_EQ(FromBase64(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace drover
