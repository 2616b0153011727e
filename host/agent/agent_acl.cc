// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/agent_acl.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "host/acl/acl_changes.h"

namespace drover {
namespace {

// How often expired tokens are removed, and how many of them in one write. An expired token counts
// no more at once, so this only frees memory.
constexpr Duration kRemovalPause = 1min;
constexpr std::size_t kMostRemoved = 1000;

constexpr std::int64_t kSecond = 1'000'000'000;

static_assert(AclResolver::kMostSecretBytes == kLongestToken, "an identity would not be accepted");

// Fills in TASK with what the tables say about the bearer of CLAIMS. Returns false unless its
// allocation lives and has the task.
bool FindBearer(const Tables& tables, const Claims& claims, TaskPrincipal* task) {
  const auto record = Tables::Find(tables.allocs, claims.allocation_id);
  if (record == nullptr || record->client_terminal() || record->collected) return false;
  const Allocation& alloc = *record->alloc;
  const std::string& job = alloc.job->parent_id.empty() ? alloc.job->id : alloc.job->parent_id;
  if (job != claims.job_id) return false;
  const TaskGroup* const group = alloc.group();
  if (group == nullptr || FindTask(*group, claims.task) == nullptr) return false;
  if (alloc.job->job_namespace != claims.job_namespace) return false;
  *task = {claims.job_namespace, claims.job_id, alloc.group_name, claims.task, alloc.id};
  return true;
}

}  // namespace

AgentAcl::AgentAcl(const StateStore* store) : store_(store) {
  // Clients see one count for all state.
  state_.SetNextIndex([store] {
    std::uint64_t next = 0;
    store->Read([&](const Tables& tables) { next = tables.last_index + 1; });
    return next;
  });
  resolver_.SetVerifier(
      {[this](std::string_view identity, WallTime now) { return Verify(identity, now); },
       [this](const std::string& alloc_id) { return IsLive(alloc_id); }});
}

void AgentAcl::Begin(AclTables tables, Store* kept) {
  state_.Begin(std::move(tables));
  state_.SetJournal(AclJournal(kept));
}

void AgentAcl::Configure(const AgentConfig::Access& config, std::string token_hash) {
  resolver_.SetSettings({.enabled = config.enabled, .agent_token_hash = std::move(token_hash)});
}

Result<AclIdentity> AgentAcl::Verify(std::string_view identity, WallTime now) const {
  const std::shared_ptr<const PublicKeys> keys = keys_ ? keys_() : nullptr;
  if (keys == nullptr) return Error(Code::kPermissionDenied, "ACL token not found");
  AclIdentity found;
  TokenCheck check;
  check.now = now;
  check.is_alive = [&](const Claims& claims) {
    bool alive = false;
    store_->Read([&](const Tables& tables) { alive = FindBearer(tables, claims, &found.task); });
    return alive;
  };
  DROVER_ASSIGN(const Claims claims, VerifyToken(identity, *keys, check));
  if (claims.expires) {
    constexpr std::int64_t kLatest = std::numeric_limits<std::int64_t>::max() / kSecond;
    found.expiration_time = std::clamp<std::int64_t>(*claims.expires, 1, kLatest) * kSecond;
  }
  return found;
}

bool AgentAcl::IsLive(const std::string& alloc_id) const {
  bool live = false;
  store_->Read([&](const Tables& tables) {
    const auto record = Tables::Find(tables.allocs, alloc_id);
    live = record != nullptr && !record->client_terminal() && !record->collected;
  });
  return live;
}

Co<void> AgentAcl::RemoveExpired(AgentAcl* self, Context context) {
  while ((co_await Sleep(context, kRemovalPause)).ok()) {
    const WallTime now = context.loop()->Wall();
    // Without such tokens there is no write.
    (void)self->state_.Write([now](const AclTables& tables, std::uint64_t) -> Result<AclWrite> {
      AclWrite write = DeleteExpiredTokens(tables, now, kMostRemoved);
      if (write.changes.empty()) return Error(Code::kNotFound, "no token has expired");
      return write;
    });
  }
}

}  // namespace drover
