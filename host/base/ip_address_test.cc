// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/ip_address.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

TEST(IpAddressTest, AnAddressIsTheWholeText) {
  EXPECT_TRUE(IsIpAddress("127.0.0.1"));
  EXPECT_FALSE(IsIpv6Address("127.0.0.1"));
  for (const char* six : {"::1", "fd00::1", "::ffff:10.0.0.1"}) {
    EXPECT_TRUE(IsIpAddress(six)) << six;
    EXPECT_TRUE(IsIpv6Address(six)) << six;
  }
  for (const char* none :
       {"", "localhost", "127.1", "127.0.0.1:80", "[::1]", "fe80::1%eth0", " ::1"}) {
    EXPECT_FALSE(IsIpAddress(none)) << none;
    EXPECT_FALSE(IsIpv6Address(none)) << none;
  }
  EXPECT_FALSE(IsIpAddress(std::string("127.0.0.1\0x", 11)));
  EXPECT_FALSE(IsIpv6Address(std::string("::1\0", 4)));
}

}  // namespace
}  // namespace drover
