// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/api/access.h"

#include <gtest/gtest.h>

#include "host/api/router.h"

namespace drover {
namespace {

std::optional<std::string> With(const std::string& name, const std::string& value) {
  HttpRequest request;
  request.headers.emplace_back(name, value);
  return Refusal(request, "secret");
}

TEST(AccessTest, TheTokenComesInEitherHeader) {
  EXPECT_EQ(With("X-Nomad-Token", "secret"), std::nullopt);
  EXPECT_EQ(With("x-nomad-token", "secret"), std::nullopt);
  EXPECT_EQ(With("Authorization", "Bearer secret"), std::nullopt);
  EXPECT_EQ(With("authorization", "bearer secret"), std::nullopt);
}

TEST(AccessTest, AnythingElseIsRefused) {
  EXPECT_EQ(With("X-Nomad-Token", "Secret"), "ACL token not found");
  EXPECT_EQ(With("X-Nomad-Token", "secret "), "ACL token not found");
  EXPECT_EQ(With("Authorization", "Bearer wrong"), "ACL token not found");
  EXPECT_EQ(With("X-Nomad-Token", ""), "Permission denied");
  EXPECT_EQ(With("Authorization", "secret"), "Permission denied");
  EXPECT_EQ(With("Authorization", "Basic secret"), "Permission denied");
  EXPECT_EQ(With("Authorization", "Bearer "), "Permission denied");
  EXPECT_EQ(With("Cookie", "X-Nomad-Token=secret"), "Permission denied");
}

TEST(AccessTest, TwoTokensThatDifferAreRefusedWhicheverIsRight) {
  const auto with = [](const HttpFields& headers) {
    HttpRequest request;
    request.headers = headers;
    return Refusal(request, "secret");
  };
  constexpr char kTwo[] = "two different tokens are given";
  EXPECT_EQ(with({{"X-Nomad-Token", "secret"}, {"X-Nomad-Token", "wrong"}}), kTwo);
  EXPECT_EQ(with({{"X-Nomad-Token", "wrong"}, {"x-nomad-token", "secret"}}), kTwo);
  EXPECT_EQ(with({{"X-Nomad-Token", "secret"}, {"Authorization", "Bearer wrong"}}), kTwo);
  EXPECT_EQ(with({{"X-Nomad-Token", "secret"}, {"Authorization", "Bearer secret"}}), std::nullopt);
  EXPECT_EQ(with({{"X-Nomad-Token", ""}, {"Authorization", "Bearer secret"}}), std::nullopt);
  EXPECT_EQ(with({{"Authorization", "Basic x"}, {"X-Nomad-Token", "secret"}}), std::nullopt);
}

TEST(AccessTest, WithoutATokenNobodyIsRefused) {
  EXPECT_EQ(Refusal(HttpRequest(), ""), std::nullopt);
}

TEST(AccessTest, OnlyWhatTellsNothingIsOpen) {
  std::vector<std::string> open;
  for (const Route& route : AllRoutes()) {
    if (route.access == Access::kOpen) open.emplace_back(route.pattern);
  }
  // Routes with a websocket check the token after it is open.
  EXPECT_EQ(open, std::vector<std::string>({"/v1/client/allocation/*/exec", "/v1/job/**/action",
                                            "/v1/agent/health", "/v1/status/leader",
                                            "/v1/status/peers", "/v1/regions"}));
}

}  // namespace
}  // namespace drover
