// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/node_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "host/base/directory_for_test.h"
#include "host/identity/aes_gcm.h"
#include "host/node/data_dir.h"
#include "host/variables/variable_items.h"

namespace drover {
namespace {

using ::testing::HasSubstr;

class NodeKeysTest : public ::testing::Test {
 protected:
  NodeKeysTest() { unsetenv("CREDENTIALS_DIRECTORY"); }
  ~NodeKeysTest() override { unsetenv("CREDENTIALS_DIRECTORY"); }

  // Ends the agent before, and begins the next with the same directories.
  Status Begin() {
    keys_.reset();
    kept_.reset();
    auto opened = KeptState::Open(directory_.path() + "/state");
    DROVER_CHECK(opened.ok());
    kept_ = std::move(*opened);
    NodeKeysOptions options;
    options.loop = &loop_;
    options.kept = kept_.get();
    options.key_dir = directory_.path() + "/keys";
    auto made = NodeKeys::Create(std::move(options));
    if (!made.ok()) return made.error();
    keys_ = std::move(*made);
    EXPECT_TRUE(loop_.RunToEnd(keys_->Load()));
    return {};
  }
  Status Rotate() {
    Status status = Error(Code::kTimeout, "it did not end");
    const auto into = [](Keyring* keyring, Status* out) -> Co<void> {
      *out = co_await keyring->Rotate();
    };
    EXPECT_TRUE(loop_.RunToEnd(into(keys_->keyring(), &status)));
    return status;
  }
  std::string ActiveKey() const {
    for (const SigningKeyInfo& key : keys_->keyring()->List()) {
      if (key.active) return key.id;
    }
    return "";
  }
  std::string MakeCredential() {
    const std::string path = directory_.path() + "/credentials";
    std::filesystem::create_directory(path);
    std::ofstream(path + "/" + kSealCredential) << std::string(kAesKeyBytes, 'c');
    EXPECT_EQ(chmod((path + "/" + kSealCredential).c_str(), 0400), 0);
    return path;
  }

