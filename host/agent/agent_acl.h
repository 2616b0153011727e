// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "host/acl/acl_journal.h"
#include "host/acl/acl_resolver.h"
#include "host/acl/acl_state.h"
#include "host/base/co.h"
#include "host/base/context.h"
#include "host/config/agent_config.h"
#include "host/identity/token.h"
#include "host/state/state_store.h"

namespace drover {

// The access control of an agent: its tokens, policies and roles, and who asks. Control thread,
// unless a comment says otherwise.
class AgentAcl {
 public:
  // Returns the keys that check the identities of tasks. [any thread]
  using KeySource = std::function<std::shared_ptr<const PublicKeys>()>;

  // STORE says which allocations live, and must outlive this object. Until SetKeys, no identity of
  // a task counts.
  explicit AgentAcl(const StateStore* store);
  AgentAcl(const AgentAcl&) = delete;
  AgentAcl& operator=(const AgentAcl&) = delete;

  // Continues with the tables that an earlier agent has stored, and stores each change in KEPT.
  // Call it at most once, before all other calls. Without it nothing is stored.
  void Begin(AclTables tables, Store* kept);
  // Must be called before the API serves its first request. KEYS may be empty.
  void SetKeys(KeySource keys) { keys_ = std::move(keys); }
  // May be called again when the configuration has changed. TOKEN_HASH is of the agent's own token,
  // see SecretHash; empty if it has none.
  void Configure(const AgentConfig::Access& config, std::string token_hash);

  AclState* state() { return &state_; }
  AclResolver* resolver() { return &resolver_; }

  // Removes tokens that have expired, from time to time, until CONTEXT ends. SELF must outlive the
  // coroutine.
  static Co<void> RemoveExpired(AgentAcl* self, Context context);

 private:
  Result<AclIdentity> Verify(std::string_view identity, WallTime now) const;  // [any thread]
  bool IsLive(const std::string& alloc_id) const;                             // [any thread]

  const StateStore* const store_;
  KeySource keys_;
  AclState state_;
  AclResolver resolver_{&state_};
};

}  // namespace drover
