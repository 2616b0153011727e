// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/acl/acl_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/acl/acl_fixture.h"
#include "host/acl/secret_hash.h"
#include "host/base/directory_for_test.h"

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class AclJournalTest : public AclFixture {
 protected:
  AclJournalTest() {
    auto opened = Store::Open(directory_.path() + "/state", nullptr);
    DROVER_CHECK(opened.ok());
    file_ = std::move(opened->store);
    state.SetJournal(AclJournal(file_.get()));
  }

  std::vector<Record> Reopen() {
    file_.reset();
    auto opened = Store::Open(directory_.path() + "/state", nullptr);
    DROVER_CHECK(opened.ok());
    state.SetJournal(nullptr);
    return std::move(opened->records);
  }

  // Writes one of everything, and returns the secret of the token.
  std::string WriteAll() {
    MustPolicy("a", "read");
    PolicyRequest policy;
    policy.name = "of-job";
    policy.description = "text";
    policy.text = "namespace \"default\" { policy = \"write\" }";
    policy.rules = DefaultRules("write");
    policy.scope = JobScope{"default", "web", "front", "nginx"};
    EXPECT_TRUE(TryPolicy(policy).ok());
    role_ = TryRole({"", "web", "text", {"a"}}).value().role;
    TokenRequest request = ClientToken({"of-job"});
    request.roles = {{"", "web"}};
    request.expiration_ttl = std::chrono::hours(1);
    const TokenWrite made = MustToken(request);
    token_ = made.token;
    first_ = TryBootstrap().value().token;
    return made.secret;
  }

  const DirectoryForTest directory_;
  std::unique_ptr<Store> file_;
  std::shared_ptr<const RoleRecord> role_;
  std::shared_ptr<const TokenRecord> token_;
  std::shared_ptr<const TokenRecord> first_;
};

TEST_F(AclJournalTest, TheNextAgentHasEverything) {
  const std::string secret = WriteAll();
  const LoadedAcl loaded = LoadAcl(Reopen());
  EXPECT_THAT(loaded.refused, IsEmpty());
  const AclTables& tables = loaded.tables;
  ASSERT_NE(tables.FindTokenByHash(SecretHash(secret)), nullptr);
  EXPECT_EQ(*tables.FindTokenByHash(SecretHash(secret)), *token_);
  EXPECT_EQ(*tables.FindRoleNamed("web"), *role_);
  const auto policy = tables.FindPolicy("of-job");
  ASSERT_NE(policy, nullptr);
  EXPECT_EQ(policy->text, "namespace \"default\" { policy = \"write\" }");
  EXPECT_EQ(policy->description, "text");
  EXPECT_EQ(*policy->rules, *DefaultRules("write"));
  EXPECT_EQ(policy->scope, (JobScope{"default", "web", "front", "nginx"}));
  EXPECT_THAT(tables.PoliciesOf(*token_), SizeIs(2));
  EXPECT_THAT(tables.PoliciesOf(TaskPrincipal{"default", "web", "front", "nginx", "1"}), SizeIs(1));
  EXPECT_THAT(tables.Expired(token_->expiration_time, 10), SizeIs(1));
  EXPECT_EQ(tables.bootstrap_index(), first_->create_index);
  EXPECT_GT(tables.last_index(), first_->create_index);
  EXPECT_EQ(tables.IndexOf(AclTable::kRoles), tables.last_index());
}

TEST_F(AclJournalTest, NoSecretIsStored) {
  const std::string secret = WriteAll();
  for (const Record& record : Reopen()) {
    EXPECT_THAT(record.value, Not(HasSubstr(secret))) << record.key.kind;
    EXPECT_THAT(record.key.id, Not(HasSubstr(secret))) << record.key.kind;
  }
}

TEST_F(AclJournalTest, WhatIsErasedStaysErased) {
  WriteAll();
  EXPECT_TRUE(TryDeleteTokens({token_->accessor_id, first_->accessor_id}).ok());
  EXPECT_TRUE(TryDeletePolicies({"a"}).ok());
  EXPECT_TRUE(TryDeleteRole(role_->id).ok());
  const LoadedAcl loaded = LoadAcl(Reopen());
  EXPECT_THAT(loaded.tables.tokens(), IsEmpty());
  EXPECT_THAT(loaded.tables.roles(), IsEmpty());
  EXPECT_THAT(loaded.tables.policies(), SizeIs(1));
  EXPECT_EQ(loaded.tables.bootstrap_index(), first_->create_index);
}

TEST_F(AclJournalTest, APolicyThatCannotBeReadDeniesEverything) {
  WriteAll();
  std::vector<Record> records = Reopen();
  for (Record& record : records) {
    if (record.key.id == "of-job") record.value = "{\"text\": 7}";
  }
  const LoadedAcl loaded = LoadAcl(records);
  EXPECT_THAT(loaded.refused,
              ElementsAre(HasSubstr("the record acl-policy of-job cannot be used")));
  const auto policy = loaded.tables.FindPolicy("of-job");
  ASSERT_NE(policy, nullptr);
  EXPECT_TRUE(policy->rules->is_unreadable);
  EXPECT_FALSE(policy->scope);
}

TEST_F(AclJournalTest, DamagedTokensAndRolesAreMissing) {
  WriteAll();
  for (const char* value : {"", "{", "[]", "null", "{}", "{\"secret_hash\": 7}"}) {
    std::vector<Record> records = {{{"acl-token", "t"}, value}, {{"acl-role", "r"}, value}};
    const LoadedAcl loaded = LoadAcl(records);
    EXPECT_THAT(loaded.refused, SizeIs(2)) << value;
    EXPECT_THAT(loaded.tables.tokens(), IsEmpty());
    EXPECT_THAT(loaded.tables.roles(), IsEmpty());
  }
}

TEST_F(AclJournalTest, ALostIndexDoesNotOpenTheBootstrap) {
  WriteAll();
  std::vector<Record> records = Reopen();
  std::erase_if(records, [](const Record& record) { return record.key.kind == "acl-index"; });
  EXPECT_NE(LoadAcl(records).tables.bootstrap_index(), 0u);
  EXPECT_NE(LoadAcl({{{"acl-index", "last"}, "damaged"}}).tables.bootstrap_index(), 0u);
  EXPECT_EQ(LoadAcl({}).tables.bootstrap_index(), 0u);
}

}  // namespace
}  // namespace drover
