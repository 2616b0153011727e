// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/client/proxy.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace drover {
namespace {

class ProxyTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy",
                             "ALL_PROXY", "no_proxy", "NO_PROXY"}) {
      unsetenv(name);
    }
  }
  void TearDown() override { SetUp(); }

  // The variable for which ADDRESS is refused; empty: it is not.
  static std::string RefusedFor(const std::string& address) {
    const Status status = RefuseProxy(*ParseServerAddress(address));
    if (status.ok()) return "";
    EXPECT_EQ(status.code(), Code::kFailedPrecondition);
    const std::string start = "the variable ";
    const std::string& message = status.error().message();
    EXPECT_TRUE(message.starts_with(start)) << message;
    return message.substr(start.size(), message.find(' ', start.size()) - start.size());
  }
};

TEST_F(ProxyTest, TheVariableOfTheSchemeComesFirst) {
  EXPECT_EQ(RefusedFor("http://agent"), "");
  setenv("ALL_PROXY", "socks5://p", 1);
  EXPECT_EQ(RefusedFor("http://agent"), "ALL_PROXY");
  setenv("all_proxy", "p", 1);
  EXPECT_EQ(RefusedFor("https://agent"), "all_proxy");
  setenv("HTTPS_PROXY", "p", 1);
  EXPECT_EQ(RefusedFor("https://agent"), "HTTPS_PROXY");
  setenv("https_proxy", "p", 1);
  EXPECT_EQ(RefusedFor("https://agent"), "https_proxy");
  EXPECT_EQ(RefusedFor("http://agent"), "all_proxy");
  setenv("http_proxy", "p", 1);
  EXPECT_EQ(RefusedFor("http://agent"), "http_proxy");
}

TEST_F(ProxyTest, SomeVariablesDoNotCount) {
  setenv("HTTP_PROXY", "p", 1);  // it may be a header of a request for a CGI program
  setenv("http_proxy", "", 1);
  EXPECT_EQ(RefusedFor("http://agent"), "");
}

TEST_F(ProxyTest, ThisMachineIsBehindNone) {
  setenv("all_proxy", "p", 1);
  for (const char* own : {"http://localhost:1", "http://127.0.0.1", "https://[::1]", "unix:///s"}) {
    EXPECT_EQ(RefusedFor(own), "") << own;
  }
  EXPECT_EQ(RefusedFor("http://127.0.0.2"), "all_proxy");
}

TEST_F(ProxyTest, TheUserNamesHostsWithoutProxy) {
  setenv("http_proxy", "p", 1);
  setenv("NO_PROXY", "agent", 1);
  EXPECT_EQ(RefusedFor("http://agent"), "");
  setenv("no_proxy", "other", 1);
  EXPECT_EQ(RefusedFor("http://agent"), "http_proxy");
  EXPECT_EQ(RefusedFor("http://localhost"), "");
}

TEST_F(ProxyTest, TheErrorSaysWhatToDoAndKeepsThePassword) {
  setenv("http_proxy", "http://me:secret@p", 1);
  EXPECT_EQ(RefuseProxy(*ParseServerAddress("http://agent")).error().message(),
            "the variable http_proxy names a proxy for agent, but drover connects without proxies: "
            "unset http_proxy, or add agent to no_proxy");
}

TEST_F(ProxyTest, AProxyIsFoundByItsVariable) {
  const ServerAddress files = *ParseServerAddress("https://files.example");
  EXPECT_FALSE(FindProxy(files).value());
  setenv("https_proxy", "me:secret@p:3128", 1);
  const std::optional<ServerAddress> proxy = FindProxy(files).value();
  ASSERT_TRUE(proxy);
  EXPECT_EQ(proxy->host, "p");
  EXPECT_EQ(proxy->port, 3128);
  EXPECT_EQ(proxy->authorization, "Basic bWU6c2VjcmV0");
  setenv("https_proxy", "HTTP://p/", 1);
  EXPECT_EQ(FindProxy(files).value()->port, 80);
  setenv("no_proxy", ".example", 1);
  EXPECT_FALSE(FindProxy(files).value());
  unsetenv("no_proxy");
  setenv("https_proxy", "socks5://me:secret@p", 1);
  EXPECT_EQ(
      FindProxy(files).error().message(),
      "the variable https_proxy names no proxy of the form http://HOST:PORT, as files.example "
      "needs it: correct it, or add files.example to no_proxy");
}

TEST(IsWithoutProxyTest, Names) {
  EXPECT_TRUE(IsWithoutProxy("a.example.com", "*"));
  EXPECT_TRUE(IsWithoutProxy("a.example.com", "x, Example.COM"));
  EXPECT_TRUE(IsWithoutProxy("a.example.com.", ".example.com"));
  EXPECT_TRUE(IsWithoutProxy("example.com", ".example.com."));
  EXPECT_FALSE(IsWithoutProxy("nonexample.com", "example.com"));
  EXPECT_FALSE(IsWithoutProxy("example.com", "a.example.com"));
  EXPECT_FALSE(IsWithoutProxy("example.com", " ,, ."));
  EXPECT_FALSE(IsWithoutProxy("example.com", ""));
}

TEST(IsWithoutProxyTest, AddressesAndNetworks) {
  EXPECT_TRUE(IsWithoutProxy("10.1.2.3", "10.1.2.3"));
  EXPECT_TRUE(IsWithoutProxy("10.1.2.3", "x 10.1.0.0/16"));
  EXPECT_FALSE(IsWithoutProxy("10.2.2.3", "10.1.0.0/16"));
  EXPECT_FALSE(IsWithoutProxy("10.1.2.3", "2.3"));
  EXPECT_FALSE(IsWithoutProxy("10.1.2.3", "10.1.0.0/99,x/8"));
  EXPECT_TRUE(IsWithoutProxy("fd00::1", "fd00::/8"));
  EXPECT_TRUE(IsWithoutProxy("fd00::1", "FD00:0::1"));
  EXPECT_FALSE(IsWithoutProxy("fe80::1", "fd00::/8,10.0.0.0/8"));
}

}  // namespace
}  // namespace drover
