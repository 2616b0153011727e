// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/acl/acl_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/acl/acl_fixture.h"
#include "host/acl/secret_hash.h"

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr char kGivenSecret[] = "3f5b1f0e-2a6d-4c0b-9d3a-0123456789ab";

class AclChangesTest : public AclFixture {
 protected:
  template <typename T>
  static std::string Why(const Result<T>& result) {
    return result.ok() ? "ok" : result.error().message();
  }
  std::vector<std::string> PoliciesOf(const std::string& accessor) {
    return Look([&](const AclTables& tables) {
      std::vector<std::string> names;
      for (const auto& policy : tables.PoliciesOf(*tables.FindToken(accessor))) {
        names.push_back(policy->name);
      }
      return names;
    });
  }
};

TEST_F(AclChangesTest, TheFirstTokenIsMadeOnce) {
  const TokenWrite first = TryBootstrap().value();
  EXPECT_EQ(first.token->type, TokenType::kManagement);
  EXPECT_EQ(first.token->name, "Bootstrap Token");
  EXPECT_TRUE(first.token->global);
  EXPECT_EQ(first.token->create_time, loop.Wall());
  EXPECT_EQ(first.token->secret_hash, SecretHash(first.secret));
  EXPECT_EQ(first.secret.size(), 36u);
  EXPECT_NE(first.secret, first.token->accessor_id);
  const std::uint64_t index = first.token->create_index;
  EXPECT_EQ(Look([](const AclTables& tables) { return tables.bootstrap_index(); }), index);
  EXPECT_EQ(Why(TryBootstrap()),
            "ACL bootstrap already done (reset index: " + std::to_string(index) +
                "): to allow another one, write the reset index into the file acl-bootstrap-reset "
                "in the agent's data_dir, as root or as the agent's user");
  EXPECT_EQ(Look([](const AclTables& tables) { return tables.tokens().size(); }), 1u);
}

TEST_F(AclChangesTest, TheFirstTokenStaysMadeWhenItIsDeleted) {
  const TokenWrite first = TryBootstrap().value();
  EXPECT_TRUE(TryDeleteTokens({first.token->accessor_id}).ok());
  EXPECT_THAT(Why(TryBootstrap()), HasSubstr("already done"));
}

TEST_F(AclChangesTest, AResetIndexCountsOnce) {
  const TokenWrite first = TryBootstrap().value();
  const std::uint64_t index = first.token->create_index;
  EXPECT_THAT(Why(TryBootstrap("", index + 1)),
              StartsWith("Invalid bootstrap reset index (specified " + std::to_string(index + 1) +
                         ", reset index: " + std::to_string(index) + "): to allow another one"));
  const TokenWrite second = TryBootstrap("", index).value();
  EXPECT_NE(second.secret, first.secret);
  EXPECT_THAT(Why(TryBootstrap("", index)), HasSubstr("Invalid bootstrap reset index"));
  EXPECT_EQ(Look([](const AclTables& tables) { return tables.tokens().size(); }), 2u);
}

TEST_F(AclChangesTest, TheFirstSecretMayBeGiven) {
  for (const char* bad :
       {"secret", "3f5b1f0e-2a6d-4c0b-9d3a-0123456789a", "3f5b1f0e_2a6d-4c0b-9d3a-0123456789ab",
        "3f5b1f0e-2a6d-4c0b-9d3a-01234567zzab"}) {
    EXPECT_THAT(Why(TryBootstrap(bad)), HasSubstr("invalid acl token")) << bad;
  }
  const TokenWrite first = TryBootstrap(kGivenSecret).value();
  EXPECT_EQ(first.secret, kGivenSecret);
  EXPECT_EQ(first.token->secret_hash, SecretHash(kGivenSecret));
  EXPECT_THAT(Why(TryBootstrap(kGivenSecret, first.token->create_index)),
              HasSubstr("has this secret already"));
}

