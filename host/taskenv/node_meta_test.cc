// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/taskenv/node_meta.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drover {
namespace {

using ::testing::HasSubstr;

TEST(NodeMetaTest, WhatIsSetLiesOverTheConfiguration) {
  NodeMeta meta({{"rack", "7"}, {"zone", "a"}}, {{"ssd", "yes"}});
  EXPECT_EQ(meta.merged(), (StringMap{{"rack", "7"}, {"ssd", "yes"}, {"zone", "a"}}));
  ASSERT_TRUE(meta.Apply({{"rack", "8"}, {"zone", std::nullopt}, {"none", std::nullopt}}).ok());
  EXPECT_EQ(meta.merged(), (StringMap{{"rack", "8"}, {"ssd", "yes"}}));
  EXPECT_EQ(meta.configured(), (StringMap{{"rack", "7"}, {"zone", "a"}}));
  EXPECT_EQ(meta.dynamic(),
            (NodeMeta::Changes{{"rack", "8"}, {"ssd", "yes"}, {"zone", std::nullopt}}))
      << "an unset key without a configured value is removed";
  ASSERT_TRUE(meta.Apply({{"zone", ""}, {"ssd", std::nullopt}}).ok());
  EXPECT_EQ(meta.merged(), (StringMap{{"rack", "8"}, {"zone", ""}})) << "empty is not unset";
}

TEST(NodeMetaTest, KeysAreNamesWithDots) {
  for (const char* key : {"a", "_a", "a-1", "connect.log_level", "a.b.c"}) {
    EXPECT_TRUE(NodeMeta().Apply({{key, "x"}}).ok()) << key;
  }
  for (const char* key : {"", ".", "a.", ".a", "a..b", "1a", "-a", "a/b", "a b", "a.1", "${a}"}) {
    NodeMeta meta;
    const Status applied = meta.Apply({{"good", "x"}, {key, "x"}});
    EXPECT_EQ(applied.code(), Code::kInvalidArgument) << key;
    EXPECT_TRUE(meta.dynamic().empty()) << "nothing has changed";
  }
}

TEST(NodeMetaTest, ItIsBounded) {
  NodeMeta meta;
  ASSERT_TRUE(meta.Apply({{"a", std::string(NodeMeta::kMaxBytes - 1, 'x')}}).ok());
  const Status more = meta.Apply({{"b", ""}});
  EXPECT_EQ(more.code(), Code::kInvalidArgument);
  EXPECT_THAT(more.error().message(), HasSubstr("65537 bytes: at most 65536"));
  EXPECT_TRUE(meta.Apply({{"a", std::nullopt}}).ok()) << "a smaller total is accepted";
  EXPECT_TRUE(meta.Apply({{"b", std::string(NodeMeta::kMaxBytes - 1, 'x')}}).ok());
}

}  // namespace
}  // namespace drover
