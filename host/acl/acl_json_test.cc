// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/acl/acl_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "host/acl/acl_fixture.h"

namespace drover {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class AclJsonTest : public AclFixture {};

TEST_F(AclJsonTest, ATokenHasTheFieldsOfTheApi) {
  MustPolicy("a", "read");
  const RoleWrite role = TryRole({"", "web", "", {"a"}}).value();
  TokenRequest request = ClientToken({"a"});
  request.roles = {{"", "web"}};
  request.expiration_ttl = std::chrono::hours(8);
  const TokenWrite made = MustToken(request);
  const json token =
      Look([&](const AclTables& tables) { return TokenJson(*made.token, tables, made.secret); });
  EXPECT_EQ(token["AccessorID"], made.token->accessor_id);
  EXPECT_EQ(token["SecretID"], made.secret);
  EXPECT_EQ(token["Type"], "client");
  EXPECT_EQ(token["Policies"], json::array({"a"}));
  EXPECT_EQ(token["Roles"][0]["Name"], "web");
  EXPECT_EQ(token["Roles"][0]["ID"], role.role->id);
  EXPECT_EQ(token["ExpirationTTL"], "8h0m0s");
  EXPECT_EQ(token["CreateTime"], Rfc3339(made.token->create_time));
  EXPECT_EQ(token["ExpirationTime"], Rfc3339(made.token->expiration_time));
  EXPECT_EQ(token["CreateIndex"], made.token->create_index);

  const json stub =
      Look([&](const AclTables& tables) { return TokenStubJson(*made.token, tables); });
  EXPECT_FALSE(stub.contains("SecretID"));
  EXPECT_FALSE(stub.contains("ExpirationTTL"));
  EXPECT_THAT(token.dump(), Not(HasSubstr(made.token->secret_hash)));

  EXPECT_TRUE(TryDeleteRole(role.role->id).ok());
  const json later =
      Look([&](const AclTables& tables) { return TokenStubJson(*made.token, tables); });
  EXPECT_EQ(later["Roles"], json::array());
}

TEST_F(AclJsonTest, ATokenThatDoesNotEndHasNoEnd) {
  const TokenWrite made = MustToken(ManagementToken());
  const json token =
      Look([&](const AclTables& tables) { return TokenJson(*made.token, tables, ""); });
  EXPECT_FALSE(token.contains("ExpirationTime"));
  EXPECT_FALSE(token.contains("ExpirationTTL"));
  EXPECT_EQ(token["SecretID"], "");
  EXPECT_EQ(token["Policies"], json::array());
  EXPECT_EQ(AnonymousTokenJson()["AccessorID"], "anonymous");
  EXPECT_EQ(AnonymousTokenJson()["Policies"], json::array({"anonymous"}));
}

TEST_F(AclJsonTest, TheHashChangesWithWhatAClientCanChange) {
  PolicyRecord policy;
  policy.name = "web";
  policy.rules = DefaultRules("read");
  const json before = PolicyStubJson(policy)["Hash"];
  EXPECT_EQ(before.get<std::string>().size(), 44u);
  policy.modify_index = 7;
  EXPECT_EQ(PolicyStubJson(policy)["Hash"], before);
  policy.text = "x";
  EXPECT_NE(PolicyStubJson(policy)["Hash"], before);
}

TEST_F(AclJsonTest, APolicyHasItsRulesTwice) {
  PolicyRecord policy;
  policy.name = "web";
  policy.text = "the text";
  policy.rules = DefaultRules("read");
  EXPECT_TRUE(PolicyRecordJson(policy)["JobACL"].is_null());
  policy.scope = JobScope{"default", "web", "", ""};
  const json whole = PolicyRecordJson(policy);
  EXPECT_EQ(whole["Rules"], "the text");
  EXPECT_EQ(whole["RulesJSON"]["Namespaces"][0]["Name"], "default");
  EXPECT_EQ(whole["JobACL"]["JobID"], "web");
  EXPECT_FALSE(PolicyStubJson(policy).contains("Rules"));
}

TEST_F(AclJsonTest, BodiesAreRead) {
  const TokenRequest token = ReadTokenRequest(json::parse(R"({
      "AccessorID": "a", "SecretID": "forged", "Name": "n", "Type": "client", "Global": true,
      "Policies": ["p"], "Roles": [{"ID": "r"}, {"Name": "web"}], "CreateIndex": 7,
      "CreateTime": "2020-01-01T00:00:00Z", "Hash": null, "ExpirationTTL": "1h",
      "ExpirationTime": "2023-11-14T22:13:20Z"})"))
                                 .value();
  EXPECT_EQ(token.accessor_id, "a");
  EXPECT_TRUE(token.global);
  EXPECT_EQ(token.roles.size(), 2u);
  EXPECT_EQ(token.roles[1].name, "web");
  EXPECT_EQ(token.expiration_ttl, Duration(std::chrono::hours(1)));
  EXPECT_EQ(token.expiration_time, 1'700'000'000'000'000'000);
  EXPECT_EQ(ReadTokenRequest({{"ExpirationTTL", 60'000'000'000}}).value().expiration_ttl,
            Duration(60s));
  EXPECT_EQ(ReadTokenRequest({{"ExpirationTTL", ""}}).value().expiration_ttl, Duration(0));

  const PolicyRequest policy = ReadPolicyRequest(json::parse(R"({
      "Name": "p", "Description": "d", "Rules": "r", "JobACL": {"Namespace": "default",
      "JobID": "web", "Group": "g", "Task": "t"}})"))
                                   .value();
  EXPECT_EQ(policy.scope, (JobScope{"default", "web", "g", "t"}));
  EXPECT_FALSE(ReadPolicyRequest({{"JobACL", json::object()}}).value().scope);

  const RoleRequest role =
      ReadRoleRequest(json::parse(R"({"Name": "web", "Policies": [{"Name": "p"}]})")).value();
  EXPECT_EQ(role.policies, std::vector<std::string>({"p"}));
}

TEST_F(AclJsonTest, ATimeInThePastIsNotNoTime) {
  EXPECT_EQ(ReadTokenRequest({{"ExpirationTime", "0001-01-01T00:00:00Z"}}).value().expiration_time,
            0);
  for (const char* start : {"1970-01-01T00:00:00Z", "1970-01-01T01:00:00+01:00"}) {
    const auto read = ReadTokenRequest({{"ExpirationTime", start}});
    ASSERT_FALSE(read.ok()) << "the token would never expire";
    EXPECT_THAT(read.error().message(), HasSubstr("/ExpirationTime: must be after 1970-01-01"));
  }
}

TEST_F(AclJsonTest, ANameInAnotherCaseIsRefused) {
  const auto token = ReadTokenRequest({{"Type", "client"}, {"expirationttl", "5m"}});
  ASSERT_FALSE(token.ok()) << "the token would never expire";
  EXPECT_EQ(token.error().message(), "/expirationttl: is not known; write ExpirationTTL");
  const auto policy = ReadPolicyRequest({{"Name", "p"}, {"JobACL", {{"jobID", "web"}}}});
  ASSERT_FALSE(policy.ok()) << "the policy would belong to no job";
  EXPECT_EQ(policy.error().message(), "/JobACL/jobID: is not known; write JobID");
  EXPECT_FALSE(ReadRoleRequest({{"Name", "r"}, {"policies", json::array()}}).ok());
  // Clients send more than what counts.
  EXPECT_TRUE(ReadTokenRequest({{"Type", "client"}, {"CreateIndex", 7}}).ok());
}

TEST_F(AclJsonTest, AllFaultsOfABodyAreTold) {
  const auto read = ReadTokenRequest(json::parse(R"({
      "Name": 7, "Type": null, "Global": "yes", "Policies": ["a", 1], "Roles": ["web"],
      "ExpirationTTL": "later", "ExpirationTime": "tomorrow"})"));
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.code(), Code::kInvalidArgument);
  for (const char* part :
       {"/Name: must be a text", "/Global: must be true or false", "/Policies/1: must be the name",
        "/Roles/0: must be an object", "/ExpirationTTL: ", "/ExpirationTime: "}) {
    EXPECT_THAT(read.error().message(), HasSubstr(part));
  }
  for (const char* body : {"null", "[]", "7", "\"x\""}) {
    EXPECT_EQ(ReadTokenRequest(json::parse(body)).code(), Code::kInvalidArgument) << body;
    EXPECT_EQ(ReadPolicyRequest(json::parse(body)).code(), Code::kInvalidArgument) << body;
    EXPECT_EQ(ReadRoleRequest(json::parse(body)).code(), Code::kInvalidArgument) << body;
  }
}

TEST_F(AclJsonTest, ManyElementsCostLittle) {
  json body;
  body["Policies"] = std::vector<std::string>(100'000, "a");
  EXPECT_EQ(ReadTokenRequest(body).value().policies.size(), kMostLinks + 1);
}

}  // namespace
}  // namespace drover
