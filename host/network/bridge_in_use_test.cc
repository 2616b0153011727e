// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/network/bridge_in_use.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

TEST(BridgeInUseTest, OnlyABridgeWithOtherAddressesCannotBeUsed) {
  BridgeSettings settings;
  settings.name = "br7";
  settings.subnet = "10.7.0.0/16";
  EXPECT_TRUE(CheckBridgeAddresses(settings, {}).ok());
  EXPECT_TRUE(CheckBridgeAddresses(settings, {"10.7.0.1"}).ok());
  EXPECT_TRUE(CheckBridgeAddresses(settings, {"192.0.2.1", "10.7.0.1"}).ok());
  const Status other = CheckBridgeAddresses(settings, {"10.8.0.1"});
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().message(),
            "the bridge br7 has the address 10.8.0.1, which is not in client.bridge_network_subnet "
            "10.7.0.0/16, and something is attached to it, such as earlier allocations: end these, "
            "or give the bridge a new name by client.bridge_network_name");
}

TEST(BridgeInUseTest, ABridgeThatIsNotThereCanBeMade) {
  BridgeSettings settings;
  settings.name = "no-such-bridge0";
  EXPECT_TRUE(CheckBridge(settings).ok());
}

}  // namespace
}  // namespace drover
