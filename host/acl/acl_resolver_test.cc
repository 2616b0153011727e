// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/acl/acl_resolver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "host/acl/acl_fixture.h"
#include "host/acl/secret_hash.h"

namespace drover {
namespace {

constexpr char kHere[] = "127.0.0.1";
constexpr char kIdentity[] = "head.claims.signature";
constexpr RightSet<Capability> kReadOfJobs = {Capability::kReadJob};

class AclResolverTest : public AclFixture {
 protected:
  AclResolverTest() : resolver(&state, {.at_once = 5, .each = 1s, .sources = 100}) {
    resolver.SetVerifier({[this](std::string_view identity, WallTime) { return Verify(identity); },
                          [this](const std::string& id) { return live.contains(id); }});
    resolver.SetSettings({.enabled = true, .agent_token_hash = ""});
  }

  Result<AclIdentity> Verify(std::string_view identity) {
    ++verified;
    if (identity != kIdentity) return Error(Code::kPermissionDenied, "the signature is wrong");
    AclIdentity found;
    found.task = {"default", "web", "front", "nginx", "alloc-1"};
    found.expiration_time = identity_ends;
    return found;
  }

  Result<AclPrincipal> Resolve(std::string_view secret, const std::string& source = kHere) {
    return resolver.Resolve(&loop, secret, source);
  }
  // Returns the name of the client that SECRET stands for, or why it is refused.
  std::string Who(std::string_view secret, const std::string& source = kHere) {
    const Result<AclPrincipal> found = Resolve(secret, source);
    return found.ok() ? found->name : found.error().message();
  }

