// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/identity/keyring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "host/base/jumping_loop_for_test.h"
#include "host/identity/aes_gcm.h"
#include "host/identity/memory_key_store_for_test.h"

namespace drover {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

struct KeyringTest : testing::Test {
  KeyringTest() { Restart(); }

  static std::shared_ptr<const SealKey> SealKeyOf(char c) {
    return std::make_shared<const SealKey>(SecretBytes(std::string(kAesKeyBytes, c)));
  }
  // Makes the keyring of the next agent.
  void Restart(char seal_key = 's') {
    KeyringOptions options;
    options.loop = &loop;
    options.store = &store;
    options.seal_key = SealKeyOf(seal_key);
    options.living = [this] { return living; };
    options.report = [this](const Error& error) { reports.push_back(error.message()); };
    ring.emplace(std::move(options));
  }

  template <typename T>
  static Co<void> Keep(Co<T> from, std::optional<T>* to) {
    to->emplace(co_await std::move(from));
  }
  template <typename T>
  T Ask(Co<T> question) {
    std::optional<T> answer;
    EXPECT_TRUE(loop.RunToEnd(Keep(std::move(question), &answer)));
    return std::move(*answer);
  }
  void Load() {
    const Status loaded = Ask(ring->Load());
    ASSERT_TRUE(loaded.ok()) << loaded.error().message();
  }
  std::string Sign(Duration ttl = 0s) {
    Claims claims;
    claims.job_namespace = claims.job_id = claims.allocation_id = claims.subject = "a";
    claims.token_id = "b";
    claims.audience = {kApiAudience};
    claims.issued_at = claims.not_before = loop.Wall() / 1'000'000'000;
    if (ttl > 0s) claims.expires = claims.issued_at + ttl / 1s;
    const auto token = Ask(ring->Sign(claims));
    EXPECT_TRUE(token.ok()) << (token.ok() ? "" : token.error().message());
    return token.ok() ? *token : "";
  }
  bool Accepts(const std::string& token) {
    TokenCheck check;
    check.now = loop.Wall();
    check.is_alive = [](const Claims&) { return true; };
    return VerifyToken(token, *ring->public_keys(), check).ok();
  }
  std::string Active() {
    std::string active;
    for (const SigningKeyInfo& key : ring->List()) {
      if (!key.active) continue;
      EXPECT_EQ(active, "") << "two keys are active";
      active = key.id;
    }
    return active;
  }

  // An allocation that was created at CREATED is the only one that lives.
  void LetLive(WallTime created) { living = LivingAllocs{created, created}; }

