// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/stats/sample_window.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

TEST(SampleWindowTest, ShowsTheLastWholeWindow) {
  SampleWindow window;
  const TimePoint start{1000s};
  for (const double value : {2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0}) window.Add(start, value);
  EXPECT_EQ(window.Look(start).count, 0u) << "the window has not ended";
  const SampleWindow::Summary seen = window.Look(start + 10s);
  EXPECT_EQ(seen.count, 8u);
  EXPECT_EQ(seen.sum, 40);
  EXPECT_EQ(seen.Mean(), 5);
  EXPECT_EQ(seen.least, 2);
  EXPECT_EQ(seen.most, 9);
  EXPECT_NEAR(seen.Deviation(), 2.138, 0.001);
  window.Add(start + 11s, 1);
  EXPECT_EQ(window.Look(start + 12s).count, 8u);
  EXPECT_EQ(window.Look(start + 21s).count, 1u);
  EXPECT_EQ(window.Look(start + 21s).Deviation(), 0);
  EXPECT_EQ(window.Look(start + 31s).count, 0u) << "an empty window counts as a window";
  window.Add(start + 51s, 3);
  EXPECT_EQ(window.Look(start + 51s).count, 0u) << "the previous window was empty";
}

}  // namespace
}  // namespace drover
