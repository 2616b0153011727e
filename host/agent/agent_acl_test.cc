// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/agent_acl.h"

#include <gtest/gtest.h>

#include "host/acl/acl_changes.h"
#include "host/acl/secret_hash.h"
#include "host/base/gate.h"
#include "host/identity/token_maker_for_test.h"
#include "host/scheduler/scheduler_fixture.h"
#include "host/store/store_for_test.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr char kHere[] = "127.0.0.1";

class AgentAclTest : public SchedulerFixture {
 protected:
  AgentAclTest() {
    MakeNodeReady();
    acl_.SetKeys([this] { return std::make_shared<const PublicKeys>(maker_.keys); });
    acl_.Configure({.enabled = true}, "");
  }

  Result<TokenWrite> MakeToken(AgentAcl* acl, const std::string& type, Duration ttl) {
    TokenRequest request;
    request.type = type;
    if (type == "client") request.policies = {"p"};
    request.expiration_ttl = ttl;
    Result<TokenWrite> made = Error(Code::kInternal, "not made");
    (void)acl->state()->Write(
        [&](const AclTables& tables, std::uint64_t index) -> Result<AclWrite> {
          made = PutToken(tables, request, AclLimits(), {loop.Wall(), index});
          if (!made.ok()) return made.error();
          return made->write;
        });
    return made;
  }
  // Returns the name of the client that has sent SECRET, or why it is refused.
  std::string Who(AgentAcl* acl, const std::string& secret) {
    const Result<AclPrincipal> found = acl->resolver()->Resolve(&loop, secret, kHere);
    return found.ok() ? found->name : found.error().message();
  }
  std::size_t Tokens(AgentAcl* acl) {
    std::size_t count = 0;
    acl->state()->Read([&](const AclTables& tables) { count = tables.tokens().size(); });
    return count;
  }
  // An identity of the task t of an allocation of the job "web".
  std::string Identity(const std::string& alloc_id, const json& changes = json::object()) {
    json body = maker_.Body();
    body["nomad_namespace"] = "default";
    body["nomad_allocation_id"] = alloc_id;
    body.update(changes);
    return maker_.WithBody(body);
  }

  TokenMaker maker_;
  AgentAcl acl_{&store};
};

TEST_F(AgentAclTest, WhatIsStoredIsThereAgain) {
  const StoreDirectory directory;
  std::string secret;
  {
    auto opened = drover::Store::Open(directory.path(), [](const Error&) {}).value();
    AgentAcl before(&store);
    before.Begin(LoadAcl(opened.records).tables, opened.store.get());
    secret = MakeToken(&before, "management", Duration(0))->secret;
  }
  auto opened = drover::Store::Open(directory.path(), [](const Error&) {}).value();
  LoadedAcl loaded = LoadAcl(opened.records);
  EXPECT_TRUE(loaded.refused.empty());
  AgentAcl again(&store);
  again.Begin(std::move(loaded.tables), opened.store.get());
  again.Configure({.enabled = true}, "");
  EXPECT_TRUE(again.resolver()->Resolve(&loop, secret, kHere)->acl->is_management());
}

TEST_F(AgentAclTest, ItsIndexesAreThoseOfAllState) {
  std::uint64_t last = 0;
  store.Read([&](const Tables& tables) { last = tables.last_index; });
  EXPECT_GT(MakeToken(&acl_, "management", Duration(0))->token->create_index, last);
}

TEST_F(AgentAclTest, TheSettingsDecide) {
  acl_.Configure({}, "");
  EXPECT_EQ(Who(&acl_, ""), "anybody");
  acl_.Configure({}, SecretHash("from a file"));
  EXPECT_EQ(Who(&acl_, ""), "Permission denied");
  EXPECT_EQ(Who(&acl_, "from a file"), "agent-token");
  acl_.Configure({.enabled = true}, SecretHash("from a file"));
  EXPECT_EQ(Who(&acl_, ""), "anonymous");
  EXPECT_EQ(Who(&acl_, "from a file"), "agent-token");
}

TEST_F(AgentAclTest, TokensGoWhenTheyHaveExpired) {
  Context stop(&loop);
  Gate running(&loop);
  running.Spawn(AgentAcl::RemoveExpired(&acl_, stop));
  ASSERT_TRUE(MakeToken(&acl_, "client", 90s).ok());
  ASSERT_TRUE(MakeToken(&acl_, "management", Duration(0)).ok());
  loop.Advance(1min);
  EXPECT_EQ(Tokens(&acl_), 2u);
  const std::uint64_t generation = acl_.state()->generation();
  loop.Advance(1min);
  EXPECT_EQ(Tokens(&acl_), 1u);
  EXPECT_EQ(acl_.state()->generation(), generation + 1);
  loop.Advance(5min);
  EXPECT_EQ(acl_.state()->generation(), generation + 1) << "nothing is written for nothing";
  stop.Cancel();
  EXPECT_TRUE(loop.RunToEnd(running.Close()));
}

TEST_F(AgentAclTest, AnIdentityActsForItsTask) {
  MustRegister(Registration("web", 1));
  const std::string id = Live().front()->id();
  const Result<AclPrincipal> task = acl_.resolver()->Resolve(&loop, Identity(id), kHere);
  ASSERT_TRUE(task.ok()) << task.error().message();
  EXPECT_EQ(task->acl->task(), (TaskPrincipal{"default", "web", "g", "t", id}));
  EXPECT_TRUE(task->acl->AllowsReadOfAlloc("default", id));
  Report(id, ClientStatus::kComplete);
  EXPECT_FALSE(acl_.resolver()->Resolve(&loop, Identity(id), kHere).ok()) << "it has ended";
}

TEST_F(AgentAclTest, ForgedIdentitiesAreRefused) {
  MustRegister(Registration("web", 1));
  const std::string id = Live().front()->id();
  const std::vector<std::string> forged = {
      Identity("11111111-2222-3333-4444-555555555555"),
      Identity(id, {{"nomad_task", "other"}}),
      Identity(id, {{"nomad_task", ""}}),
      Identity(id, {{"nomad_namespace", "other"}}),
      Identity(id, {{"nomad_job_id", "other"}}),
      Identity(id, {{"aud", "another"}}),
      Identity(id, {{"exp", 1}}),
      TokenMaker::Signed(maker_.Header().dump(), maker_.Body().dump(), TokenMaker::KeyOfByte('x')),
      "a.b.c",
  };
  for (const std::string& one : forged) {
    const Result<AclPrincipal> found = acl_.resolver()->Resolve(&loop, one, one);
    EXPECT_EQ(found.code(), Code::kPermissionDenied) << one;
  }
  AgentAcl none(&store);
  none.Configure({.enabled = true}, "");
  EXPECT_EQ(none.resolver()->Resolve(&loop, Identity(id), kHere).code(), Code::kPermissionDenied)
      << "nobody signs identities";
}

TEST_F(AgentAclTest, AnIdentityEndsWithItsTime) {
  MustRegister(Registration("web", 1));
  const std::string id = Live().front()->id();
  const std::string identity = Identity(id, {{"exp", loop.Wall() / 1'000'000'000 + 60}});
  EXPECT_TRUE(acl_.resolver()->Resolve(&loop, identity, kHere).ok());
  loop.Advance(2min);
  EXPECT_FALSE(acl_.resolver()->Resolve(&loop, identity, kHere).ok());
}

}  // namespace
}  // namespace drover
