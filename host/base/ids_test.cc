// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/ids.h"

#include <gtest/gtest.h>

#include <regex>

namespace drover {
namespace {

TEST(RunIdTest, TextAndBack) {
  const RunId id = RunId::Random();
  EXPECT_EQ(RunId::Parse(id.ToString()).value(), id);
  EXPECT_EQ(id.Short().size(), 16u);
  EXPECT_NE(id, RunId::Random());
}

TEST(RunIdTest, RefusesOtherTexts) {
  const std::string good = RunId::Random().ToString();
  for (const std::string& bad : {std::string(), good.substr(1), good + "0", "g" + good.substr(1),
                                 "A" + good.substr(1), "../" + good.substr(3)}) {
    EXPECT_EQ(RunId::Parse(bad).code(), Code::kInvalidArgument) << bad;
  }
}

TEST(UuidTest, IsVersionFour) {
  EXPECT_TRUE(std::regex_match(
      RandomUuid(),
      std::regex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")));
}

}  // namespace
}  // namespace drover
