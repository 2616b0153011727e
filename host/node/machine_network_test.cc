// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/machine_network.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <sstream>

#include "host/base/unique_fd.h"

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Only an address of this machine can be bound.
bool CanBind(const NodeInterface::Address& address) {
  sockaddr_storage at{};
  socklen_t size = sizeof(sockaddr_in);
  if (address.ipv6) {
    auto* ip = reinterpret_cast<sockaddr_in6*>(&at);
    ip->sin6_family = AF_INET6;
    size = sizeof *ip;
    if (inet_pton(AF_INET6, address.text.c_str(), &ip->sin6_addr) != 1) return false;
  } else {
    auto* ip = reinterpret_cast<sockaddr_in*>(&at);
    ip->sin_family = AF_INET;
    if (inet_pton(AF_INET, address.text.c_str(), &ip->sin_addr) != 1) return false;
  }
  const UniqueFd fd(socket(at.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  return fd && bind(fd.get(), reinterpret_cast<const sockaddr*>(&at), size) == 0;
}

TEST(MachineNetworkTest, ReadsTheAddressesOfThisMachine) {
  const std::vector<NodeInterface> all = ReadInterfaces();
  std::set<std::string> devices;
  for (const NodeInterface& of : all) {
    EXPECT_TRUE(devices.insert(of.device).second) << of.device << " stands there twice";
    EXPECT_FALSE(of.addresses.empty()) << of.device;
    EXPECT_GE(of.mbits, 0);
    EXPECT_TRUE(of.mac.empty() || of.mac.size() == 17) << of.mac;
    bool ipv6 = false;
    for (const NodeInterface::Address& address : of.addresses) {
      EXPECT_TRUE(CanBind(address)) << of.device << " " << address.text;
      EXPECT_GE(address.ipv6, ipv6) << "those of IPv4 first";
      ipv6 = address.ipv6;
    }
  }
  for (std::size_t i = 1; i < all.size(); ++i) {
    EXPECT_GE(all[i - 1].leads_out, all[i].leads_out) << "what leads out first";
  }
}

TEST(MachineNetworkTest, AnInterfaceIsNamedByItsNameOrAnAddress) {
  NodeInterface eth, lo;
  eth.device = "eth0";
  eth.addresses = {{"192.0.2.2", false}, {"2001:db8::1", true}};
  lo.device = "lo";
  lo.loopback = true;
  lo.addresses = {{"127.0.0.1", false}};
  const std::vector<NodeInterface> all = {eth, lo};
  EXPECT_EQ(AddressOf(all, "eth0").value(), "192.0.2.2");
  EXPECT_EQ(AddressOf(all, "2001:db8::1").value(), "2001:db8::1");
  EXPECT_EQ(AddressOf(all, "lo").value(), "127.0.0.1");
  const auto none = AddressOf(all, "eth1");
  EXPECT_EQ(none.code(), Code::kInvalidArgument);
  EXPECT_EQ(none.error().message(),
            "this machine has no interface and no address \"eth1\": it has eth0 192.0.2.2 "
            "2001:db8::1, lo 127.0.0.1");
}

TEST(MachineNetworkTest, TheDefaultRouteOfTheLowestMetricComesFirst) {
  const auto routes = [](const std::string& routes, const std::string& routes6) {
    std::istringstream in(routes), in6(routes6);
    return DefaultRoutes(in, in6);
  };
  const auto four = [](const std::string& device, const std::string& to, int metric,
                       const std::string& mask) {
    return device + "\t" + to + "\t010200C0\t0003\t0\t0\t" + std::to_string(metric) + "\t" + mask +
           "\t0\t0\t0\n";
  };
  const std::string zero(32, '0');
  const auto six = [&](const std::string& to, const std::string& metric,
                       const std::string& device) {
    return to + " " + zero + " 00 " + zero + " " + metric + " 00000001 00000000 00200200    " +
           device + "\n";
  };
  const std::string head =
      "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n";
  EXPECT_THAT(routes("", ""), IsEmpty());
  EXPECT_THAT(routes(head, ""), IsEmpty());
  EXPECT_THAT(routes(head + four("docker0", "000011AC", 0, "0000FFFF") +
                         four("wlan0", "00000000", 600, "00000000") +
                         four("eth0", "00000000", 100, "00000000") +
                         four("tun0", "00000000", 0, "00000080"),
                     six(zero + " 00", "00000400", "eth1") + six(zero + " 00", "00000064", "eth2") +
                         six(zero + " 00", "ffffffff", "lo") +
                         six("fd00" + std::string(28, '0') + " 40", "00000001", "eth3")),
              ElementsAre(DefaultRoute{"eth0", false}, DefaultRoute{"wlan0", false},
                          DefaultRoute{"eth2", true}, DefaultRoute{"eth1", true}));
}

TEST(MachineNetworkTest, TheBestAddressIsThatOfTheDefaultRoute) {
  const NodeInterface lo{"lo", "", 0, true, false, {{"127.0.0.1", false}}};
  const NodeInterface bridge{"docker0", "", 0, false, false, {{"172.17.0.1", false}}};
  EXPECT_EQ(BestAddress({}), "127.0.0.1");
  EXPECT_EQ(BestAddress({lo}), "127.0.0.1");
  EXPECT_EQ(BestAddress({bridge, lo}), "127.0.0.1") << "nobody else may know it";
  // Has an IPv4 address, but no IPv4 route leads out by it.
  const NodeInterface six{"eth0", "",   0,
                          false,  true, {{"192.168.0.2", false}, {"2001:db8::1", true, true}}};
  EXPECT_EQ(BestAddress({six, bridge, lo}), "2001:db8::1");
  const NodeInterface four{"eth1", "",   0,
                           false,  true, {{"192.0.2.2", false, true}, {"2001:db8::2", true}}};
  EXPECT_EQ(BestAddress({four, six, bridge, lo}), "192.0.2.2");
  EXPECT_EQ(BestAddress({six, four, bridge, lo}), "192.0.2.2") << "IPv4 first";
}

}  // namespace
}  // namespace drover