TEST_F(AclChangesTest, ATokenHasARandomAccessorAndSecret) {
  const TokenWrite one = MustToken(ClientToken({"b", "a", "b"}));
  const TokenWrite two = MustToken(ClientToken({"a"}));
  EXPECT_NE(one.secret, two.secret);
  EXPECT_NE(one.token->accessor_id, two.token->accessor_id);
  EXPECT_THAT(one.token->policies, ElementsAre("a", "b"));
  EXPECT_FALSE(one.token->global);
  EXPECT_EQ(
      Look([&](const AclTables& tables) { return tables.FindTokenByHash(SecretHash(one.secret)); }),
      one.token);
  EXPECT_EQ(Look([&](const AclTables& tables) { return tables.FindTokenByHash(one.secret); }),
            nullptr);
}

TEST_F(AclChangesTest, AForgedAccessorMakesNoToken) {
  TokenRequest request = ManagementToken();
  request.accessor_id = "no-such-token";
  EXPECT_EQ(Why(TryToken(request)), "cannot find token \"no-such-token\"");
  EXPECT_THAT(Look([](const AclTables& tables) { return tables.tokens(); }), IsEmpty());
}

TEST_F(AclChangesTest, AChangeKeepsTheSecretAndTheTimes) {
  TokenRequest request = ClientToken({"a"});
  request.expiration_ttl = std::chrono::hours(1);
  const TokenWrite made = MustToken(request);
  loop.Advance(60s);
  TokenRequest change = ClientToken({"b"});
  change.accessor_id = made.token->accessor_id;
  change.name = "another";
  const TokenWrite changed = MustToken(change);
  EXPECT_EQ(changed.secret, "");
  TokenRecord expected = *made.token;
  expected.name = "another";
  expected.policies = {"b"};
  expected.modify_index = changed.token->modify_index;
  EXPECT_EQ(*changed.token, expected);
  EXPECT_GT(expected.modify_index, expected.create_index);

  change.global = true;
  EXPECT_THAT(Why(TryToken(change)), HasSubstr("cannot toggle global mode"));
  change.global = false;
  change.expiration_ttl = std::chrono::hours(2);
  EXPECT_EQ(Why(TryToken(change)), "cannot update expiration TTL");
  change.expiration_ttl = made.token->expiration_ttl;
  change.expiration_time = made.token->expiration_time + 1;
  EXPECT_EQ(Why(TryToken(change)), "cannot update expiration time");
  change.expiration_time = made.token->expiration_time;
  EXPECT_TRUE(TryToken(change).ok());
}

TEST_F(AclChangesTest, ATypeAllowsOnlyItsLinks) {
  EXPECT_EQ(Why(TryToken(ClientToken({}))), "client token missing policies or roles");
  TokenRequest management = ManagementToken();
  EXPECT_TRUE(TryToken(management).ok());
  management.policies = {"a"};
  EXPECT_EQ(Why(TryToken(management)),
            "management token cannot be associated with policies or roles");
  for (const char* type : {"", "Client", "root"}) {
    TokenRequest request = ClientToken({"a"});
    request.type = type;
    EXPECT_EQ(Why(TryToken(request)), "token type must be client or management");
  }
}

TEST_F(AclChangesTest, TextsOfATokenAreBounded) {
  TokenRequest request = ClientToken({"a"});
  request.name = std::string(257, 'x');
  EXPECT_EQ(Why(TryToken(request)), "token name too long");
  request.name = "\xff";
  EXPECT_THAT(Why(TryToken(request)), HasSubstr("not UTF-8"));
  request.name = std::string(256, 'x');
  EXPECT_TRUE(TryToken(request).ok());
  request.policies = {"a b"};
  EXPECT_THAT(Why(TryToken(request)), HasSubstr("invalid name"));
  request.policies = std::vector<std::string>(kMostLinks + 1, "a");
  EXPECT_THAT(Why(TryToken(request)), HasSubstr("policies are named"));
}