  AclResolver resolver;
  std::set<std::string> live = {"alloc-1"};
  WallTime identity_ends = 0;
  int verified = 0;
};

TEST_F(AclResolverTest, ASecretStandsForItsToken) {
  MustPolicy("a", "read");
  const TokenWrite client = MustToken(ClientToken({"a"}));
  const TokenWrite management = MustToken(ManagementToken());
  const AclPrincipal found = Resolve(client.secret).value();
  EXPECT_EQ(found.token, client.token);
  EXPECT_EQ(found.name, client.token->accessor_id);
  EXPECT_TRUE(found.acl->Allows("default", kReadOfJobs));
  EXPECT_FALSE(found.acl->Allows("default", {Capability::kSubmitJob}));
  EXPECT_TRUE(Resolve(management.secret)->acl->is_management());
}

TEST_F(AclResolverTest, ForgedSecretsAreRefused) {
  const TokenWrite token = MustToken(ManagementToken());
  std::string flipped = token.secret;
  flipped.back() = flipped.back() == '0' ? '1' : '0';
  std::string upper = token.secret;
  for (char& c : upper) c = c >= 'a' && c <= 'f' ? static_cast<char>(c - 32) : c;
  int source = 0;
  for (const std::string& forged :
       {token.token->accessor_id, token.token->secret_hash, flipped, token.secret + " ",
        " " + token.secret, token.secret.substr(1), token.secret + std::string(1, '\0'),
        std::string("anonymous"), std::string("agent-token"), std::string("*"),
        std::string(100'000, 'x'), std::string("a.b"), std::string("a.b.c.d")}) {
    const Result<AclPrincipal> found = Resolve(forged, std::to_string(source++));
    ASSERT_FALSE(found.ok()) << forged.substr(0, 50);
    EXPECT_EQ(found.code(), Code::kPermissionDenied);
    EXPECT_EQ(found.error().message(), "ACL token not found");
  }
  if (upper != token.secret) {
    EXPECT_EQ(Who(upper, "upper"), "ACL token not found");
  }
  EXPECT_EQ(verified, 0);
  EXPECT_EQ(Who(token.secret), token.token->accessor_id);
}

TEST_F(AclResolverTest, WithoutASecretThePolicyOfEverybodyCounts) {
  EXPECT_EQ(Who(""), "anonymous");
  EXPECT_FALSE(Resolve("")->acl->Allows("default", kReadOfJobs));
  MustPolicy("anonymous", "read");
  EXPECT_TRUE(Resolve("")->acl->Allows("default", kReadOfJobs));
  EXPECT_TRUE(TryDeletePolicies({"anonymous"}).ok());
  EXPECT_FALSE(Resolve("")->acl->Allows("default", kReadOfJobs));
}

TEST_F(AclResolverTest, WhatIsKeptEndsWithEachChange) {
  MustPolicy("a", "read");
  const RoleWrite role = TryRole({"", "web", "", {"a"}}).value();
  TokenRequest request = ClientToken({});
  request.roles = {{"", "web"}};
  const TokenWrite token = MustToken(request);
  const auto acl = Resolve(token.secret)->acl;
  EXPECT_EQ(Resolve(token.secret)->acl, acl) << "is kept";
  MustPolicy("a", "write");
  EXPECT_TRUE(Resolve(token.secret)->acl->Allows("default", {Capability::kSubmitJob}));
  EXPECT_TRUE(TryDeleteRole(role.role->id).ok());
  EXPECT_FALSE(Resolve(token.secret)->acl->Allows("default", kReadOfJobs));
  EXPECT_TRUE(TryDeleteTokens({token.token->accessor_id}).ok());
  EXPECT_EQ(Who(token.secret), "ACL token not found");
  // What somebody holds already does not change.
  EXPECT_TRUE(acl->Allows("default", kReadOfJobs));
}

TEST_F(AclResolverTest, ATokenEndsInTime) {
  MustPolicy("a", "read");
  TokenRequest request = ClientToken({"a"});
  request.expiration_ttl = std::chrono::minutes(5);
  const TokenWrite token = MustToken(request);
  EXPECT_EQ(Who(token.secret), token.token->accessor_id);
  loop.Advance(std::chrono::minutes(5) - 1ns);
  EXPECT_EQ(Who(token.secret), token.token->accessor_id) << "from what is kept";
  loop.Advance(1ns);
  EXPECT_EQ(Who(token.secret), "ACL token expired");
  EXPECT_EQ(resolver.kept(), 0u);
}

TEST_F(AclResolverTest, WhatIsKeptIsBounded) {
  std::vector<TokenWrite> tokens;
  for (std::size_t i = 0; i < AclResolver::kMostKept + 10; ++i) {
    tokens.push_back(MustToken(ManagementToken()));
  }
  for (const TokenWrite& token : tokens) EXPECT_TRUE(Resolve(token.secret).ok());
  EXPECT_EQ(resolver.kept(), AclResolver::kMostKept);
  for (const TokenWrite& token : tokens) EXPECT_TRUE(Resolve(token.secret).ok());
  EXPECT_EQ(resolver.kept(), AclResolver::kMostKept);
  for (int i = 0; i < 1000; ++i) (void)Resolve("wrong " + std::to_string(i));
  EXPECT_EQ(resolver.kept(), AclResolver::kMostKept) << "failures are not kept";
}

TEST_F(AclResolverTest, TooManyFailuresOfASource) {
  const TokenWrite token = MustToken(ManagementToken());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Who("wrong"), "ACL token not found");
  EXPECT_EQ(Resolve("wrong").code(), Code::kResourceExhausted);
  EXPECT_EQ(Resolve("wrong", "another").code(), Code::kPermissionDenied);
  // A right token is accepted all the same.
  EXPECT_EQ(Who(token.secret), token.token->accessor_id);
  loop.Advance(10s);
  EXPECT_EQ(Resolve("wrong").code(), Code::kPermissionDenied);
}

TEST_F(AclResolverTest, ATaskActsForItself) {
  const AclPrincipal task = Resolve(kIdentity).value();
  EXPECT_EQ(task.name, "alloc-1/nginx");
  EXPECT_EQ(task.token, nullptr);
  EXPECT_TRUE(task.acl->AllowsVariable("default", "nomad/jobs/web", VariableRight::kRead));
  EXPECT_FALSE(task.acl->Allows("default", kReadOfJobs));
  EXPECT_TRUE(Resolve(kIdentity).ok());
  EXPECT_EQ(verified, 1) << "is kept";
  PolicyRequest request;
  request.name = "of-web";
  request.rules = DefaultRules("read");
  request.scope = JobScope{"default", "web", "", ""};
  ASSERT_TRUE(TryPolicy(request).ok());
  EXPECT_TRUE(Resolve(kIdentity)->acl->Allows("default", kReadOfJobs));
  const TaskPrincipal itself = Verify(kIdentity)->task;
  EXPECT_TRUE(resolver.AclOfTask(itself)->Allows("default", kReadOfJobs));
  // Nobody sees or changes policies that do not count.
  resolver.SetSettings({.enabled = false, .agent_token_hash = SecretHash("from a file")});
  const AclPrincipal alone = Resolve(kIdentity).value();
  EXPECT_FALSE(alone.acl->Allows("default", kReadOfJobs));
  EXPECT_FALSE(resolver.AclOfTask(itself)->Allows("default", kReadOfJobs));
  EXPECT_TRUE(alone.acl->AllowsVariable("default", "nomad/jobs/web", VariableRight::kRead));
}

TEST_F(AclResolverTest, AnIdentityEndsWithItsAllocationAndItsTime) {
  identity_ends = loop.Wall() + Duration(60s).count();
  EXPECT_TRUE(Resolve(kIdentity).ok());
  live.clear();
  EXPECT_EQ(Who(kIdentity), "the allocation has ended");
  live.insert("alloc-1");
  EXPECT_TRUE(Resolve(kIdentity).ok());
  const int before = verified;
  loop.Advance(60s);
  (void)Resolve(kIdentity);
  EXPECT_EQ(verified, before + 1) << "is verified again when its time is over";
}

TEST_F(AclResolverTest, ForgedIdentitiesAreNotVerifiedWithoutEnd) {
  EXPECT_TRUE(Resolve(kIdentity, "alloc-1").ok());
  verified = 0;
  for (int i = 0; i < 10'000; ++i) {
    EXPECT_FALSE(Resolve("a.b." + std::to_string(i), "alloc-2").ok());
  }
  EXPECT_EQ(verified, 6);
  EXPECT_EQ(Resolve("a.b.c", "alloc-2").code(), Code::kResourceExhausted);
  // Another allocation, and what is kept, are not concerned.
  EXPECT_EQ(Who("a.b.c", "alloc-3"), "the signature is wrong");
  EXPECT_TRUE(Resolve(kIdentity, "alloc-2").ok());
  loop.Advance(1s);
  EXPECT_EQ(Who("a.b.c", "alloc-2"), "too many wrong tokens: try again later");
  EXPECT_EQ(verified, 8);
}

TEST_F(AclResolverTest, TheTokenOfTheAgentGoesOn) {
  resolver.SetSettings({.enabled = false, .agent_token_hash = SecretHash("from a file")});
  const TokenWrite token = MustToken(ManagementToken());
  EXPECT_EQ(Who("from a file"), "agent-token");
  EXPECT_TRUE(Resolve("from a file")->acl->is_management());
  EXPECT_EQ(Who(""), "Permission denied");
  EXPECT_EQ(Who("another"), "ACL token not found");
  EXPECT_EQ(Who(token.secret), "ACL token not found") << "as long as policies do not count";
  resolver.SetSettings({.enabled = true, .agent_token_hash = SecretHash("from a file")});
  EXPECT_EQ(Who("from a file"), "agent-token");
  EXPECT_EQ(Who(token.secret), token.token->accessor_id);
  EXPECT_EQ(Who(""), "anonymous");
  resolver.SetSettings({.enabled = true, .agent_token_hash = SecretHash("a new one")});
  EXPECT_EQ(Who("from a file"), "ACL token not found");
  EXPECT_EQ(Who("a new one"), "agent-token");
}

TEST_F(AclResolverTest, TheTokenOfTheAgentMayLookLikeAnIdentity) {
  for (const bool enabled : {false, true}) {
    resolver.SetSettings({.enabled = enabled, .agent_token_hash = SecretHash("from.a.file")});
    for (int i = 0; i < 10; ++i) EXPECT_FALSE(Resolve("a.b.c").ok());
    ASSERT_EQ(Resolve("a.b.c").code(), Code::kResourceExhausted);
    // A right token is accepted although its source has guessed.
    EXPECT_EQ(Who("from.a.file"), "agent-token");
  }
}

TEST_F(AclResolverTest, WithoutAnyTokenEverybodyMayDoEverything) {
  resolver.SetSettings({});
  EXPECT_TRUE(Resolve("")->acl->is_management());
  EXPECT_TRUE(Resolve("any")->acl->is_management());
  // But a task that says who it is acts for itself.
  EXPECT_FALSE(Resolve(kIdentity)->acl->is_management());
  // On the socket of a task, an identity is always needed.
  EXPECT_EQ(resolver.ResolveStrictly(&loop, "", "alloc-1").code(), Code::kPermissionDenied);
  EXPECT_EQ(resolver.ResolveStrictly(&loop, "any", "alloc-1").code(), Code::kPermissionDenied);
  EXPECT_TRUE(resolver.ResolveStrictly(&loop, kIdentity, "alloc-1").ok());
}

TEST_F(AclResolverTest, TheStampChangesWithAllThatALookUpDependsOn) {
  const AclResolver::Stamp first = resolver.StampNow();
  EXPECT_EQ(resolver.StampNow(), first);
  MustPolicy("a", "read");
  const AclResolver::Stamp second = resolver.StampNow();
  EXPECT_NE(second, first);
  EXPECT_FALSE(resolver.has_agent_token());
  resolver.SetSettings({.enabled = true, .agent_token_hash = SecretHash("from a file")});
  EXPECT_NE(resolver.StampNow(), second);
  EXPECT_TRUE(resolver.has_agent_token());
}

TEST_F(AclResolverTest, ALongIdentityIsVerified) {
  const std::string longest = "a.b." + std::string(AclResolver::kMostSecretBytes - 4, 'c');
  EXPECT_EQ(Who(longest), "the signature is wrong");
  EXPECT_EQ(verified, 1);
  EXPECT_EQ(Who(longest + "c"), "ACL token not found");
  EXPECT_EQ(verified, 1);
}

TEST_F(AclResolverTest, WithoutAVerifierNoIdentityCounts) {
  AclResolver none(&state);
  none.SetSettings({.enabled = true, .agent_token_hash = ""});
  EXPECT_EQ(none.Resolve(&loop, kIdentity, kHere).code(), Code::kPermissionDenied);
}

}  // namespace
}  // namespace drover
