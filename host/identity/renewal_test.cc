// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/identity/renewal.h"

#include <gtest/gtest.h>

#include "host/base/loop.h"

namespace drover {
namespace {

TEST(RenewalTest, IsDueAtHalfOfTheTtl) {
  const SimLoop loop;
  const TimePoint now = loop.Now();
  EXPECT_EQ(RenewalTime(now, 1h).due(), now + 30min);
  EXPECT_EQ(RenewalTime(now, 24h * 365).due(), now + 12h * 365);
  EXPECT_EQ(RenewalTime(now, 20s).due(), now + 10s);
  EXPECT_EQ(RenewalTime(now, 1s).due(), now + 10s);
  EXPECT_EQ(RenewalTime(now, Duration::max()).due(), now + 24h * 365 * 50);
}

TEST(RenewalTest, AnOldTokenIsDueAtOnce) {
  const SimLoop loop;
  EXPECT_LT(RenewalTime(loop.Now() - 50min, 1h).due(), loop.Now());
  EXPECT_EQ(RenewalTime(loop.Now() - 20min, 1h).due(), loop.Now() + 10min);
}

TEST(RenewalTest, ARenewedTokenIsDueAtHalfOfItsTtl) {
  SimLoop loop;
  RenewalTime renewal(loop.Now(), 1h);
  loop.Advance(40min);
  renewal.Renewed(loop.Now());
  EXPECT_EQ(renewal.due(), loop.Now() + 30min);
}

TEST(RenewalTest, AfterFailuresItWaitsLongerAndLonger) {
  SimLoop loop;
  RenewalTime renewal(loop.Now(), 1h);
  for (const Duration pause : {10s, 20s, 40s, 80s, 160s, 320s, 640s, 1280s, 2560s, 3600s, 3600s}) {
    renewal.Failed(loop.Now());
    EXPECT_EQ(renewal.due(), loop.Now() + pause);
    loop.Advance(pause);
  }
  renewal.Renewed(loop.Now());
  EXPECT_EQ(renewal.due(), loop.Now() + 30min);
  renewal.Failed(loop.Now());
  EXPECT_EQ(renewal.due(), loop.Now() + 10s);
}

}  // namespace
}  // namespace drover