  RealLoop loop_;
  const DirectoryForTest directory_{"/dev/shm"};
  std::unique_ptr<KeptState> kept_;
  std::unique_ptr<NodeKeys> keys_;
};

TEST_F(NodeKeysTest, TheNextAgentHasTheSameKeys) {
  ASSERT_TRUE(Begin().ok());
  const std::string first = ActiveKey();
  EXPECT_FALSE(first.empty());
  const std::string sealed = keys_->seal_key()->Seal("kind", "id", "a secret").value();
  ASSERT_TRUE(Begin().ok());
  EXPECT_EQ(ActiveKey(), first);
  EXPECT_EQ(keys_->seal_key()->Open("kind", "id", sealed).value().view(), "a secret");
  ASSERT_TRUE(Rotate().ok());
  const std::string second = ActiveKey();
  EXPECT_NE(second, first);
  ASSERT_TRUE(Begin().ok());
  EXPECT_EQ(ActiveKey(), second);
  EXPECT_EQ(keys_->keyring()->public_keys()->size(), 2u) << "the first still checks tokens";
}

TEST_F(NodeKeysTest, TheStateAloneTellsNoPrivateKey) {
  ASSERT_TRUE(Begin().ok());
  const std::string first = ActiveKey();
  std::filesystem::remove_all(directory_.path() + "/keys");
  ASSERT_TRUE(Begin().ok()) << "a lost seal key is replaced";
  EXPECT_NE(ActiveKey(), first);
  EXPECT_TRUE(keys_->keyring()->public_keys()->contains(first)) << "it goes on to check tokens";
}

TEST_F(NodeKeysTest, ACredentialIsTheSealKey) {
  setenv("CREDENTIALS_DIRECTORY", MakeCredential().c_str(), 1);
  ASSERT_TRUE(Begin().ok());
  EXPECT_FALSE(std::filesystem::exists(directory_.path() + "/keys"));
  const std::string first = ActiveKey();
  ASSERT_TRUE(Begin().ok());
  EXPECT_EQ(ActiveKey(), first);
}

TEST_F(NodeKeysTest, ACredentialThatCannotBeReadIsNotReplacedByAnotherKey) {
  const std::string credentials = MakeCredential();
  setenv("CREDENTIALS_DIRECTORY", credentials.c_str(), 1);
  std::filesystem::remove(credentials + "/" + kSealCredential);
  std::filesystem::create_symlink("/nowhere", credentials + "/" + kSealCredential);
  const Status begun = Begin();
  ASSERT_FALSE(begun.ok());
  EXPECT_THAT(begun.error().message(), HasSubstr("is a link"));
  EXPECT_FALSE(std::filesystem::exists(directory_.path() + "/keys"));
}

TEST_F(NodeKeysTest, TwoSealKeysAreRefused) {
  ASSERT_TRUE(Begin().ok());
  setenv("CREDENTIALS_DIRECTORY", MakeCredential().c_str(), 1);
  const Status begun = Begin();
  ASSERT_FALSE(begun.ok());
  EXPECT_THAT(begun.error().message(), HasSubstr("there are two seal keys"));
}

TEST_F(NodeKeysTest, WithoutStateNothingIsStored) {
  NodeKeysOptions options;
  options.loop = &loop_;
  keys_ = NodeKeys::Create(std::move(options)).value();
  EXPECT_TRUE(loop_.RunToEnd(keys_->Load()));
  EXPECT_FALSE(ActiveKey().empty());
  EXPECT_TRUE(Rotate().ok());
  EXPECT_EQ(keys_->keyring()->List().size(), 2u);
  EXPECT_TRUE(std::filesystem::is_empty(directory_.path()));
}

TEST_F(NodeKeysTest, OnlyTasksWithTokensHaveTheHook) {
  NodeKeysOptions options;
  options.loop = &loop_;
  keys_ = NodeKeys::Create(std::move(options)).value();
  Task task;
  task.name = "t";
  TaskHooks hooks;
  keys_->AddHooks(task, nullptr, &hooks);
  EXPECT_TRUE(hooks.before_stats.empty());
  task.identity.file = true;
  keys_->AddHooks(task, nullptr, &hooks);
  ASSERT_EQ(hooks.before_stats.size(), 1u);
  EXPECT_EQ(hooks.before_stats.front()->name(), "identity");
}

TEST(FindLivingTest, EndedAllocationsDoNotCount) {
  StateStore store;
  EXPECT_EQ(FindLiving(store), std::nullopt);
  auto job = std::make_shared<Job>();
  job->id = job->name = "job";
  TaskGroup group;
  group.name = "g";
  job->groups.push_back(group);
  auto record = std::make_shared<JobRecord>();
  record->job = job;
  const auto put = [&](const std::string& id, WallTime created, ClientStatus status) {
    auto alloc = std::make_shared<Allocation>();
    alloc->id = id;
    alloc->node_id = "node";
    alloc->group_name = "g";
    alloc->job = job;
    alloc->create_time = created;
    auto placed = std::make_shared<AllocRecord>();
    placed->alloc = alloc;
    placed->job = record;
    placed->reported.id = id;
    placed->reported.status.status = status;
    store.Write(cause::kAllocUpdate, [&](Tables* tables, std::uint64_t) {
      tables->Put(std::shared_ptr<const AllocRecord>(placed));
      return MaskOf(Table::kAllocs);
    });
  };
  put("a", 3, ClientStatus::kComplete);
  put("b", 7, ClientStatus::kRunning);
  put("c", 5, ClientStatus::kPending);
  put("d", 6, ClientStatus::kRunning);
  put("e", 9, ClientStatus::kFailed);
  EXPECT_EQ(FindLiving(store), (LivingAllocs{5, 7}));
}

TEST(FindUnreadableTest, AVariableOfAnotherSealKey) {
  StateStore store;
  const auto key_of = [](char c) { return SealKey(SecretBytes(std::string(kAesKeyBytes, c))); };
  const auto put = [&](const std::string& path, const SealKey& key) {
    auto variable = std::make_shared<VariableRecord>();
    variable->name_space = "default";
    variable->path = path;
    variable->sealed_items = SealItems(key, "default", path, "{}").value();
    store.Write(cause::kVariablePut, [&](Tables* tables, std::uint64_t) {
      tables->Put(std::shared_ptr<const VariableRecord>(variable));
      return MaskOf(Table::kVariables);
    });
  };
  EXPECT_EQ(FindUnreadable(store, key_of('a')), std::nullopt);
  put("first", key_of('a'));
  put("second", key_of('a'));
  EXPECT_EQ(FindUnreadable(store, key_of('a')), std::nullopt);
  put("second", key_of('b'));
  EXPECT_EQ(FindUnreadable(store, key_of('a')), VariableKey("default", "second"));
}

TEST(DataDirKeysTest, ATemporaryDirectoryGoesWithItsKeys) {
  const DirectoryForTest directory("/dev/shm");
  setenv("TMPDIR", directory.path().c_str(), 1);
  {
    const Result<DataDir> own = DataDir::Make("");
    unsetenv("TMPDIR");
    ASSERT_TRUE(own.ok()) << own.error().message();
    std::filesystem::create_directory(own->key_dir());
    std::ofstream(own->key_dir() + "/seal.key") << "key";
    own->RemoveIfMade();
  }
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

}  // namespace
}  // namespace drover