  JumpingLoop loop;
  MemoryKeyStore store;
  std::optional<LivingAllocs> living;
  std::vector<std::string> reports;
  std::optional<Keyring> ring;
};

TEST_F(KeyringTest, TheFirstKeyIsMadeOnce) {
  Load();
  EXPECT_THAT(ring->List(), SizeIs(1));
  const std::string id = Active();
  EXPECT_EQ(id.size(), 36u);
  const std::string token = Sign();
  Restart();
  EXPECT_FALSE(Accepts(token));
  Load();
  EXPECT_EQ(Active(), id);
  EXPECT_TRUE(Accepts(token));
  EXPECT_THAT(reports, IsEmpty());
}

TEST_F(KeyringTest, TheStoreHoldsNoPrivateKey) {
  Load();
  const auto record = ReadKeyRecord(store.records.at(Active()));
  ASSERT_TRUE(record.ok()) << record.error().message();
  EXPECT_EQ(ring->public_keys()->at(record->id), record->public_key);
  const auto seed = SealKeyOf('s')->Open("signing_key", record->id, record->sealed_key);
  ASSERT_TRUE(seed.ok()) << seed.error().message();
  for (const auto& [id, text] : store.records) {
    EXPECT_EQ(text.find(std::string(seed->view())), std::string::npos);
  }
  EXPECT_FALSE(SealKeyOf('s')->Open("signing_key", "other", record->sealed_key).ok());
}

TEST_F(KeyringTest, AfterARotationTheOldKeyOnlyChecks) {
  Load();
  const std::string old_key = Active();
  const std::string old_token = Sign();
  ASSERT_TRUE(Ask(ring->Rotate()).ok());
  EXPECT_NE(Active(), old_key);
  EXPECT_TRUE(Accepts(old_token));
  EXPECT_TRUE(Accepts(Sign()));
  const auto record = ReadKeyRecord(store.records.at(old_key));
  ASSERT_TRUE(record.ok());
  EXPECT_FALSE(record->active);
  EXPECT_EQ(record->sealed_key, "");
  EXPECT_GT(record->retired, 0);
  const std::string now = Active();
  Restart();
  Load();
  EXPECT_EQ(Active(), now);
  EXPECT_TRUE(Accepts(old_token));
}

TEST_F(KeyringTest, AKeyIsStoredBeforeItSigns) {
  store.error = Error(Code::kResourceExhausted, "the disk is full");
  EXPECT_THAT(Ask(ring->Load()).error().message(), HasSubstr("the disk is full"));
  EXPECT_THAT(ring->List(), IsEmpty());
  Claims claims;
  EXPECT_THAT(Ask(ring->Sign(claims)).error().message(), HasSubstr("cannot be stored"));
  store.error.reset();
  EXPECT_TRUE(Accepts(Sign()));
  const std::string key = Active();
  store.error = Error(Code::kResourceExhausted, "the disk is full");
  EXPECT_FALSE(Ask(ring->Rotate()).ok());
  EXPECT_EQ(Active(), key);
  EXPECT_TRUE(Accepts(Sign()));
}

TEST_F(KeyringTest, AnAgentMayDieAtAnyStep) {
  for (int steps = 0; steps <= 6; ++steps) {
    store.records.clear();
    store.changes = 0;
    store.dies_after = 1'000'000;
    loop.Advance(1s);
    Restart();
    Load();
    const std::string token = Sign();
    // The agent rotates and drops the old key, and dies after so many changes.
    store.changes = 0;
    store.dies_after = steps;
    (void)Ask(ring->Rotate());
    loop.Advance(1s);
    (void)Ask(ring->Maintain());
    const bool is_dropped = !ring->public_keys()->empty() && !Accepts(token);
    store.dies_after = 1'000'000;
    store.changes = 0;
    Restart();
    Load();
    EXPECT_NE(Active(), "") << steps;
    EXPECT_TRUE(Accepts(Sign())) << steps;
    if (!is_dropped) EXPECT_TRUE(Accepts(token)) << steps;
    for (const auto& [id, text] : store.records) {
      const auto record = ReadKeyRecord(text);
      ASSERT_TRUE(record.ok()) << steps;
      EXPECT_EQ(record->active, id == Active()) << steps;
    }
  }
}

TEST_F(KeyringTest, OfTwoActiveKeysTheNewestWins) {
  Load();
  const std::string old_key = Active();
  const std::string token = Sign();
  store.changes = 0;
  store.dies_after = 1;  // the new key is stored, the old one is still said to be active
  (void)Ask(ring->Rotate());
  EXPECT_THAT(reports, SizeIs(1));
  const std::string new_key = Active();
  store.dies_after = 1'000'000;
  Restart();
  Load();
  EXPECT_EQ(Active(), new_key);
  EXPECT_TRUE(Accepts(token));
  EXPECT_FALSE(ReadKeyRecord(store.records.at(old_key))->active);
}

TEST_F(KeyringTest, ARecordThatCouldNotBeStoredIsStoredLater) {
  Load();
  const std::string old_key = Active();
  LetLive(0);
  store.changes = 0;
  store.dies_after = 1;
  (void)Ask(ring->Rotate());
  EXPECT_TRUE(ReadKeyRecord(store.records.at(old_key))->active);
  EXPECT_FALSE(Ask(ring->Maintain()).ok());
  store.dies_after = 1'000'000;
  EXPECT_TRUE(Ask(ring->Maintain()).ok());
  EXPECT_FALSE(ReadKeyRecord(store.records.at(old_key))->active);
}

TEST_F(KeyringTest, TheNewestIsNewestEvenIfTheClockWasSetBack) {
  KeyRecord late;
  Load();
  late = *ReadKeyRecord(store.records.at(Active()));
  late.created += 3'600'000'000'000;
  store.records[late.id] = KeyRecordText(late);
  Restart();
  Load();
  ASSERT_TRUE(Ask(ring->Rotate()).ok());
  EXPECT_NE(Active(), late.id);
  EXPECT_EQ(ring->List().front().id, Active());
}

TEST_F(KeyringTest, AnOldKeyIsRotatedByAge) {
  Load();
  const std::string first = Active();
  Context context(&loop);
  loop.Spawn(ring->Run(context));
  LetLive(0);
  loop.Advance(24h * 29);
  EXPECT_EQ(Active(), first);
  loop.Advance(24h + 1min);
  EXPECT_NE(Active(), first);
  EXPECT_THAT(ring->List(), SizeIs(2));
  loop.Advance(24h * 30 + 1min);
  EXPECT_THAT(ring->List(), SizeIs(3));
  context.Cancel();
  loop.RunReady();
  EXPECT_EQ(loop.live_timers(), 0u);
}

TEST_F(KeyringTest, AKeyIsKeptAsLongAsATokenOfItMayLive) {
  Load();
  const std::string token = Sign(2h);
  const WallTime before = loop.Wall();
  loop.Advance(1min);
  ASSERT_TRUE(Ask(ring->Rotate()).ok());
  loop.Advance(1h + 59min);
  ASSERT_TRUE(Ask(ring->Maintain()).ok());
  EXPECT_THAT(ring->List(), SizeIs(2));  // a token with an end
  loop.Advance(2min);
  LetLive(before);
  ASSERT_TRUE(Ask(ring->Maintain()).ok());
  EXPECT_THAT(ring->List(), SizeIs(2));  // an allocation that had its token from the old key
  LetLive(loop.Wall());
  ASSERT_TRUE(Ask(ring->Maintain()).ok());
  EXPECT_THAT(ring->List(), SizeIs(1));
  EXPECT_THAT(store.records, SizeIs(1));
  EXPECT_THAT(*ring->public_keys(), SizeIs(1));
  EXPECT_FALSE(Accepts(token));
}

TEST_F(KeyringTest, AKeyIsKeptForItsAllocationsEvenIfTheClockWasSetBack) {
  for (const bool lost : {false, true}) {
    Restart();
    Load();
    const std::string token = Sign();
    LetLive(loop.Wall());
    loop.Jump(-1h);
    // The key is retired because another one signs, or because its private part cannot be read.
    if (lost) Restart('o');
    ASSERT_TRUE(Ask(lost ? ring->Load() : ring->Rotate()).ok());
    loop.Advance(1min);
    ASSERT_TRUE(Ask(ring->Maintain()).ok());
    loop.Jump(1h);
    EXPECT_TRUE(Accepts(token)) << "its allocation lives";
    LetLive(loop.Wall());
    loop.Advance(1min);
    ASSERT_TRUE(Ask(ring->Maintain()).ok());
    EXPECT_FALSE(Accepts(token)) << "its allocation has ended";
  }
}

TEST_F(KeyringTest, HowLongATokenLivesIsStoredBeforeItIsSigned) {
  Load();
  Sign(1h);
  EXPECT_EQ(ReadKeyRecord(store.records.at(Active()))->longest_ttl, 1h);
  const int changes = store.changes;
  Sign(30min);
  Sign();
  EXPECT_EQ(store.changes, changes);
  store.error = Error(Code::kResourceExhausted, "the disk is full");
  Claims claims;
  claims.expires = 7200;
  EXPECT_FALSE(Ask(ring->Sign(claims)).ok());
  claims.expires = 3600;
  EXPECT_TRUE(Ask(ring->Sign(claims)).ok());
}

TEST_F(KeyringTest, WithAnotherSealKeyAnotherKeySigns) {
  Load();
  const std::string old_key = Active();
  const std::string token = Sign();
  Restart('t');
  Load();
  EXPECT_NE(Active(), old_key);
  EXPECT_THAT(reports, ElementsAre(HasSubstr("cannot be read, so another key will sign tokens")));
  EXPECT_TRUE(Accepts(token));
  EXPECT_TRUE(Accepts(Sign()));
}

TEST_F(KeyringTest, ADamagedRecordIsLeftOut) {
  Load();
  const std::string key = Active();
  store.records["one"] = "{";
  store.records["two"] = "{}";
  store.records["three"] = store.records.at(key);
  store.records["four"] = R"({"ID": "four", "CreateTime": 1, "State": "?", "RetireTime": 0,
      "LongestTTL": 0, "PublicKey": "AA", "SealedKey": ""})";
  Restart();
  Load();
  EXPECT_EQ(Active(), key);
  EXPECT_THAT(ring->List(), SizeIs(1));
  EXPECT_THAT(reports, SizeIs(4));
}

