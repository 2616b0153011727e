// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cluster/snappy_block.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace drover {
namespace {

using namespace std::string_literals;

constexpr std::size_t kMostSnappy = 1000;

TEST(SnappyBlock, ReadsBytesAndCopies) {
  EXPECT_EQ(ReadSnappyBlock("\x00"s, kMostSnappy), "");
  EXPECT_EQ(ReadSnappyBlock("\x05\x10hello"s, kMostSnappy), "hello");
  // "ab", then eight bytes from two bytes before: with one byte of offset, with two and with four.
  EXPECT_EQ(ReadSnappyBlock("\x0a\x04"
                            "ab\x11\x02"s,
                            kMostSnappy),
            "ababababab");
  EXPECT_EQ(ReadSnappyBlock("\x0a\x04"
                            "ab\x1e\x02\x00"s,
                            kMostSnappy),
            "ababababab");
  EXPECT_EQ(ReadSnappyBlock("\x0a\x04"
                            "ab\x1f\x02\x00\x00\x00"s,
                            kMostSnappy),
            "ababababab");
}

TEST(SnappyBlock, ReadsALongText) {
  const std::string text(300, 'z');
  EXPECT_EQ(ReadSnappyBlock("\xac\x02\xf4\x2b\x01"s + text, kMostSnappy), text);
}

TEST(SnappyBlock, RefusesDamagedBlocks) {
  EXPECT_FALSE(ReadSnappyBlock("", kMostSnappy));
  EXPECT_FALSE(ReadSnappyBlock("\x05\x10hell"s, kMostSnappy)) << "cut";
  EXPECT_FALSE(ReadSnappyBlock("\x06\x10hello"s, kMostSnappy)) << "shorter than it says";
  EXPECT_FALSE(ReadSnappyBlock("\x04\x10hello"s, kMostSnappy)) << "longer than it says";
  EXPECT_FALSE(
      ReadSnappyBlock("\x0a\x04"
                      "ab\x11\x03"s,
                      kMostSnappy))
      << "a copy from before the start";
  EXPECT_FALSE(
      ReadSnappyBlock("\x0a\x04"
                      "ab\x11\x00"s,
                      kMostSnappy))
      << "a copy from nowhere";
  EXPECT_FALSE(
      ReadSnappyBlock("\x0a\x04"
                      "ab\x1e\x02"s,
                      kMostSnappy))
      << "a cut offset";
  EXPECT_FALSE(ReadSnappyBlock("\xff\xff\xff\xff\xff\x01"s, kMostSnappy))
      << "a size without an end";
  EXPECT_FALSE(ReadSnappyBlock("\x05\x10hello"s, 4)) << "beyond the limit";
  EXPECT_FALSE(ReadSnappyBlock("\xff\xff\xff\xff\x0f"s, kMostSnappy)) << "4 GiB";
}

TEST(SnappyBlock, SurvivesAnyBytes) {
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::string block = "\x20"s;
    for (std::size_t size = random() % 24; size > 0; --size) block += static_cast<char>(random());
    const auto text = ReadSnappyBlock(block, kMostSnappy);
    if (text) {
      EXPECT_EQ(text->size(), 32u);
    }
  }
}

}  // namespace
}  // namespace drover
