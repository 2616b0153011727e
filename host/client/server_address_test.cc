// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/client/server_address.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

TEST(ServerAddressTest, HostsAndPorts) {
  const auto plain = ParseServerAddress("http://agent.example:4646");
  ASSERT_TRUE(plain.ok());
  EXPECT_FALSE(plain->tls);
  EXPECT_EQ(plain->host, "agent.example");
  EXPECT_EQ(plain->port, 4646);
  EXPECT_EQ(plain->authority, "agent.example:4646");
  EXPECT_EQ(plain->prefix, "");
  EXPECT_EQ(ParseServerAddress("http://a")->port, 80);
  const auto tls = ParseServerAddress("https://a/behind/it");
  EXPECT_TRUE(tls->tls);
  EXPECT_EQ(tls->port, 443);
  EXPECT_EQ(tls->prefix, "/behind/it");
}

TEST(ServerAddressTest, Ipv6HasBracketsAndMayHaveAZone) {
  const auto loopback = ParseServerAddress("http://[::1]:80");
  EXPECT_EQ(loopback->host, "::1");
  EXPECT_EQ(loopback->port, 80);
  EXPECT_EQ(loopback->authority, "[::1]:80");
  const auto zone = ParseServerAddress("http://[fe80::1%25eth0]:81");
  EXPECT_EQ(zone->host, "fe80::1%eth0");
  EXPECT_EQ(zone->authority, "[fe80::1]:81");
  EXPECT_EQ(ParseServerAddress("http://[fe80::1]")->port, 80);
}

TEST(ServerAddressTest, AUserIsAuthorizedByPassword) {
  const auto address = ParseServerAddress("http://me:p%40ss@host:1");
  EXPECT_EQ(address->authorization, "Basic bWU6cEBzcw==");
  EXPECT_EQ(address->authority, "host:1");
}

TEST(ServerAddressTest, ASocketHasAPath) {
  const auto address = ParseServerAddress("unix:///run/with space");
  EXPECT_EQ(address->socket_path, "/run/with space");
  EXPECT_EQ(address->authority, "localhost");
}

TEST(ServerAddressTest, WhatMakesNoSense) {
  for (const char* text :
       {"http://", "http://:1", "http://a:b", "http://a:0", "http://a:65536", "http://[::1",
        "http://[::1]x", "http://::1", "http://a b", "http://a\r\nX: y", "http://%zz@a", "a"}) {
    EXPECT_EQ(ParseServerAddress(text).code(), Code::kInvalidArgument) << text;
  }
}

}  // namespace
}  // namespace drover
