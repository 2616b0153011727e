// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/identity/claims.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace drover {
namespace {

using nlohmann::json;

constexpr WallTime kIssued = 1'700'000'000'900'000'000;

Allocation AllocOfJob(const Job& job) {
  Allocation alloc;
  alloc.id = "11111111-2222-3333-4444-555555555555";
  alloc.job = std::make_shared<Job>(job);
  alloc.group_name = "g";
  return alloc;
}

Job JobOfTeam() {
  Job job;
  job.id = job.name = "web";
  job.region = "eu";
  job.job_namespace = "team";
  return job;
}

TEST(ClaimsTest, AreThoseOfTheTask) {
  Claims claims = ClaimsOf(AllocOfJob(JobOfTeam()), "t", Identity(), kIssued, "");
  EXPECT_EQ(claims.token_id.size(), 36u);
  claims.token_id = "id";
  EXPECT_EQ(ClaimsToJson(claims), json::parse(R"({
    "nomad_namespace": "team", "nomad_job_id": "web",
    "nomad_allocation_id": "11111111-2222-3333-4444-555555555555", "nomad_task": "t",
    "sub": "eu:team:web:g:t:default", "aud": "nomadproject.io", "iat": 1700000000,
    "nbf": 1700000000, "jti": "id"})"));
}

TEST(ClaimsTest, SayMoreIfThereIsMore) {
  Job job = JobOfTeam();
  job.id = "web/dispatch-1";
  job.parent_id = "web";
  Identity identity;
  identity.name = "cloud";
  identity.audience = {"a", "b"};
  identity.ttl = 90s;
  const json said =
      ClaimsToJson(ClaimsOf(AllocOfJob(job), "t", identity, kIssued, "https://drover.example.org"));
  EXPECT_EQ(said.at("aud"), json({"a", "b"}));
  EXPECT_EQ(said.at("exp"), 1700000090);
  EXPECT_EQ(said.at("iss"), "https://drover.example.org");
  EXPECT_EQ(said.at("nomad_job_id"), "web");
  EXPECT_EQ(said.at("sub"), "eu:team:web:g:t:cloud");
  identity.audience.clear();
  identity.ttl = 1ns;
  const json least = ClaimsToJson(ClaimsOf(AllocOfJob(job), "t", identity, kIssued, ""));
  EXPECT_FALSE(least.contains("aud"));
  EXPECT_FALSE(least.contains("iss"));
  EXPECT_EQ(least.at("exp"), 1700000001);
}

TEST(ClaimsTest, AreReadAgain) {
  Identity identity;
  identity.ttl = 1h;
  for (const auto& audience : std::vector<std::vector<std::string>>{{}, {"a"}, {"a", "b"}}) {
    identity.audience = audience;
    Claims claims = ClaimsOf(AllocOfJob(JobOfTeam()), "t", identity, kIssued, "https://a");
    const auto read = ClaimsFromJson(ClaimsToJson(claims));
    ASSERT_TRUE(read.ok()) << read.error().message();
    EXPECT_EQ(*read, claims);
    claims.task.clear();
    claims.service = "s";
    claims.expires.reset();
    const auto of_service = ClaimsFromJson(ClaimsToJson(claims));
    ASSERT_TRUE(of_service.ok()) << of_service.error().message();
    EXPECT_EQ(*of_service, claims);
  }
}

TEST(ClaimsTest, WrongClaimsAreRefused) {
  const json right = ClaimsToJson(ClaimsOf(AllocOfJob(JobOfTeam()), "t", Identity(), kIssued, ""));
  const std::pair<const char*, json> wrong[] = {{"nomad_namespace", 7},
                                                {"nomad_namespace", ""},
                                                {"nomad_job_id", nullptr},
                                                {"nomad_allocation_id", json::array()},
                                                {"nomad_task", 7},
                                                {"nomad_service", false},
                                                {"sub", ""},
                                                {"jti", 1},
                                                {"iss", 1},
                                                {"iat", "1700000000"},
                                                {"iat", -1},
                                                {"iat", 1.5},
                                                {"nbf", 18446744073709551615u},
                                                {"exp", "never"},
                                                {"exp", nullptr},
                                                {"aud", 7},
                                                {"aud", json::array({1})},
                                                {"aud", json(std::vector<std::string>(65, "a"))}};
  for (const auto& [name, value] : wrong) {
    json changed = right;
    changed[name] = value;
    const auto read = ClaimsFromJson(changed);
    ASSERT_FALSE(read.ok()) << name << " " << value;
    EXPECT_EQ(read.code(), Code::kPermissionDenied);
    EXPECT_NE(read.error().message().find(std::string("\"") + name + "\""), std::string::npos);
  }
  for (const char* name :
       {"nomad_namespace", "nomad_job_id", "nomad_allocation_id", "sub", "jti", "iat", "nbf"}) {
    json changed = right;
    changed.erase(name);
    EXPECT_FALSE(ClaimsFromJson(changed).ok()) << name;
  }
  EXPECT_FALSE(ClaimsFromJson(json::array()).ok());
}

}  // namespace
}  // namespace drover
