// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/ip_network.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

TEST(IpNetworkTest, AnAddressIsInsideByItsPrefix) {
  const auto four = IpNetwork::Parse("192.0.2.64/26");
  ASSERT_TRUE(four);
  EXPECT_FALSE(four->ipv6());
  EXPECT_EQ(four->prefix(), 26);
  for (const char* const in : {"192.0.2.64", "192.0.2.127"}) EXPECT_TRUE(four->Contains(in)) << in;
  for (const char* const out : {"192.0.2.63", "192.0.2.128", "::1", "", "x"})
    EXPECT_FALSE(four->Contains(out)) << out;
  const auto six = IpNetwork::Parse("fd00:1::/33");
  ASSERT_TRUE(six);
  EXPECT_TRUE(six->ipv6());
  EXPECT_TRUE(six->Contains("fd00:1:7fff::9"));
  EXPECT_FALSE(six->Contains("fd00:1:8000::9"));
  EXPECT_FALSE(six->Contains("192.0.2.64"));
  EXPECT_TRUE(IpNetwork::Parse("0.0.0.0/0")->Contains("203.0.113.9"));
}

TEST(IpNetworkTest, AnythingElseIsNone) {
  for (const char* const text : {"", "192.0.2.1", "192.0.2.1/", "192.0.2.1/33", "192.0.2.1/-1",
                                 "fd00::/129", "192.0.2/24", "a/8", "192.0.2.0/24/8"})
    EXPECT_FALSE(IpNetwork::Parse(text)) << text;
}

}  // namespace
}  // namespace drover
