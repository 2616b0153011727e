// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/render/quiet_time.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

constexpr TimePoint kStart{1000s};

TEST(QuietTimeTest, WithoutAWaitATemplateIsDueAtOnce) {
  QuietTime quiet;
  EXPECT_FALSE(quiet.is_changed());
  quiet.Changed(kStart);
  quiet.Changed(kStart + 5s);
  EXPECT_EQ(quiet.Due(std::nullopt), kStart);
}

TEST(QuietTimeTest, EachChangeDelaysUntilTheLongestWait) {
  const TemplateWait wait{2s, 5s};
  QuietTime quiet;
  quiet.Changed(kStart);
  EXPECT_EQ(quiet.Due(wait), kStart + 2s);
  quiet.Changed(kStart + 1s);
  EXPECT_EQ(quiet.Due(wait), kStart + 3s);
  quiet.Changed(kStart + 4s);
  EXPECT_EQ(quiet.Due(wait), kStart + 5s);
  quiet.Rendered();
  EXPECT_FALSE(quiet.is_changed());
  quiet.Changed(kStart + 10s);
  EXPECT_EQ(quiet.Due(wait), kStart + 12s);
}

}  // namespace
}  // namespace drover
