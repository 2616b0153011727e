// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cluster/go_time.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

TEST(GoTime, WritesTheBytesThatGoWrites) {
  // 2026-01-02T03:04:05.000000006Z: 63902919845 seconds after the year 1.
  const WallTime time = 1'767'323'045'000'000'006;
  const std::string expected("\x01\x00\x00\x00\x0e\xe0\xe9\x2c\xa5\x00\x00\x00\x06\xff\xff", 15);
  EXPECT_EQ(WriteGoTime(time), expected);
  EXPECT_EQ(ReadGoTime(expected), time);
}

TEST(GoTime, ReadsWhatItWrites) {
  for (const WallTime time : {WallTime{1}, WallTime{999'999'999}, WallTime{1'000'000'000},
                              WallTime{1'785'000'000'123'456'789}}) {
    EXPECT_EQ(ReadGoTime(WriteGoTime(time)), time);
  }
}

TEST(GoTime, HasAZeroTime) {
  const std::string zero("\x01\0\0\0\0\0\0\0\0\0\0\0\0\xff\xff", 15);
  EXPECT_EQ(WriteGoTime(0), zero);
  EXPECT_EQ(ReadGoTime(zero), WallTime{0});
}

TEST(GoTime, IgnoresTheOffsetOfTheZone) {
  std::string bytes = WriteGoTime(1'785'000'000'000'000'000);
  bytes[13] = 0;
  bytes[14] = 120;  // two hours east
  EXPECT_EQ(ReadGoTime(bytes), WallTime{1'785'000'000'000'000'000});
  bytes[0] = 2;
  bytes += '\x1e';  // and 30 seconds
  EXPECT_EQ(ReadGoTime(bytes), WallTime{1'785'000'000'000'000'000});
}

TEST(GoTime, RefusesOtherBytes) {
  const std::string right = WriteGoTime(1'785'000'000'000'000'000);
  EXPECT_FALSE(ReadGoTime(""));
  EXPECT_FALSE(ReadGoTime(right.substr(0, 14)));
  EXPECT_FALSE(ReadGoTime(right + "x"));
  std::string wrong = right;
  wrong[0] = 3;
  EXPECT_FALSE(ReadGoTime(wrong)) << "an unknown version";
  wrong = right;
  wrong[0] = 2;
  EXPECT_FALSE(ReadGoTime(wrong)) << "version 2 has 16 bytes";
  wrong = right;
  wrong[9] = '\x7f';
  EXPECT_FALSE(ReadGoTime(wrong)) << "more than a second of nanoseconds";
  wrong = right;
  wrong[1] = '\x7f';
  EXPECT_FALSE(ReadGoTime(wrong)) << "far beyond the year 2261";
  wrong = right;
  wrong[1] = '\xff';
  EXPECT_FALSE(ReadGoTime(wrong)) << "before the year 1";
}

}  // namespace
}  // namespace drover
