// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/network/masquerade.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

constexpr char kRules[] =
    "-P POSTROUTING ACCEPT\n"
    "-A POSTROUTING -m comment --comment \"CNI portfwd requiring masquerade\" -j "
    "CNI-HOSTPORT-MASQ\n"
    "-A POSTROUTING -s 172.26.64.2/32 -m comment --comment \"name: \\\"drover\\\" id: "
    "\\\"one\\\"\" "
    "-j CNI-1111\n"
    "-A POSTROUTING -s 172.26.64.3/32 -m comment --comment \"name: \\\"drover\\\" id: "
    "\\\"other\\\"\" "
    "-j CNI-2222\n"
    "-A POSTROUTING -s 10.0.0.0/8 -m comment --comment \"of mine, id: \\\"one\\\"\" -j "
    "MASQUERADE\n";

TEST(MasqueradeTest, OnlyTheRulesAndChainsOfTheContainerGo) {
  EXPECT_EQ(MasqueradeRemoval(kRules, "one"),
            "*nat\n"
            "-D POSTROUTING -s 172.26.64.2/32 -m comment --comment \"name: \\\"drover\\\" id: "
            "\\\"one\\\"\" -j CNI-1111\n"
            "-F CNI-1111\n"
            "-X CNI-1111\n"
            "COMMIT\n");
}

TEST(MasqueradeTest, NothingIsRemovedForAnother) {
  EXPECT_EQ(MasqueradeRemoval(kRules, "on"), "");
  EXPECT_EQ(MasqueradeRemoval("", "one"), "");
}

}  // namespace
}  // namespace drover
