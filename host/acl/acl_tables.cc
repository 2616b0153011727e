// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/acl/acl_tables.h"

#include <algorithm>

#include "host/base/result.h"

namespace drover {
namespace {

template <typename Map>
typename Map::mapped_type FindIn(const Map& map, std::string_view key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : found->second;
}

bool HasScope(const JobScope& scope, const TaskPrincipal& task) {
  return scope.job_namespace == task.job_namespace && scope.job == task.job &&
         (scope.group.empty() || scope.group == task.group) &&
         (scope.task.empty() || scope.task == task.task);
}

}  // namespace

const char* TokenTypeName(TokenType type) {
  return type == TokenType::kManagement ? "management" : "client";
}

std::shared_ptr<const PolicyRecord> AclTables::FindPolicy(std::string_view name) const {
  return FindIn(policies_, name);
}

std::shared_ptr<const RoleRecord> AclTables::FindRole(std::string_view id) const {
  return FindIn(roles_, id);
}

std::shared_ptr<const RoleRecord> AclTables::FindRoleNamed(std::string_view name) const {
  const auto id = role_ids_.find(name);
  return id == role_ids_.end() ? nullptr : FindIn(roles_, id->second);
}

std::shared_ptr<const TokenRecord> AclTables::FindToken(std::string_view accessor_id) const {
  return FindIn(tokens_, accessor_id);
}

std::shared_ptr<const TokenRecord> AclTables::FindTokenByHash(std::string_view secret_hash) const {
  const auto accessor = accessors_.find(secret_hash);
  return accessor == accessors_.end() ? nullptr : FindIn(tokens_, accessor->second);
}

std::vector<std::shared_ptr<const PolicyRecord>> AclTables::PoliciesOf(
    const TokenRecord& token) const {
  std::set<std::string> names(token.policies.begin(), token.policies.end());
  for (const std::string& id : token.roles) {
    const auto role = FindRole(id);
    if (role != nullptr) names.insert(role->policies.begin(), role->policies.end());
  }
  std::vector<std::shared_ptr<const PolicyRecord>> found;
  for (const std::string& name : names) {
    if (auto policy = FindPolicy(name)) found.push_back(std::move(policy));
  }
  return found;
}

std::vector<std::shared_ptr<const PolicyRecord>> AclTables::PoliciesOf(
    const TaskPrincipal& task) const {
  std::vector<std::shared_ptr<const PolicyRecord>> found;
  const auto names = of_job_.find({task.job_namespace, task.job});
  if (names == of_job_.end()) return found;
  for (const std::string& name : names->second) {
    auto policy = FindPolicy(name);
    if (policy != nullptr && HasScope(*policy->scope, task)) found.push_back(std::move(policy));
  }
  return found;
}

std::vector<std::shared_ptr<const TokenRecord>> AclTables::Expired(WallTime now,
                                                                   std::size_t most) const {
  std::vector<std::shared_ptr<const TokenRecord>> found;
  for (const auto& [end, accessor] : expiring_) {
    if (end > now || found.size() == most) break;
    found.push_back(FindToken(accessor));
  }
  return found;
}

std::uint64_t AclTables::IndexOf(AclTable table) const {
  return std::max<std::uint64_t>(index_[static_cast<std::size_t>(table)], 1);
}

void AclTables::Apply(const AclWrite& write, std::uint64_t index) {
  DROVER_CHECK(index > last_index_);
  touched_.fill(false);
  for (const AclChange& change : write.changes) {
    std::visit([&](const auto& record) { Change(record, change.erased); }, change.record);
  }
  for (std::size_t i = 0; i < index_.size(); ++i) {
    if (touched_[i]) index_[i] = index;
  }
  last_index_ = index;
  if (write.is_bootstrap) bootstrap_index_ = index;
}

void AclTables::Resume(std::uint64_t last_index, std::uint64_t bootstrap_index) {
  last_index_ = last_index;
  bootstrap_index_ = bootstrap_index;
  index_.fill(last_index);
}

void AclTables::Change(const std::shared_ptr<const PolicyRecord>& record, bool erased) {
  Touch(AclTable::kPolicies);
  const auto before = FindPolicy(record->name);
  if (before != nullptr && before->scope) {
    const auto names = of_job_.find({before->scope->job_namespace, before->scope->job});
    names->second.erase(before->name);
    if (names->second.empty()) of_job_.erase(names);
  }
  if (erased) {
    policies_.erase(record->name);
    return;
  }
  if (record->scope) {
    of_job_[{record->scope->job_namespace, record->scope->job}].insert(record->name);
  }
  policies_[record->name] = record;
}

void AclTables::Change(const std::shared_ptr<const RoleRecord>& record, bool erased) {
  Touch(AclTable::kRoles);
  if (const auto before = FindRole(record->id)) role_ids_.erase(before->name);
  if (erased) {
    roles_.erase(record->id);
    return;
  }
  role_ids_[record->name] = record->id;
  roles_[record->id] = record;
}

void AclTables::Change(const std::shared_ptr<const TokenRecord>& record, bool erased) {
  Touch(AclTable::kTokens);
  if (const auto before = FindToken(record->accessor_id)) {
    accessors_.erase(before->secret_hash);
    expiring_.erase({before->expiration_time, before->accessor_id});
  }
  if (erased) {
    tokens_.erase(record->accessor_id);
    return;
  }
  accessors_[record->secret_hash] = record->accessor_id;
  if (record->expiration_time != 0) {
    expiring_.insert({record->expiration_time, record->accessor_id});
  }
  tokens_[record->accessor_id] = record;
}

}  // namespace drover
