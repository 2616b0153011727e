// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cluster/yamux_frame.h"

#include <gtest/gtest.h>

#include <string>

namespace drover {
namespace {

TEST(YamuxFrameTest, TheHeadHasTheBytesOfTheProtocol) {
  std::string bytes;
  AppendYamuxHead({YamuxType::kWindow, kYamuxSyn, 3, 0x01020304}, &bytes);
  EXPECT_EQ(bytes, std::string("\x00\x01\x00\x01\x00\x00\x00\x03\x01\x02\x03\x04", 12));
  EXPECT_EQ(ReadYamuxHead(bytes), (YamuxHead{YamuxType::kWindow, kYamuxSyn, 3, 0x01020304}));
}

TEST(YamuxFrameTest, UnknownVersionsTypesAndSizesAreRefused) {
  std::string bytes;
  AppendYamuxHead({YamuxType::kGoAway, 0, 0, 1}, &bytes);
  EXPECT_TRUE(ReadYamuxHead(bytes).has_value());
  EXPECT_FALSE(ReadYamuxHead(bytes.substr(1)).has_value());
  bytes[1] = 4;
  EXPECT_FALSE(ReadYamuxHead(bytes).has_value());
  bytes[1] = 3;
  bytes[0] = 1;
  EXPECT_FALSE(ReadYamuxHead(bytes).has_value());
}

}  // namespace
}  // namespace drover
