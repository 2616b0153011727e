// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/node_keys.h"

#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>
#include <vector>

#include "host/base/ids.h"
#include "host/identity/aes_gcm.h"
#include "host/identity/seal_key_file.h"
#include "host/task/hooks/identity_hook.h"
#include "host/variables/variable_items.h"

namespace drover {
namespace {

// Returns whether the service has the credential. One that cannot be looked at counts as well, so
// that no other key is made in its place.
bool HasSealCredential() {
  const char* const directory = std::getenv("CREDENTIALS_DIRECTORY");
  if (directory == nullptr || *directory == '\0') return false;
  const std::string path = std::string(directory) + "/" + kSealCredential;
  struct stat info{};
  return lstat(path.c_str(), &info) == 0 || errno != ENOENT;
}

// Returns the key that seals what a later agent must be able to open.
Result<SealKey> KeptSealKey(const std::string& key_dir) {
  if (!HasSealCredential()) return LoadOrMakeSealKey(key_dir);
  const std::string file = key_dir + "/seal.key";
  if (access(file.c_str(), F_OK) == 0) {
    return Error(Code::kFailedPrecondition,
                 std::string("there are two seal keys, the credential ") + kSealCredential +
                     " and the file " + file +
                     ": keep the one with which the state was sealed, and remove the other");
  }
  return SealKeyFromCredential(kSealCredential);
}

SealKey RandomSealKey() {
  SecretBytes bytes(kAesKeyBytes);
  RandomBytes(bytes.data(), bytes.size());
  return SealKey(std::move(bytes));
}

KeptKeyStore MakeKeyStore(const NodeKeysOptions& options) {
  KeptState* const kept = options.kept;
  if (kept == nullptr) return {options.loop, nullptr, {}};
  return {options.loop, kept->store(), kept->signing_keys()};
}

}  // namespace

Result<std::unique_ptr<NodeKeys>> NodeKeys::Create(NodeKeysOptions options) {
  if (options.kept == nullptr) {
    return std::unique_ptr<NodeKeys>(new NodeKeys(std::move(options), RandomSealKey()));
  }
  DROVER_ASSIGN(SealKey key, KeptSealKey(options.key_dir));
  return std::unique_ptr<NodeKeys>(new NodeKeys(std::move(options), std::move(key)));
}

NodeKeys::NodeKeys(NodeKeysOptions options, SealKey seal_key)
    : options_(std::move(options)),
      seal_key_(std::make_shared<const SealKey>(std::move(seal_key))),
      store_(MakeKeyStore(options_)) {
  KeyringOptions keyring;
  keyring.loop = options_.loop;
  keyring.store = &store_;
  keyring.seal_key = seal_key_;
  keyring.max_age = options_.key_age;
  keyring.living = options_.living;
  keyring.report = [](const Error& error) { spdlog::warn("keyring: {}", error.message()); };
  keyring_ = std::make_unique<Keyring>(std::move(keyring));
}

Co<void> NodeKeys::Load() {
  const Status loaded = co_await keyring_->Load();
  if (!loaded.ok()) spdlog::error("keyring: {}", loaded.error().message());
}

void NodeKeys::AddHooks(const Task& task, WorkerPool* pool, TaskHooks* hooks) {
  if (!IdentityHook::IsNeeded(task)) return;
  IdentityHookOptions options;
  options.loop = options_.loop;
  options.keyring = keyring_.get();
  options.pool = pool;
  options.issuer = options_.issuer;
  options.report = [name = task.name](const Error& error) {
    spdlog::warn("task {}: {}", name, error.message());
  };
  hooks->before_stats.push_back(std::make_shared<IdentityHook>(std::move(options)));
}

std::optional<LivingAllocs> FindLiving(const StateStore& store) {
  std::optional<LivingAllocs> living;
  store.Read([&living](const Tables& tables) {
    for (const auto& [id, record] : tables.live_allocs) {
      const WallTime created = record->alloc->create_time;
      if (!living) living = LivingAllocs{created, created};
      living->oldest = std::min(living->oldest, created);
      living->newest = std::max(living->newest, created);
    }
  });
  return living;
}

std::optional<VariableKey> FindUnreadable(const StateStore& store, const SealKey& key) {
  std::vector<std::shared_ptr<const VariableRecord>> variables;
  store.Read([&variables](const Tables& tables) {
    for (const auto& [name, variable] : tables.variables) variables.push_back(variable);
  });
  const auto unreadable =
      std::find_if(variables.begin(), variables.end(),
                   [&key](const auto& variable) { return !OpenItems(key, *variable).ok(); });
  if (unreadable == variables.end()) return std::nullopt;
  return KeyOf(**unreadable);
}

}  // namespace drover
