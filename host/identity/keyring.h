// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/event.h"
#include "host/base/loop.h"
#include "host/base/result.h"
#include "host/identity/claims.h"
#include "host/identity/ed25519.h"
#include "host/identity/key_record.h"
#include "host/identity/key_store.h"
#include "host/identity/sealing.h"
#include "host/identity/token.h"

namespace drover {

// When the oldest and the newest of the allocations that live were created.
struct LivingAllocs {
  WallTime oldest = 0;
  WallTime newest = 0;

  bool operator==(const LivingAllocs&) const = default;
};

struct KeyringOptions {
  Loop* loop = nullptr;                            // not owned
  KeyStore* store = nullptr;                       // not owned
  std::shared_ptr<const SealKey> seal_key;         // protects the private keys in the store
  Duration max_age = std::chrono::hours(24 * 30);  // then another key signs
  // Returns nothing if no allocation lives. If empty, no old key is ever dropped.
  std::function<std::optional<LivingAllocs>()> living;
  // Receives the errors that stop nothing. May be empty.
  std::function<void(const Error&)> report;
};

// A signing key, as operators see it.
struct SigningKeyInfo {
  std::string id;
  WallTime created = 0;
  bool active = false;

  bool operator==(const SigningKeyInfo&) const = default;
};

// The keys by which an agent signs the tokens of tasks. One of them is active and signs. The others
// only check tokens: each is kept as long as a token may live that it has signed. Each change is
// first stored and then used, so an agent that dies at any moment leaves keys with which the next
// one goes on. Control thread, except where it says otherwise. The object must outlive its
// coroutines.
class Keyring {
 public:
  explicit Keyring(KeyringOptions options);

  // Reads the keys of an earlier agent, and makes the first key if none is active. Must have
  // returned before the other coroutines are called. After an error, Sign tries again to make a
  // key.
  Co<Status> Load();
  // Makes another key the active one.
  Co<Status> Rotate();
  // Makes another key the active one if the present one is too old, and drops keys that no token
  // needs any more.
  Co<Status> Maintain();
  // Calls Maintain from time to time, until CONTEXT ends.
  Co<void> Run(Context context);

  // Returns the token with CLAIMS, signed with the active key.
  Co<Result<std::string>> Sign(Claims claims);

  // Returns the keys that check tokens. [any thread]
  std::shared_ptr<const PublicKeys> public_keys() const;
  // Returns all keys, the newest first.
  std::vector<SigningKeyInfo> List() const;

 private:
  struct Key {
    KeyRecord record;
    std::optional<Ed25519Key> private_key;  // of the active key only
    bool stored = true;                     // whether the store has this state of the record
  };

  // Waits for the other changes, so that one is made at a time. Each Enter needs a Leave.
  Co<void> Enter();
  void Leave();
  Co<Status> LoadNow();
  Co<Status> MakeActive();
  Co<Status> Retire(std::string id);
  Co<Status> PutRecord(std::string id);
  Co<Status> NoteTtl(Duration ttl);
  Co<Status> MaintainNow();
  Co<Status> DropDead();
  bool IsDead(const KeyRecord& record, const std::optional<LivingAllocs>& living) const;
  WallTime RetirementTime() const;
  void OpenPrivateKey(Key* key) const;
  void Publish();
  void Report(const Error& error) const;
  WallTime NewestCreated() const;
  Duration UntilTooOld() const;

  const KeyringOptions options_;
  std::map<std::string, Key> keys_;  // by id
  std::string active_;               // empty until the first key is made
  bool busy_ = false;
  Event free_;

  mutable std::mutex mutex_;  // protects public_keys_
  std::shared_ptr<const PublicKeys> public_keys_ = std::make_shared<const PublicKeys>();
};

}  // namespace drover
