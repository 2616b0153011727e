// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/acl/acl_resolver.h"

#include <algorithm>

#include "host/acl/secret_hash.h"

namespace drover {
namespace {

constexpr char kNoToken[] = "ACL token not found";

// Identities are JSON Web Tokens, which have three parts. No other secret has a dot.
bool IsIdentity(std::string_view secret) { return std::ranges::count(secret, '.') == 2; }

Acl::Policies RulesOf(const std::vector<std::shared_ptr<const PolicyRecord>>& records) {
  Acl::Policies rules;
  for (const auto& record : records) rules.push_back(record->rules);
  return rules;
}

}  // namespace

void AclResolver::SetSettings(AclSettings settings) {
  const std::lock_guard lock(mutex_);
  settings_ = std::move(settings);
  ++settings_number_;
  places_.clear();
  entries_.clear();
}

AclResolver::Stamp AclResolver::StampNow() const {
  const std::lock_guard lock(mutex_);
  return {state_->generation(), settings_number_};
}

bool AclResolver::has_agent_token() const {
  const std::lock_guard lock(mutex_);
  return !settings_.agent_token_hash.empty();
}

std::size_t AclResolver::kept() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

Result<AclPrincipal> AclResolver::Resolve(Loop* caller, std::string_view secret,
                                          const std::string& source) {
  if (secret.empty()) {
    bool enabled = false, open = false;
    {
      const std::lock_guard lock(mutex_);
      enabled = settings_.enabled;
      open = !enabled && settings_.agent_token_hash.empty();
    }
    if (open) return AclPrincipal{Acl::Management(), nullptr, "anybody"};
    if (enabled) return Anonymous();
    // Nothing was guessed, so this is no failure of the source.
    return Error(Code::kPermissionDenied, "Permission denied");
  }
  {
    // As long as no token is asked for, clients may send any.
    const std::lock_guard lock(mutex_);
    if (!settings_.enabled && settings_.agent_token_hash.empty() && !IsIdentity(secret)) {
      return AclPrincipal{Acl::Management(), nullptr, "anybody"};
    }
  }
  return ResolveStrictly(caller, secret, source);
}

Result<AclPrincipal> AclResolver::ResolveStrictly(Loop* caller, std::string_view secret,
                                                  const std::string& source) {
  const TimePoint now = caller->Now();
  const WallTime wall = caller->Wall();
  if (secret.empty()) return Error(Code::kPermissionDenied, "Permission denied");
  if (secret.size() > kMostSecretBytes) {
    return Fail(source, now, Error(Code::kPermissionDenied, kNoToken));
  }
  const std::string hash = SecretHash(secret);
  // Read before the look-up: if a write comes between, what is kept ends at once.
  const Stamp stamp = StampNow();
  if (std::optional<AclPrincipal> known = Kept(hash, stamp, wall)) return std::move(*known);
  if (IsIdentity(secret)) {
    const std::lock_guard lock(mutex_);
    // The token of the agent may look like an identity.
    if (settings_.agent_token_hash != hash && failures_.IsOver(source, now)) {
      return Error(Code::kResourceExhausted, "too many wrong tokens: try again later");
    }
  }
  Result<Entry> found = LookUp(hash, secret, wall);
  if (!found.ok()) return Fail(source, now, found.error());
  found->secret_hash = hash;
  found->stamp = stamp;
  AclPrincipal principal = found->principal;
  Keep(std::move(*found));
  return principal;
}

Result<AclResolver::Entry> AclResolver::LookUp(const std::string& hash, std::string_view secret,
                                               WallTime now) {
  bool enabled = false;
  {
    const std::lock_guard lock(mutex_);
    if (!settings_.agent_token_hash.empty() && settings_.agent_token_hash == hash) {
      Entry entry;
      entry.principal = {Acl::Management(), nullptr, "agent-token"};
      return entry;
    }
    enabled = settings_.enabled;
  }
  if (IsIdentity(secret)) return LookUpIdentity(secret, now, enabled);
  if (!enabled) return Error(Code::kPermissionDenied, kNoToken);
  return LookUpToken(hash, now);
}

Result<AclResolver::Entry> AclResolver::LookUpToken(const std::string& hash, WallTime now) const {
  std::shared_ptr<const TokenRecord> token;
  Acl::Policies rules;
  state_->Read([&](const AclTables& tables) {
    token = tables.FindTokenByHash(hash);
    if (token != nullptr) rules = RulesOf(tables.PoliciesOf(*token));
  });
  if (token == nullptr) return Error(Code::kPermissionDenied, kNoToken);
  if (token->IsExpired(now)) return Error(Code::kPermissionDenied, "ACL token expired");
  Entry entry;
  entry.expiration_time = token->expiration_time;
  entry.principal.acl = token->type == TokenType::kManagement ? Acl::Management() : Acl::Of(rules);
  entry.principal.name = token->accessor_id;
  entry.principal.token = std::move(token);
  return entry;
}

Result<AclResolver::Entry> AclResolver::LookUpIdentity(std::string_view identity, WallTime now,
                                                       bool policies_count) const {
  if (!verifier_.verify) return Error(Code::kPermissionDenied, kNoToken);
  const Result<AclIdentity> verified = verifier_.verify(identity, now);
  if (!verified.ok()) return verified.error();
  const TaskPrincipal& task = verified->task;
  Acl::Policies rules;
  if (policies_count) {
    state_->Read([&](const AclTables& tables) { rules = RulesOf(tables.PoliciesOf(task)); });
  }
  Entry entry;
  entry.expiration_time = verified->expiration_time;
  entry.principal.acl = Acl::OfTask(task, rules);
  entry.principal.name = task.alloc_id + "/" + task.task;
  if (!IsLive(task)) return Error(Code::kPermissionDenied, "the allocation has ended");
  return entry;
}

std::shared_ptr<const Acl> AclResolver::AclOfTask(const TaskPrincipal& task) const {
  bool enabled = false;
  {
    const std::lock_guard lock(mutex_);
    enabled = settings_.enabled;
  }
  Acl::Policies rules;
  if (enabled) {
    state_->Read([&](const AclTables& tables) { rules = RulesOf(tables.PoliciesOf(task)); });
  }
  return Acl::OfTask(task, rules);
}

bool AclResolver::IsLive(const TaskPrincipal& task) const {
  return !verifier_.is_live || verifier_.is_live(task.alloc_id);
}

AclPrincipal AclResolver::Anonymous() {
  const Stamp stamp = StampNow();
  // No hash of a secret is this text.
  if (std::optional<AclPrincipal> known = Kept(kAnonymousPolicy, stamp, 0)) return *known;
  Entry entry;
  entry.secret_hash = kAnonymousPolicy;
  entry.stamp = stamp;
  Acl::Policies rules;
  state_->Read([&](const AclTables& tables) {
    if (const auto policy = tables.FindPolicy(kAnonymousPolicy)) rules.push_back(policy->rules);
  });
  entry.principal = {Acl::Of(rules), nullptr, kAnonymousPolicy};
  AclPrincipal principal = entry.principal;
  Keep(std::move(entry));
  return principal;
}

Error AclResolver::Fail(const std::string& source, TimePoint now, Error error) {
  const std::lock_guard lock(mutex_);
  failures_.AddFailure(source, now);
  if (!failures_.IsOver(source, now)) return error;
  return Error(Code::kResourceExhausted, "too many wrong tokens: try again later");
}

std::optional<AclPrincipal> AclResolver::Kept(const std::string& hash, const Stamp& stamp,
                                              WallTime now) {
  std::optional<AclPrincipal> found;
  {
    const std::lock_guard lock(mutex_);
    const auto place = places_.find(hash);
    if (place == places_.end()) return std::nullopt;
    const Entry& entry = *place->second;
    const bool expired = entry.expiration_time != 0 && entry.expiration_time <= now;
    if (entry.stamp != stamp || expired) {
      entries_.erase(place->second);
      places_.erase(place);
      return std::nullopt;
    }
    entries_.splice(entries_.begin(), entries_, place->second);
    found = entry.principal;
  }
  // An allocation may have ended since. The look-up that follows then says so.
  const std::optional<TaskPrincipal>& task = found->acl->task();
  if (task && !IsLive(*task)) return std::nullopt;
  return found;
}

void AclResolver::Keep(Entry entry) {
  const std::lock_guard lock(mutex_);
  const auto place = places_.find(entry.secret_hash);
  if (place != places_.end()) {
    entries_.erase(place->second);
    places_.erase(place);
  }
  if (entries_.size() >= kMostKept) {
    places_.erase(entries_.back().secret_hash);
    entries_.pop_back();
  }
  entries_.push_front(std::move(entry));
  places_.emplace(entries_.front().secret_hash, entries_.begin());
}

}  // namespace drover
