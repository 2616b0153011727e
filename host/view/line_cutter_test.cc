// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/view/line_cutter.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

using Lines = std::vector<std::string>;

TEST(LineCutterTest, CutsAtLineBreaksAcrossChunks) {
  LineCutter cutter;
  EXPECT_EQ(cutter.Add("a\nb"), (Lines{"a"}));
  EXPECT_EQ(cutter.Add("c\n\nd"), (Lines{"bc", ""}));
  EXPECT_EQ(cutter.Add("\n"), (Lines{"d"}));
  EXPECT_EQ(cutter.TakeRest(), "");
  EXPECT_EQ(cutter.Add("rest"), Lines());
  EXPECT_EQ(cutter.TakeRest(), "rest");
}

TEST(LineCutterTest, CutsLinesThatAreTooLong) {
  LineCutter cutter;
  const Lines lines = cutter.Add(std::string(2 * LineCutter::kMaxLine + 5, 'x') + "\ny\n");
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0].size(), LineCutter::kMaxLine);
  EXPECT_EQ(lines[1].size(), LineCutter::kMaxLine);
  EXPECT_EQ(lines[2], "xxxxx");
  EXPECT_EQ(lines[3], "y");
}

TEST(LineCutterTest, ALineOfExactlyTheLimitIsOneLine) {
  LineCutter cutter;
  const std::string line(LineCutter::kMaxLine, 'x');
  EXPECT_EQ(cutter.Add(line + "\nz\n"), (Lines{line, "z"}));
}

}  // namespace
}  // namespace drover
