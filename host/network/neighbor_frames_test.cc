// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/network/neighbor_frames.h"

#include <gtest/gtest.h>
#include <linux/if_ether.h>

#include <cstdio>

namespace drover {
namespace {

constexpr MacAddress kOwnMac = {0x02, 0x42, 0xac, 0x11, 0x00, 0x02};
constexpr MacAddress kOtherMac = {0x02, 0x42, 0xac, 0x11, 0x00, 0x03};

std::string HexOf(const std::string& bytes) {
  std::string hex;
  for (const unsigned char byte : bytes) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", byte);
    hex += two;
  }
  return hex;
}

TEST(NeighborFramesTest, AddressesHaveBytes) {
  EXPECT_EQ(HexOf(AddressBytes("10.254.7.2")), "0afe0702");
  EXPECT_EQ(HexOf(AddressBytes("fd00::7:2")), "fd000000000000000000000000070002");
  EXPECT_EQ(AddressBytes("eth0"), "");
  EXPECT_EQ(MacText(kOwnMac), "02:42:ac:11:00:02");
}

TEST(NeighborFramesTest, AQuestionOfArpSaysNothingOfWhoAsks) {
  const NeighborFrame frame = AddressQuestion(AddressBytes("10.254.7.2"), kOwnMac);
  EXPECT_EQ(frame.protocol, ETH_P_ARP);
  EXPECT_EQ(MacText(frame.to), "ff:ff:ff:ff:ff:ff");
  EXPECT_EQ(HexOf(frame.payload),
            "0001080006040001"
            "0242ac110002"
            "00000000"
            "000000000000"
            "0afe0702");
  EXPECT_FALSE(AddressClaimant(AddressBytes("10.254.7.2"), frame.payload, kOwnMac));
}

TEST(NeighborFramesTest, AnAnnouncementOfArpIsAClaim) {
  const std::string address = AddressBytes("10.254.7.2");
  const NeighborFrame frame = AddressAnnouncement(address, kOtherMac);
  EXPECT_EQ(MacText(frame.to), "ff:ff:ff:ff:ff:ff");
  EXPECT_EQ(AddressClaimant(address, frame.payload, kOwnMac), kOtherMac);
  EXPECT_FALSE(AddressClaimant(AddressBytes("10.254.7.3"), frame.payload, kOwnMac));
  // Short frames, and those of other links, are nothing.
  for (std::size_t size = 0; size < frame.payload.size(); ++size)
    EXPECT_FALSE(AddressClaimant(address, frame.payload.substr(0, size), kOwnMac)) << size;
  std::string other = frame.payload;
  other[1] = 6;
  EXPECT_FALSE(AddressClaimant(address, other, kOwnMac));
}

// The sums are those of another program.
TEST(NeighborFramesTest, AQuestionOfIpv6GoesToTheSolicitedNodes) {
  const NeighborFrame frame = AddressQuestion(AddressBytes("fd00::7:2"), kOwnMac);
  EXPECT_EQ(frame.protocol, ETH_P_IPV6);
  EXPECT_EQ(MacText(frame.to), "33:33:ff:07:00:02");
  EXPECT_EQ(HexOf(frame.payload),
            "6000000000183aff"
            "00000000000000000000000000000000"
            "ff0200000000000000000001ff070002"
            "87007d9500000000"
            "fd000000000000000000000000070002");
  EXPECT_FALSE(AddressClaimant(AddressBytes("fd00::7:2"), frame.payload, kOtherMac));
}

TEST(NeighborFramesTest, AnAnnouncementOfIpv6IsAClaim) {
  const std::string address = AddressBytes("fd00::7:2");
  const NeighborFrame frame = AddressAnnouncement(address, kOtherMac);
  EXPECT_EQ(MacText(frame.to), "33:33:00:00:00:01");
  EXPECT_EQ(HexOf(frame.payload),
            "6000000000203aff"
            "fd000000000000000000000000070002"
            "ff020000000000000000000000000001"
            "8800ae3520000000"
            "fd000000000000000000000000070002"
            "02010242ac110003");
  EXPECT_EQ(AddressClaimant(address, frame.payload, kOwnMac), kOtherMac);
  // Without the option, the sender of the frame is the one.
  EXPECT_EQ(AddressClaimant(address, frame.payload.substr(0, 64), kOwnMac), kOwnMac);
  EXPECT_FALSE(AddressClaimant(AddressBytes("fd00::7:3"), frame.payload, kOwnMac));
  for (std::size_t size = 0; size < 64; ++size)
    EXPECT_FALSE(AddressClaimant(address, frame.payload.substr(0, size), kOwnMac)) << size;
}

}  // namespace
}  // namespace drover
