// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/advertised_address.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

std::string Advertised(const std::string& address, const std::string& advertise) {
  AgentConfig::Http http;
  http.address = address;
  http.advertise = advertise;
  return AdvertisedAddress(http, 4646);
}

TEST(AdvertisedAddressTest, IsTheOneThatIsBoundUnlessAnotherIsConfigured) {
  EXPECT_EQ(Advertised("127.0.0.1", ""), "127.0.0.1:4646");
  EXPECT_EQ(Advertised("::1", ""), "[::1]:4646");
  EXPECT_EQ(Advertised("0.0.0.0", "node.example"), "node.example:4646");
  EXPECT_EQ(Advertised("0.0.0.0", "node.example:80"), "node.example:80");
  EXPECT_EQ(Advertised("::", "[fd00::1]"), "[fd00::1]:4646");
  EXPECT_EQ(Advertised("::", "[fd00::1]:80"), "[fd00::1]:80");
}

TEST(AdvertisedAddressTest, IsNeverAllAddresses) {
  for (const char* all : {"0.0.0.0", "::"}) {
    const std::string address = Advertised(all, "");
    EXPECT_TRUE(address.ends_with(":4646")) << address;
    EXPECT_FALSE(address.starts_with("0.0.0.0") || address.find("::") != std::string::npos)
        << address;
  }
}

}  // namespace
}  // namespace drover
