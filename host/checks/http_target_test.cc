// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/checks/http_target.h"

#include <gtest/gtest.h>

#include <utility>

namespace drover {
namespace {

HttpTarget Target(const std::string& path, const std::string& host = "127.0.0.1") {
  CheckPlan plan;
  plan.host = host;
  plan.port = 8080;
  plan.check.path = path;
  return TargetOf(plan);
}

std::string Led(const std::string& from, const std::string& location) {
  const Result<HttpTarget> to = FollowLocation(Target(from), location);
  return to.ok() ? to->Url() : to.error().message();
}

TEST(HttpTargetTest, TheUrlIsThatOfTheCheck) {
  EXPECT_EQ(Target("/health").Url(), "http://127.0.0.1:8080/health");
  EXPECT_EQ(Target("health?a=b&c").Url(), "http://127.0.0.1:8080/health?a=b&c");
  EXPECT_EQ(Target("").Url(), "http://127.0.0.1:8080/");
  EXPECT_EQ(Target("/", "::1").Url(), "http://[::1]:8080/");
  EXPECT_EQ(Target("/a#b").Url(), "http://127.0.0.1:8080/a");
}

TEST(HttpTargetTest, NoByteOfAPathEndsTheLine) {
  EXPECT_EQ(Target("/a b\r\nX: 1\xc3\xa9").path, "/a%20b%0D%0AX:%201%C3%A9");
}

TEST(HttpTargetTest, FollowsEveryFormOfALocation) {
  const std::pair<const char*, const char*> cases[] = {
      {"/x", "http://127.0.0.1:8080/x"},
      {"x", "http://127.0.0.1:8080/a/x"},
      {"../x?q=/../", "http://127.0.0.1:8080/x?q=/../"},
      {"../../../x", "http://127.0.0.1:8080/x"},
      {"./", "http://127.0.0.1:8080/a/"},
      {"..", "http://127.0.0.1:8080/"},
      {"?q=2", "http://127.0.0.1:8080/a/b?q=2"},
      {"#part", "http://127.0.0.1:8080/a/b?q=1"},
      {"//other/x", "http://other/x"},
      {"HTTP://other:90", "http://other:90/"},
      {"https://other/x#part", "https://other/x"},
      {"http://user:secret@other/x", "http://other/x"},
      {"http://[::1]:90/x", "http://[::1]:90/x"},
      {"http://other?q=1", "http://other/?q=1"},
      {" /x ", "http://127.0.0.1:8080/x"},
      {"/x y\r\n", "http://127.0.0.1:8080/x%20y%0D%0A"}};
  for (const auto& [location, url] : cases) EXPECT_EQ(Led("/a/b?q=1", location), url) << location;
  const Result<HttpTarget> tls = FollowLocation(Target("/"), "https://other/x");
  ASSERT_TRUE(tls.ok());
  EXPECT_TRUE(tls->tls);
  EXPECT_EQ(tls->port, 443);
  EXPECT_EQ(tls->host, "other");
}

TEST(HttpTargetTest, RefusesOtherSchemesAndWhatCannotBeRead) {
  EXPECT_EQ(Led("/", "ftp://other/"), "unsupported protocol scheme \"ftp\"");
  EXPECT_EQ(Led("/", "file:///etc/shadow"), "unsupported protocol scheme \"file\"");
  for (const std::string bad : {"http:x", "http://", "http://[::1/", "http://a:b/", "http://a:0/",
                                "http://a:65536/", "http://a b/", "http://a\x01/"}) {
    EXPECT_FALSE(FollowLocation(Target("/"), bad).ok()) << bad;
  }
  EXPECT_FALSE(FollowLocation(Target("/"), std::string(9000, 'x')).ok());
}

}  // namespace
}  // namespace drover