TEST_F(AclChangesTest, TheCountOfRecordsIsBounded) {
  limits.tokens = limits.policies = limits.roles = 1;
  MustPolicy("a", "read");
  const TokenWrite token = MustToken(ClientToken({"a"}));
  EXPECT_EQ(TryToken(ClientToken({"a"})).code(), Code::kResourceExhausted);
  TokenRequest change = ClientToken({"b"});
  change.accessor_id = token.token->accessor_id;
  EXPECT_TRUE(TryToken(change).ok());
  PolicyRequest policy;
  policy.name = "b";
  policy.rules = DefaultRules("read");
  EXPECT_EQ(TryPolicy(policy).code(), Code::kResourceExhausted);
  MustPolicy("a", "write");
  EXPECT_TRUE(TryRole({"", "one", "", {"a"}}).ok());
  EXPECT_EQ(TryRole({"", "two", "", {"a"}}).code(), Code::kResourceExhausted);
}

TEST_F(AclChangesTest, TheLifeOfATokenHasLimits) {
  TokenRequest request = ClientToken({"a"});
  request.expiration_ttl = -1s;
  EXPECT_EQ(Why(TryToken(request)), "token expiration TTL '-1s' should not be negative");
  request.expiration_ttl = 59s;
  EXPECT_EQ(Why(TryToken(request)),
            "expiration time cannot be less than 1m0s in the future (was 59s)");
  request.expiration_ttl = std::chrono::hours(25);
  EXPECT_EQ(Why(TryToken(request)),
            "expiration time cannot be more than 24h0m0s in the future (was 25h0m0s)");
  request.expiration_ttl = std::chrono::hours(8);
  const TokenWrite made = MustToken(request);
  EXPECT_EQ(made.token->expiration_time, loop.Wall() + Duration(std::chrono::hours(8)).count());

  request.expiration_ttl = Duration(0);
  request.expiration_time = loop.Wall() - 1;
  EXPECT_EQ(Why(TryToken(request)), "expiration time cannot be before create time");
  request.expiration_time = loop.Wall() + Duration(std::chrono::minutes(5)).count();
  EXPECT_EQ(MustToken(request).token->expiration_time, request.expiration_time);
}

TEST_F(AclChangesTest, ExpiredTokensAreRemovedTheOldestFirst) {
  std::vector<std::string> accessors;
  for (const int minutes : {30, 10, 20}) {
    TokenRequest request = ClientToken({"a"});
    request.expiration_ttl = std::chrono::minutes(minutes);
    accessors.push_back(MustToken(request).token->accessor_id);
  }
  MustToken(ClientToken({"a"}));
  const auto expired = [&](std::size_t most) {
    std::vector<std::string> found;
    const AclWrite write = Look(
        [&](const AclTables& tables) { return DeleteExpiredTokens(tables, loop.Wall(), most); });
    for (const AclChange& change : write.changes) {
      EXPECT_TRUE(change.erased);
      found.push_back(std::get<std::shared_ptr<const TokenRecord>>(change.record)->accessor_id);
    }
    return found;
  };
  EXPECT_THAT(expired(10), IsEmpty());
  loop.Advance(std::chrono::minutes(20));
  EXPECT_THAT(expired(10), ElementsAre(accessors[1], accessors[2]));
  EXPECT_THAT(expired(1), ElementsAre(accessors[1]));
  TokenRequest change = ClientToken({"a"});
  change.accessor_id = accessors[1];
  EXPECT_THAT(Why(TryToken(change)), HasSubstr("has expired"));
  (void)state.Write([&](const AclTables& tables, std::uint64_t) -> Result<AclWrite> {
    return DeleteExpiredTokens(tables, loop.Wall(), 10);
  });
  EXPECT_THAT(expired(10), IsEmpty());
  EXPECT_THAT(Look([](const AclTables& tables) { return tables.tokens(); }), SizeIs(2));
}

TEST_F(AclChangesTest, TokensAreDeletedTogetherOrNotAtAll) {
  const TokenWrite one = MustToken(ClientToken({"a"}));
  const TokenWrite two = MustToken(ClientToken({"a"}));
  EXPECT_EQ(TryDeleteTokens({}).error().message(), "must specify at least one token");
  EXPECT_EQ(TryDeleteTokens({one.token->accessor_id, "x"}).error().message(),
            "cannot delete nonexistent token \"x\"");
  // A secret is no accessor.
  EXPECT_FALSE(TryDeleteTokens({one.secret}).ok());
  EXPECT_THAT(Look([](const AclTables& tables) { return tables.tokens(); }), SizeIs(2));
  EXPECT_TRUE(TryDeleteTokens({one.token->accessor_id, two.token->accessor_id}).ok());
  EXPECT_EQ(
      Look([&](const AclTables& tables) { return tables.FindTokenByHash(SecretHash(one.secret)); }),
      nullptr);
}

