// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/network/address_claims.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>

#include "host/base/directory_for_test.h"
#include "host/base/time.h"
#include "host/network/neighbor_frames.h"
#include "host/process/network_namespace.h"

namespace drover {
namespace {

TEST(AddressStateTest, TheKernelSaysWhatItHasFoundOut) {
  const auto state = [](const char* address) {
    std::istringstream table(
        "fd000099000000000000000000000002 02 40 00 82     eth0\n"
        "fd000099000000000000000000000003 02 40 00 c0     eth0\n"
        "fd000099000000000000000000000004 02 40 00 48     eth0\n"
        "nonsense\n");
    return Ipv6State(table, AddressBytes(address));
  };
  EXPECT_EQ(state("fd00:99::2"), AddressState::kUsable);
  EXPECT_EQ(state("fd00:99::3"), AddressState::kTentative);
  EXPECT_EQ(state("fd00:99::4"), AddressState::kDuplicate);
  EXPECT_EQ(state("fd00:99::5"), AddressState::kUsable);
}

// Two network namespaces, the interfaces eth0 of which are the ends of one cable.
class AddressClaimsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "network namespaces need root";
    const bool there = access("/usr/sbin/ip", X_OK) == 0 || access("/sbin/ip", X_OK) == 0;
    if (!there) GTEST_SKIP() << "this test needs the program ip (iproute2)";
    Result<UniqueFd> one = KeepNetworkNamespace(one_);
    ASSERT_TRUE(one.ok()) << one.error().message();
    ASSERT_TRUE(KeepNetworkNamespace(other_).ok());
    inside_ = std::move(*one);
    Run("ip link add eth0 netns " + one_ + " type veth peer name eth0 netns " + other_);
    Run(In(one_) + "ip link set eth0 up");
    Run(In(other_) + "ip link set eth0 up");
  }
  void TearDown() override {
    if (!inside_) return;
    (void)DropNetworkNamespace(one_);
    (void)DropNetworkNamespace(other_);
  }
  static std::string In(const std::string& place) { return "nsenter --net=" + place + " "; }
  static void Run(const std::string& command) {
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
  }
  void Give(const std::string& place, const std::string& address) {
    Run(In(place) + "ip address add " + address + " dev eth0" +
        (address.find(':') == std::string::npos ? "" : " nodad"));
  }
  // Returns who has ADDRESS, "nobody", or an error.
  std::string Owner(const std::string& address, int stop = -1) {
    AllocationNetwork network;
    network.interface_name = "eth0";
    (address.find(':') == std::string::npos ? network.address : network.address_ipv6) = address;
    const auto claim = FindAddressClaim(inside_, network, stop);
    if (!claim.ok()) return claim.error().message();
    return *claim ? (*claim)->address : "nobody";
  }

  const DirectoryForTest directory_;
  const std::string one_ = directory_.path() + "/one";
  const std::string other_ = directory_.path() + "/other";
  UniqueFd inside_;
};

TEST_F(AddressClaimsTest, WhoHasTheAddressIsFound) {
  Give(one_, "10.254.7.2/24");
  EXPECT_EQ(Owner("10.254.7.2"), "nobody");
  Give(other_, "10.254.7.2/24");
  EXPECT_EQ(Owner("10.254.7.2"), "10.254.7.2");
}

TEST_F(AddressClaimsTest, SoItIsWithIpv6) {
  if (access("/proc/net/if_inet6", F_OK) != 0) GTEST_SKIP() << "this kernel has no IPv6";
  Give(one_, "fd00:7::2/64");
  EXPECT_EQ(Owner("fd00:7::2"), "nobody");
  Give(other_, "fd00:7::2/64");
  EXPECT_EQ(Owner("fd00:7::2"), "fd00:7::2");
}

TEST_F(AddressClaimsTest, OthersLearnThatTheAddressIsHere) {
  Give(one_, "10.254.7.2/24");
  Give(other_, "10.254.7.9/24");
  Run(In(other_) + "ip neighbor replace 10.254.7.2 lladdr 02:00:00:00:00:01 nud stale dev eth0");
  EXPECT_EQ(Owner("10.254.7.2"), "nobody");
  const std::string known = In(other_) + "ip neighbor show 10.254.7.2 | grep -v 02:00:00:00:00:01";
  Run(known + " | grep -q lladdr");
}

TEST_F(AddressClaimsTest, WhereNobodyCanBeAskedNobodyIs) {
  Give(one_, "10.254.7.2/24");
  Give(other_, "10.254.7.2/24");
  const UniqueFd stop(eventfd(1, EFD_CLOEXEC));
  EXPECT_EQ(Owner("10.254.7.2", stop.get()), "nobody");
  Run(In(one_) + "ip link set eth0 down");
  EXPECT_EQ(Owner("10.254.7.2"), "nobody");
}

}  // namespace
}  // namespace drover
