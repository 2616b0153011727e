// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/encode/encode.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

using nlohmann::json;

TEST(EncodeTest, TimesAreThoseOfGo) {
  EXPECT_EQ(Rfc3339(0), "0001-01-01T00:00:00Z");
  EXPECT_EQ(Rfc3339(1'700'000'000'000'000'042), "2023-11-14T22:13:20.000000042Z");
}

TEST(SplitAddressTest, HostsAndPorts) {
  const auto split = [](const std::string& address) {
    const HostAndPort parts = SplitAddress(address);
    return parts.host + " " + std::to_string(parts.port);
  };
  EXPECT_EQ(split("127.0.0.1:4646"), "127.0.0.1 4646");
  EXPECT_EQ(split("node.example:80"), "node.example 80");
  EXPECT_EQ(split("[::1]:4646"), "::1 4646");
  EXPECT_EQ(split(""), " 0");
}

TEST(EncodeNodeTest, NetworksHaveBothForms) {
  NodeRecord node;
  node.interfaces = {{"eth0",
                      "02:00:00:00:00:01",
                      1000,
                      false,
                      true,
                      {{"192.0.2.2", false}, {"2001:db8::2", true}}},
                     {"lo", "", 0, true, false, {{"127.0.0.1", false}}}};
  const auto address = [](const char* ip, const char* cidr, const char* device, int mbits) {
    return json{{"Mode", "host"},           {"Device", device},        {"CIDR", cidr},  {"IP", ip},
                {"ReservedPorts", nullptr}, {"DynamicPorts", nullptr}, {"MBits", mbits}};
  };
  json encoded = EncodeNode(node);
  const json wanted = {address("192.0.2.2", "192.0.2.2/32", "eth0", 1000),
                       address("2001:db8::2", "2001:db8::2/128", "eth0", 1000)};
  EXPECT_EQ(encoded["NodeResources"]["Networks"], wanted);
  EXPECT_EQ(encoded["Resources"]["Networks"], wanted);
  const json interfaces = encoded["NodeResources"]["NodeNetworks"];
  ASSERT_EQ(interfaces.size(), 2u);
  EXPECT_EQ(interfaces[0]["Device"], "eth0");
  EXPECT_EQ(interfaces[0]["MacAddress"], "02:00:00:00:00:01");
  EXPECT_EQ(interfaces[0]["Speed"], 1000);
  EXPECT_EQ(interfaces[0]["Addresses"][1], json({{"Family", "ipv6"},
                                                 {"Alias", "default"},
                                                 {"Address", "2001:db8::2"},
                                                 {"ReservedPorts", ""},
                                                 {"Gateway", ""}}));
  EXPECT_EQ(interfaces[1]["Device"], "lo");
  EXPECT_EQ(interfaces[1]["Addresses"][0]["Alias"], "");
  // A machine without a network has only the loopback.
  node.interfaces.erase(node.interfaces.begin());
  encoded = EncodeNodeStub(node, true, false);
  EXPECT_EQ(encoded["NodeResources"]["Networks"],
            json::array({address("127.0.0.1", "127.0.0.1/32", "lo", 0)}));
}

TEST(EncodeNodeTest, NetworksOfPluginsHaveNoAddress) {
  NodeRecord node;
  node.attributes = {{"network.mode.bridge", "drover"}, {"network.mode.cni/mesh", "mesh"}};
  const json resources = EncodeNode(node)["NodeResources"];
  for (const char* const list : {"Networks", "NodeNetworks"}) {
    ASSERT_EQ(resources[list].size(), 2u) << list;
    EXPECT_EQ(resources[list][0]["Mode"], "bridge");
    EXPECT_EQ(resources[list][0]["Device"], "drover");
    EXPECT_EQ(resources[list][1]["Mode"], "cni/mesh");
  }
  EXPECT_EQ(resources["Networks"][0]["IP"], "");
}

TEST(EncodeAllocTest, TheNetworkIsThatOfTheReport) {
  auto alloc = std::make_shared<Allocation>();
  auto job = std::make_shared<Job>();
  job->groups.resize(1);
  alloc->job = std::move(job);
  auto job_record = std::make_shared<JobRecord>();
  job_record->job = alloc->job;
  job_record->json = std::make_shared<const json>(json::object());
  AllocRecord record;
  record.alloc = std::move(alloc);
  record.job = std::move(job_record);
  record.reported.network = AllocationNetwork{"eth0", "172.26.64.2", "fd00::2"};
  const json without = {{"InterfaceName", "eth0"},
                        {"Address", "172.26.64.2"},
                        {"AddressIPv6", "fd00::2"},
                        {"DNS", nullptr}};
  EXPECT_EQ(EncodeAlloc(record)["NetworkStatus"], without);
  record.reported.network->dns = {{"9.9.9.9"}, {"example"}, {"rotate"}};
  EXPECT_EQ(EncodeAlloc(record)["NetworkStatus"]["DNS"],
            json::parse(R"({"Servers": ["9.9.9.9"], "Searches": ["example"],
                            "Options": ["rotate"]})"));
}

TEST(EncodeAllocTest, TheHealthIsThatOfTheReport) {
  auto alloc = std::make_shared<Allocation>();
  alloc->job = std::make_shared<const Job>();
  AllocRecord record;
  record.alloc = std::move(alloc);
  record.job = std::make_shared<const JobRecord>();
  record.modify_index = 7;
  EXPECT_EQ(EncodeAllocStub(record, StubFields())["DeploymentStatus"], nullptr);
  record.reported.health = AllocHealth{false, 1'700'000'000'000'000'000};
  EXPECT_EQ(EncodeAllocStub(record, StubFields())["DeploymentStatus"],
            json({{"Healthy", false},
                  {"Timestamp", "2023-11-14T22:13:20.000000000Z"},
                  {"Canary", false},
                  {"ModifyIndex", 7}}));
}

}  // namespace
}  // namespace drover