TEST_F(AclChangesTest, RolesGiveTheirPolicies) {
  MustPolicy("a", "read");
  MustPolicy("b", "read");
  const RoleWrite role = TryRole({"", "web", "", {"b", "a"}}).value();
  TokenRequest request = ClientToken({"missing"});
  request.roles = {{"", "web"}, {role.role->id, ""}};
  const TokenWrite token = MustToken(request);
  EXPECT_THAT(token.token->roles, ElementsAre(role.role->id));
  EXPECT_THAT(PoliciesOf(token.token->accessor_id), ElementsAre("a", "b"));

  RoleRequest change = {role.role->id, "web-2", "", {"a"}};
  const RoleWrite changed = TryRole(change).value();
  EXPECT_EQ(changed.role->create_index, role.role->create_index);
  EXPECT_THAT(PoliciesOf(token.token->accessor_id), ElementsAre("a"));
  EXPECT_EQ(Look([](const AclTables& tables) { return tables.FindRoleNamed("web"); }), nullptr);
  EXPECT_EQ(Look([](const AclTables& tables) { return tables.FindRoleNamed("web-2"); }),
            changed.role);

  EXPECT_TRUE(TryDeletePolicies({"a", "never-there"}).ok());
  EXPECT_THAT(PoliciesOf(token.token->accessor_id), IsEmpty());
  EXPECT_TRUE(TryDeleteRole(role.role->id).ok());
  EXPECT_THAT(PoliciesOf(token.token->accessor_id), IsEmpty());
  request.roles = {{"", "web-2"}};
  EXPECT_EQ(Why(TryToken(request)), "cannot find role \"web-2\"");
}

TEST_F(AclChangesTest, RolesHaveRules) {
  MustPolicy("a", "read");
  EXPECT_THAT(Why(TryRole({"", "web role", "", {"a"}})), HasSubstr("invalid name"));
  EXPECT_EQ(Why(TryRole({"", "web", "", {}})), "at least one policy should be specified");
  EXPECT_EQ(Why(TryRole({"", "web", "", {"b"}})), "cannot find policy b");
  EXPECT_EQ(Why(TryRole({"x", "web", "", {"a"}})), "cannot find role \"x\"");
  EXPECT_THAT(Why(TryRole({"", "web", std::string(257, 'd'), {"a"}})), HasSubstr("longer than"));
  const RoleWrite web = TryRole({"", "web", "", {"a"}}).value();
  EXPECT_EQ(Why(TryRole({"", "web", "", {"a"}})), "role with name web already exists");
  const RoleWrite db = TryRole({"", "db", "", {"a"}}).value();
  EXPECT_EQ(Why(TryRole({db.role->id, "web", "", {"a"}})), "role with name web already exists");
  EXPECT_TRUE(TryRole({web.role->id, "web", "text", {"a"}}).ok());
  EXPECT_EQ(TryDeleteRole("x").error().message(), "cannot find role \"x\"");
}

TEST_F(AclChangesTest, PoliciesHaveRules) {
  PolicyRequest request;
  request.rules = DefaultRules("read");
  for (const std::string& bad : {std::string(), std::string("a b"), std::string("a_b"),
                                 std::string("a/b"), std::string(129, 'a')}) {
    request.name = bad;
    EXPECT_THAT(Why(TryPolicy(request)), HasSubstr("invalid name")) << bad;
  }
  request.name = "web";
  request.description = std::string(257, 'd');
  EXPECT_THAT(Why(TryPolicy(request)), HasSubstr("description longer than 256"));
  request.description = "";
  const PolicyWrite first = TryPolicy(request).value();
  const PolicyWrite second = TryPolicy(request).value();
  EXPECT_EQ(first.policy->create_index, second.policy->create_index);
  EXPECT_GT(second.policy->modify_index, first.policy->modify_index);
  EXPECT_EQ(TryDeletePolicies({}).error().message(), "must specify at least one policy");
}

