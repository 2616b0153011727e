// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/network/cni_result.h"

#include <gmock/gmock.h>

namespace drover {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

json Whole() {
  return json::parse(R"({"cniVersion": "1.0.0",
    "interfaces": [{"name": "br0", "mac": "5e:96:99:b8:65:9f"}, {"name": "veth1"},
                   {"name": "eth0", "sandbox": "/run/ns"}, {"name": "eth1", "sandbox": "/run/ns"}],
    "ips": [{"interface": 3, "address": "10.9.9.9/8"},
            {"interface": 2, "address": "172.26.64.2/20", "gateway": "172.26.64.1"},
            {"interface": 2, "address": "fd00::2/64"}, {"interface": 2, "address": "172.26.64.3/20"}],
    "dns": {"nameservers": ["9.9.9.9"], "search": ["svc.example"], "options": ["ndots:2"]}})");
}

std::string Refusal(const json& result) {
  const Result<AllocationNetwork> read = ReadCniResult(result, "eth0");
  return read.ok() ? "" : read.error().message();
}

TEST(CniResultTest, TheAddressesAreThoseOfTheInterfaceInside) {
  const Result<AllocationNetwork> read = ReadCniResult(Whole(), "eth0");
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(*read,
            (AllocationNetwork{
                "eth0", "172.26.64.2", "fd00::2", {{"9.9.9.9"}, {"svc.example"}, {"ndots:2"}}}));
}

TEST(CniResultTest, AnAddressWithoutAnInterfaceCounts) {
  const json result = json::parse(R"({"ips": [{"version": "6", "address": "fd00::7/64"}]})");
  const Result<AllocationNetwork> read = ReadCniResult(result, "eth0");
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(read->address, "");
  EXPECT_EQ(read->address_ipv6, "fd00::7");
}

TEST(CniResultTest, WhatIsWrongIsRefused) {
  const std::pair<const char*, const char*> wrong[] = {
      {"[]", "is no object"},
      {"{}", "has no address of the interface \"eth0\""},
      {R"({"ips": null})", "has no address"},
      {R"({"ips": 7})", "has \"ips\" that is no list of at most 256 elements"},
      {R"({"ips": [7]})", "has an address that is no object"},
      {R"({"ips": [{}]})", "has \"\", which is no address"},
      {R"({"ips": [{"address": "10.0.0.1; rm"}]})", "which is no address"},
      {R"({"ips": [{"address": "10.0.0.1/8", "interface": 4}]})",
       "of an interface that it does not"},
      {R"({"ips": [{"address": "10.0.0.1/8", "interface": -1}]})",
       "of an interface that it does not"},
      {R"({"ips": [{"address": "10.0.0.1/8", "interface": "a"}]})", "of an interface that it does"},
      {R"({"ips": [{"address": "10.0.0.1/8"}], "dns": {"nameservers": ["ns"]}})", "has \"ns\" in"},
      {R"({"ips": [{"address": "10.0.0.1/8"}], "dns": {"search": ["a\nb"]}})", "in \"dns\""},
      {R"({"ips": [{"address": "10.0.0.1/8"}], "dns": {"options": {}}})", "that is no list"},
  };
  for (const auto& [text, message] : wrong) {
    EXPECT_THAT(Refusal(json::parse(text)),
                testing::AllOf(HasSubstr("the result of its CNI plugins "), HasSubstr(message)))
        << text;
  }
  json many = Whole();
  for (int i = 0; i < 300; ++i) many["ips"].push_back(many["ips"][1]);
  EXPECT_THAT(Refusal(many), HasSubstr("at most 256 elements"));
}

}  // namespace
}  // namespace drover
