// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "host/alloc/local_alloc_runner.h"
#include "host/base/worker_pool.h"
#include "host/identity/keyring.h"
#include "host/identity/sealing.h"
#include "host/node/kept_key_store.h"
#include "host/node/kept_state.h"
#include "host/state/state_store.h"

namespace drover {

struct NodeKeysOptions {
  Loop* loop = nullptr;       // not owned
  KeptState* kept = nullptr;  // not owned; null: the keys end with this object
  std::string key_dir;        // the directory of the seal key; needed if KEPT is set
  Duration key_age = std::chrono::hours(24 * 30);       // see KeyringOptions::max_age
  std::string issuer;                                   // of tokens; may be empty
  std::function<std::optional<LivingAllocs>()> living;  // see KeyringOptions
};

// The credential of systemd that is the seal key, if the service has it. Then there is no file.
inline constexpr char kSealCredential[] = "drover.seal-key";

// The keys of a node: the one that seals its secrets, and those that sign the tokens of its tasks.
// Control thread only.
class NodeKeys {
 public:
  // Reads the seal key, or makes it. Blocks.
  static Result<std::unique_ptr<NodeKeys>> Create(NodeKeysOptions options);

  // Reads the signing keys, or makes the first. Must have returned before the first task starts. An
  // error is only logged, since a later token tries again.
  Co<void> Load();

  Keyring* keyring() { return keyring_.get(); }
  std::shared_ptr<const SealKey> seal_key() const { return seal_key_; }

  // Adds the hooks that give TASK its tokens to HOOKS. POOL, which is not owned, writes their
  // files.
  void AddHooks(const Task& task, WorkerPool* pool, TaskHooks* hooks);

 private:
  NodeKeys(NodeKeysOptions options, SealKey seal_key);

  const NodeKeysOptions options_;
  const std::shared_ptr<const SealKey> seal_key_;
  KeptKeyStore store_;
  std::unique_ptr<Keyring> keyring_;
};

// Returns when the oldest and the newest allocation in STORE that have not ended were created;
// nothing if there is none. [any thread]
std::optional<LivingAllocs> FindLiving(const StateStore& store);
// Returns a variable in STORE whose items KEY cannot open; nothing if there is none. [any thread]
std::optional<VariableKey> FindUnreadable(const StateStore& store, const SealKey& key);

}  // namespace drover