TEST_F(KeyringTest, APublicKeyThatIsNotThatOfThePrivateOneIsNotUsedToSign) {
  Load();
  KeyRecord record = *ReadKeyRecord(store.records.at(Active()));
  const std::string old_key = record.id;
  record.public_key = std::string(32, 'x');
  store.records[old_key] = KeyRecordText(record);
  Restart();
  Load();
  EXPECT_NE(Active(), old_key);
  EXPECT_THAT(reports, ElementsAre(HasSubstr("do not belong together")));
}

TEST_F(KeyringTest, ManyMaySignAndRotateAtOnce) {
  std::vector<std::optional<Result<std::string>>> tokens(20);
  std::optional<Status> loaded;
  loop.Spawn(Keep(ring->Load(), &loaded));
  loop.RunReady();
  std::vector<std::optional<Status>> rotations(3);
  for (auto& rotated : rotations) loop.Spawn(Keep(ring->Rotate(), &rotated));
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    Claims claims;
    claims.job_namespace = claims.job_id = claims.allocation_id = claims.subject = "a";
    claims.token_id = "b";
    claims.audience = {kApiAudience};
    claims.issued_at = loop.Wall() / 1'000'000'000;
    claims.expires = claims.issued_at + 3600 + static_cast<std::int64_t>(i);
    loop.Spawn(Keep(ring->Sign(claims), &tokens[i]));
  }
  loop.RunReady();
  for (const auto& token : tokens) {
    ASSERT_TRUE(token && token->ok());
    EXPECT_TRUE(Accepts(**token));
  }
  for (const auto& rotated : rotations) EXPECT_TRUE(rotated && rotated->ok());
  EXPECT_THAT(ring->List(), SizeIs(4));
}

}  // namespace
}  // namespace drover