TEST_F(AclChangesTest, APolicyOfAJobIsForItsTasks) {
  PolicyRequest request;
  request.name = "web";
  request.rules = DefaultRules("read");
  request.scope = JobScope{"", "web", "", ""};
  EXPECT_EQ(Why(TryPolicy(request)), "namespace must be set to set job ID");
  request.scope = JobScope{"default", "", "", ""};
  EXPECT_THAT(Why(TryPolicy(request)), HasSubstr("job ID must be set"));
  request.scope = JobScope{"default", "web", "", "nginx"};
  EXPECT_EQ(Why(TryPolicy(request)), "group must be set to set task");
  const auto count = [&](const TaskPrincipal& task) {
    return Look([&](const AclTables& tables) { return tables.PoliciesOf(task).size(); });
  };
  const TaskPrincipal nginx = {"default", "web", "front", "nginx", "1"};
  const TaskPrincipal php = {"default", "web", "front", "php", "1"};
  const TaskPrincipal back = {"default", "web", "back", "nginx", "1"};
  const TaskPrincipal other = {"default", "db", "front", "nginx", "1"};
  const TaskPrincipal elsewhere = {"other", "web", "front", "nginx", "1"};
  const std::vector<std::pair<JobScope, std::vector<std::size_t>>> cases = {
      {{"default", "web", "", ""}, {1, 1, 1, 0, 0}},
      {{"default", "web", "front", ""}, {1, 1, 0, 0, 0}},
      {{"default", "web", "front", "nginx"}, {1, 0, 0, 0, 0}},
      {{"default", "db", "", ""}, {0, 0, 0, 1, 0}},
  };
  for (const auto& [scope, expected] : cases) {
    request.scope = scope;
    ASSERT_TRUE(TryPolicy(request).ok());
    EXPECT_THAT((std::vector<std::size_t>{count(nginx), count(php), count(back), count(other),
                                          count(elsewhere)}),
                expected);
  }
  request.scope.reset();
  ASSERT_TRUE(TryPolicy(request).ok());
  EXPECT_EQ(count(other), 0u);
  request.scope = JobScope{"default", "web", "", ""};
  ASSERT_TRUE(TryPolicy(request).ok());
  EXPECT_TRUE(TryDeletePolicies({"web"}).ok());
  EXPECT_EQ(count(nginx), 0u);
}

TEST_F(AclChangesTest, WritesAreCounted) {
  const auto index = [&](AclTable table) {
    return Look([&](const AclTables& tables) { return tables.IndexOf(table); });
  };
  EXPECT_EQ(index(AclTable::kTokens), 1u);
  std::uint64_t next = 100;
  state.SetNextIndex([&next] { return next; });
  MustPolicy("a", "read");
  EXPECT_EQ(index(AclTable::kPolicies), 100u);
  EXPECT_EQ(index(AclTable::kTokens), 1u);
  // An index that does not rise is not used twice.
  EXPECT_EQ(MustToken(ClientToken({"a"})).token->create_index, 101u);
  EXPECT_EQ(index(AclTable::kTokens), 101u);
  const std::uint64_t generation = state.generation();
  EXPECT_FALSE(TryToken(ClientToken({})).ok());
  EXPECT_EQ(state.generation(), generation);
  EXPECT_EQ(index(AclTable::kTokens), 101u);
}

TEST_F(AclChangesTest, ListenersHearOfPoliciesOnly) {
  int heard = 0;
  Subscription on_policies = state.OnPolicies([&heard] { ++heard; });
  MustPolicy("a", "read");
  EXPECT_EQ(heard, 1);
  MustPolicy("a", "write");
  EXPECT_EQ(heard, 2);
  (void)MustToken(ManagementToken());
  EXPECT_EQ(heard, 2);
  EXPECT_TRUE(TryDeletePolicies({"a"}).ok());
  EXPECT_EQ(heard, 3);
  on_policies.Cancel();
  MustPolicy("a", "read");
  EXPECT_EQ(heard, 3);
}

}  // namespace
}  // namespace drover
