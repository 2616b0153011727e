// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/network/bridge_conflist.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

using nlohmann::json;

TEST(BridgeConflistTest, TheBridgeLeadsOutAndMapsPorts) {
  const Conflist list = BridgeConflist({});
  EXPECT_EQ(list.name, "drover");
  ASSERT_EQ(list.plugins.size(), 3u);
  const json& bridge = list.plugins[0].config;
  EXPECT_EQ(bridge["bridge"], "drover");
  EXPECT_EQ(bridge["ipMasq"], true);
  EXPECT_EQ(bridge["hairpinMode"], false);
  EXPECT_EQ(bridge["ipam"]["ranges"], json::parse(R"([[{"subnet": "172.26.64.0/20"}]])"));
  EXPECT_EQ(bridge["ipam"]["routes"], json::parse(R"([{"dst": "0.0.0.0/0"}])"));
  EXPECT_EQ(bridge["ipam"]["dataDir"], "/run/drover-leases");
  EXPECT_TRUE(list.plugins[2].Has("portMappings"));
}

TEST(BridgeConflistTest, ASecondSubnetIsOfIpv6) {
  const Conflist list = BridgeConflist({"br7", "10.7.0.0/16", "fd07::/64", true, "/run/leases"});
  const json& bridge = list.plugins[0].config;
  EXPECT_EQ(bridge["bridge"], "br7");
  EXPECT_EQ(bridge["hairpinMode"], true);
  EXPECT_EQ(bridge["ipam"]["ranges"],
            json::parse(R"([[{"subnet": "10.7.0.0/16"}], [{"subnet": "fd07::/64"}]])"));
  EXPECT_EQ(bridge["ipam"]["routes"], json::parse(R"([{"dst": "0.0.0.0/0"}, {"dst": "::/0"}])"));
}

TEST(BridgeConflistTest, ItsTextIsTheSameNetwork) {
  const Conflist list = BridgeConflist({});
  const Result<Conflist> read = ParseConflist(list.text);
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(read->name, list.name);
  EXPECT_EQ(read->version, list.version);
  ASSERT_EQ(read->plugins.size(), list.plugins.size());
  for (std::size_t i = 0; i < list.plugins.size(); ++i) {
    EXPECT_EQ(read->plugins[i].type, list.plugins[i].type);
    EXPECT_EQ(read->plugins[i].config, list.plugins[i].config);
  }
}

}  // namespace
}  // namespace drover
