// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/http/browser_check.h"

#include <gtest/gtest.h>

#include <string>

namespace drover {
namespace {

HttpRequest From(const std::string& method, const std::string& host, const std::string& origin,
                 bool upgrade = false) {
  HttpRequest request;
  request.method = method;
  if (!host.empty()) request.headers.emplace_back("Host", host);
  if (!origin.empty()) request.headers.emplace_back("Origin", origin);
  if (upgrade) request.headers.emplace_back("Upgrade", "websocket");
  return request;
}

bool Refused(const HttpRequest& request, bool local_only = true) {
  HttpServerOptions options;
  options.hosts = {"drover.example"};
  options.origins = {"https://ui.example"};
  return RefuseForBrowser(request, options, local_only).has_value();
}

TEST(BrowserCheck, AForeignNameIsRefusedWhereOnlyThisMachineConnects) {
  for (const char* host : {"127.0.0.1:4646", "localhost", "LOCALHOST:1", "[::1]:4646", "10.1.2.3",
                           "drover.example:4646", ""}) {
    EXPECT_FALSE(Refused(From("GET", host, ""))) << host;
  }
  for (const char* host : {"evil.example", "evil.example:4646", "localhost.evil.example",
                           "127.0.0.1.evil.example", "a@127.0.0.1", "[evil]", "[", ":4646"}) {
    EXPECT_TRUE(Refused(From("GET", host, ""))) << host;
    EXPECT_FALSE(Refused(From("GET", host, ""), false)) << host;
  }
}

TEST(BrowserCheck, PagesOfOthersMayDoNothing) {
  for (const char* origin : {"http://evil.example", "null", "http://127.0.0.1:8080",
                             "http://127.0.0.1:4646.evil.example", "file://"}) {
    for (const bool local : {true, false}) {
      EXPECT_TRUE(Refused(From("POST", "127.0.0.1:4646", origin), local)) << origin;
      EXPECT_TRUE(Refused(From("DELETE", "127.0.0.1:4646", origin), local)) << origin;
      EXPECT_TRUE(Refused(From("GET", "127.0.0.1:4646", origin, true), local)) << origin;
      EXPECT_TRUE(Refused(From("GET", "127.0.0.1:4646", origin), local)) << origin;
    }
  }
}

TEST(BrowserCheck, ImagesAndLinksOfOtherSitesMayDoNothing) {
  for (const auto& [site, refused] : {std::pair("cross-site", true),
                                      {"same-site", true},
                                      {"same-origin", false},
                                      {"none", false}}) {
    HttpRequest request = From("GET", "127.0.0.1:4646", "");
    request.headers.emplace_back("Sec-Fetch-Site", site);
    EXPECT_EQ(Refused(request), refused) << site;
    request.headers.emplace_back("Origin", "https://ui.example");
    EXPECT_FALSE(Refused(request)) << "one that was named may";
  }
}

TEST(BrowserCheck, OwnPagesMayDoEverything) {
  for (const char* origin : {"http://127.0.0.1:4646", "https://ui.example", "HTTPS://UI.example"}) {
    EXPECT_FALSE(Refused(From("PUT", "127.0.0.1:4646", origin))) << origin;
    EXPECT_FALSE(Refused(From("GET", "127.0.0.1:4646", origin, true))) << origin;
  }
}

TEST(BrowserCheck, OnlyLoopbackInTheClearIsLocal) {
  HttpServerOptions options;
  EXPECT_TRUE(IsLocalOnly(options));
  options.address = "::1";
  EXPECT_TRUE(IsLocalOnly(options));
  options.address = "0.0.0.0";
  EXPECT_FALSE(IsLocalOnly(options));
  options.address = "127.0.0.1";
  options.tls.cert_file = "cert.pem";
  EXPECT_FALSE(IsLocalOnly(options));
}

TEST(BrowserCheck, AGetThatAPageCouldMakeIsKnown) {
  const auto with = [](const HttpFields& headers) {
    HttpRequest request;
    request.headers = headers;
    return MayBeOfAPage(request);
  };
  const std::pair<std::string, std::string> browser = {"User-Agent", "Mozilla/5.0 (X11) Gecko"};
  EXPECT_TRUE(with({browser}));
  EXPECT_FALSE(with({browser, {"Sec-Fetch-Site", "none"}})) << "somebody has typed it";
  EXPECT_FALSE(with({{"User-Agent", "Go-http-client/1.1"}}));
  EXPECT_FALSE(with({}));
}

}  // namespace
}  // namespace drover
