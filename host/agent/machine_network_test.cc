// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/machine_network.h"

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

TEST(MachineNetworkTest, TellsTheAddressesOfThisMachine) {
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

TEST(MachineNetworkTest, TheDefaultRouteLeadsOut) {
  const auto leading_out = [](const std::string& routes, const std::string& routes6) {
    std::istringstream in(routes), in6(routes6);
    return DevicesThatLeadOut(in, in6);
  };
  const std::string head =
      "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n";
  EXPECT_THAT(leading_out("", ""), IsEmpty());
  EXPECT_THAT(leading_out(head, ""), IsEmpty());
  EXPECT_THAT(leading_out(head + "docker0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0\n"
                                 "eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n"
                                 "tun0\t00000000\t00000000\t0001\t0\t0\t0\t00000080\t0\t0\t0\n",
                          ""),
              ElementsAre("eth0"));
  const std::string zero(32, '0');
  const std::string tail = " " + zero + " 00 " + zero + " ffffffff 00000001 00000000 00200200 ";
  EXPECT_THAT(leading_out("", zero + " 00" + tail + "      lo\n" + "fd00" + std::string(28, '0') +
                                  " 40" + tail + "   eth1\n" + zero + " 00" + tail + "   eth2\n"),
              ElementsAre("eth2"));
}

TEST(MachineNetworkTest, TheBestAddressIsNotTheLoopback) {
  NodeInterface lo{"lo", "", 0, true, false, {{"127.0.0.1", false}}};
  NodeInterface six{"eth0", "", 0, false, true, {{"2001:db8::1", true}}};
  NodeInterface four{"eth1", "", 0, false, false, {{"192.0.2.2", false}, {"2001:db8::2", true}}};
  EXPECT_EQ(BestAddress({}), "127.0.0.1");
  EXPECT_EQ(BestAddress({lo}), "127.0.0.1");
  EXPECT_EQ(BestAddress({six, lo}), "2001:db8::1");
  EXPECT_EQ(BestAddress({six, four, lo}), "192.0.2.2");
}

}  // namespace
}  // namespace drover
