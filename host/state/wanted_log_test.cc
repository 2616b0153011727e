// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/state/wanted_log.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

using Ids = std::set<std::string>;

TEST(WantedLogTest, ReturnsWhatChangedAfterAnIndex) {
  WantedLog log;
  EXPECT_EQ(log.Since(0), Ids());
  log.Add(3, "a");
  log.Add(3, "b");
  log.Add(5, "a");
  EXPECT_EQ(log.Since(0), (Ids{"a", "b"}));
  EXPECT_EQ(log.Since(3), Ids{"a"});
  EXPECT_EQ(log.Since(5), Ids());
}

TEST(WantedLogTest, SaysWhenItDoesNotKnow) {
  WantedLog log(2);
  log.Add(3, "a");
  log.Add(3, "b");
  log.Add(5, "c");
  EXPECT_EQ(log.Since(2), std::nullopt) << "the first change of 3 is forgotten";
  EXPECT_EQ(log.Since(3), Ids{"c"});
  for (const char* id : {"d", "e", "f"}) log.Add(7, id);
  EXPECT_EQ(log.Since(5), std::nullopt) << "one write had more changes than it remembers";
  EXPECT_EQ(log.Since(7), Ids());
  log.Add(8, "g");
  EXPECT_EQ(log.Since(7), Ids{"g"});
}

}  // namespace
}  // namespace drover
