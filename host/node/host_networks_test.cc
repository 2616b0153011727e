// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/host_networks.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

using Texts = std::vector<std::string>;

std::vector<NodeInterface> Interfaces() {
  NodeInterface wan;
  wan.device = "eth0";
  wan.addresses = {
      {"203.0.113.7", false, true}, {"203.0.113.8", false, true}, {"2001:db8::7", true}};
  NodeInterface lan;
  lan.device = "eth1";
  lan.addresses = {{"10.0.0.7", false}};
  return {wan, lan};
}

TEST(HostNetworksTest, AddressesAreThoseOfTheInterfaceAndOfTheRange) {
  const std::map<std::string, AgentConfig::Client::HostNetwork> networks = {
      {"both", {"203.0.113.8/32", "eth0", "", {}}}, {"lan", {"", "eth1", "", {}}},
      {"none", {"192.0.2.0/24", "", "", {}}},       {"of-address", {"", "10.0.0.7", "", {}}},
      {"public", {"203.0.113.0/24", "", "", {}}},   {"six", {"2001:db8::/32", "", "", {}}}};
  const auto found = FindHostNetworks(networks, Interfaces());
  EXPECT_EQ(found.at("both"), (Texts{"203.0.113.8"}));
  EXPECT_EQ(found.at("lan"), (Texts{"10.0.0.7"}));
  EXPECT_EQ(found.at("none"), Texts());
  EXPECT_EQ(found.at("of-address"), (Texts{"10.0.0.7"}));
  EXPECT_EQ(found.at("public"), (Texts{"203.0.113.7", "203.0.113.8"}));
  EXPECT_EQ(found.at("six"), (Texts{"2001:db8::7"}));
}

TEST(HostNetworksTest, PortsAreReservedOnTheirAddressesOnly) {
  const std::map<std::string, AgentConfig::Client::HostNetwork> networks = {
      {"lan", {"", "eth1", "", {}}}, {"public", {"203.0.113.0/24", "", "22", {22}}}};
  const auto reserved = ReservedOfAddresses(networks, FindHostNetworks(networks, Interfaces()));
  EXPECT_EQ(reserved,
            (std::map<std::string, std::set<int>>{{"203.0.113.7", {22}}, {"203.0.113.8", {22}}}));
}

}  // namespace
}  // namespace drover
