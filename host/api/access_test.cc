// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/request/access.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "host/api/router.h"

namespace drover {
namespace {

std::string Given(const HttpFields& headers) {
  HttpRequest request;
  request.headers = headers;
  return std::string(GivenToken(request)) + (SaysTwoTokens(request) ? " and another" : "");
}

TEST(AccessTest, TheTokenComesInEitherHeader) {
  EXPECT_EQ(Given({{"X-Nomad-Token", "secret"}}), "secret");
  EXPECT_EQ(Given({{"x-nomad-token", "secret"}}), "secret");
  EXPECT_EQ(Given({{"Authorization", "Bearer secret"}}), "secret");
  EXPECT_EQ(Given({{"authorization", "bearer secret"}}), "secret");
  EXPECT_EQ(Given({{"X-Nomad-Token", "secret "}}), "secret ");
}

TEST(AccessTest, AnythingElseIsNone) {
  EXPECT_EQ(Given({}), "");
  EXPECT_EQ(Given({{"X-Nomad-Token", ""}}), "");
  EXPECT_EQ(Given({{"Authorization", "secret"}}), "");
  EXPECT_EQ(Given({{"Authorization", "Basic secret"}}), "");
  EXPECT_EQ(Given({{"Authorization", "Bearer "}}), "");
  EXPECT_EQ(Given({{"Cookie", "X-Nomad-Token=secret"}}), "");
}

TEST(AccessTest, TwoTokensThatDiffer) {
  EXPECT_EQ(Given({{"X-Nomad-Token", "a"}, {"X-Nomad-Token", "b"}}), "a and another");
  EXPECT_EQ(Given({{"X-Nomad-Token", "a"}, {"Authorization", "Bearer b"}}), "a and another");
  EXPECT_EQ(Given({{"X-Nomad-Token", "a"}, {"Authorization", "Bearer a"}}), "a");
  EXPECT_EQ(Given({{"X-Nomad-Token", ""}, {"Authorization", "Bearer a"}}), "a");
  EXPECT_EQ(Given({{"Authorization", "Basic x"}, {"X-Nomad-Token", "a"}}), "a");
}

TEST(AccessTest, SecretsAreEqualAsAWhole) {
  EXPECT_TRUE(SameSecret("secret", "secret"));
  for (const char* other : {"", "Secret", "secre", "secret "}) {
    EXPECT_FALSE(SameSecret("secret", other)) << other;
  }
}

TEST(AccessTest, OnlyWhatTellsNothingIsOpen) {
  std::vector<std::string> open;
  for (const Route& route : AllRoutes()) {
    if (route.access == Access::kOpen) open.emplace_back(route.pattern);
  }
  // Routes with a websocket check the token after it is open.
  EXPECT_EQ(open, std::vector<std::string>(
                      {"/v1/client/allocation/*/exec", "/v1/job/**/action", "/v1/agent/health",
                       "/v1/status/leader", "/v1/status/peers", "/v1/regions",
                       "/.well-known/jwks.json", "/.well-known/openid-configuration"}));
}

}  // namespace
}  // namespace drover
