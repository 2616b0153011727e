// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cluster/cluster_address.h"

#include <gtest/gtest.h>

#include <string>

namespace drover {
namespace {

std::string ReadAddress(const std::string& text) {
  const Result<ClusterAddress> address = ParseClusterAddress(text);
  return address.ok() ? address->ToString() : "refused";
}

TEST(ClusterAddressTest, APortMayBeLeftOut) {
  EXPECT_EQ(ReadAddress("10.0.0.1"), "10.0.0.1:4647");
  EXPECT_EQ(ReadAddress("server-1.example:5000"), "server-1.example:5000");
  EXPECT_EQ(ReadAddress("2001:db8::1"), "[2001:db8::1]:4647");
  EXPECT_EQ(ReadAddress("[2001:db8::1]"), "[2001:db8::1]:4647");
  EXPECT_EQ(ReadAddress("[2001:db8::1]:1"), "[2001:db8::1]:1");
}

TEST(ClusterAddressTest, OtherTextsAreRefused) {
  for (const char* text : {"", ":1", "host:", "host:0", "host:65536", "host:x", "[::1", "[::1]x",
                           "[host]:1", "http://host:1", "provider=aws tag_key=a", "a b"}) {
    EXPECT_EQ(ReadAddress(text), "refused") << text;
  }
  EXPECT_EQ(ReadAddress(std::string(254, 'a')), "refused");
}

}  // namespace
}  // namespace drover
