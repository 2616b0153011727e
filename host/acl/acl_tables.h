// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "host/acl/acl.h"
#include "host/acl/acl_records.h"

namespace drover {

enum class AclTable { kPolicies, kRoles, kTokens };
inline constexpr int kAclTables = 3;

// A record that is put, which replaces the one with its name or id, or that is erased.
struct AclChange {
  std::variant<std::shared_ptr<const PolicyRecord>, std::shared_ptr<const RoleRecord>,
               std::shared_ptr<const TokenRecord>>
      record;
  bool erased = false;
};

// Changes that belong together.
struct AclWrite {
  std::vector<AclChange> changes = {};
  bool is_bootstrap = false;  // whether this write makes the first token
};

// All policies, roles and tokens. Every write has an index.
class AclTables {
 public:
  using PolicyMap = std::map<std::string, std::shared_ptr<const PolicyRecord>, std::less<>>;
  using RoleMap = std::map<std::string, std::shared_ptr<const RoleRecord>, std::less<>>;
  using TokenMap = std::map<std::string, std::shared_ptr<const TokenRecord>, std::less<>>;

  const PolicyMap& policies() const { return policies_; }  // by name
  const RoleMap& roles() const { return roles_; }          // by id
  const TokenMap& tokens() const { return tokens_; }       // by accessor id

  // Each function returns null if there is none.
  std::shared_ptr<const PolicyRecord> FindPolicy(std::string_view name) const;
  std::shared_ptr<const RoleRecord> FindRole(std::string_view id) const;
  std::shared_ptr<const RoleRecord> FindRoleNamed(std::string_view name) const;
  std::shared_ptr<const TokenRecord> FindToken(std::string_view accessor_id) const;
  std::shared_ptr<const TokenRecord> FindTokenByHash(std::string_view secret_hash) const;

  // The policies of TOKEN, also by its roles, each once. Missing ones grant nothing.
  std::vector<std::shared_ptr<const PolicyRecord>> PoliciesOf(const TokenRecord& token) const;
  // The policies that are attached to TASK.
  std::vector<std::shared_ptr<const PolicyRecord>> PoliciesOf(const TaskPrincipal& task) const;
  // At most MOST tokens that have expired at NOW, the oldest first.
  std::vector<std::shared_ptr<const TokenRecord>> Expired(WallTime now, std::size_t most) const;

  // The index of the last write to a table, at least 1, as clients expect.
  std::uint64_t IndexOf(AclTable table) const;
  std::uint64_t last_index() const { return last_index_; }
  // The index of the write that made the first token; 0: there was none.
  std::uint64_t bootstrap_index() const { return bootstrap_index_; }

  // Makes a write. INDEX must be above that of the last write.
  void Apply(const AclWrite& write, std::uint64_t index);
  // Continues the counting of earlier tables.
  void Resume(std::uint64_t last_index, std::uint64_t bootstrap_index);

 private:
  void Change(const std::shared_ptr<const PolicyRecord>& record, bool erased);
  void Change(const std::shared_ptr<const RoleRecord>& record, bool erased);
  void Change(const std::shared_ptr<const TokenRecord>& record, bool erased);
  void Touch(AclTable table) { touched_[static_cast<std::size_t>(table)] = true; }

  PolicyMap policies_;
  RoleMap roles_;
  TokenMap tokens_;
  std::map<std::string, std::string, std::less<>> role_ids_;   // by name
  std::map<std::string, std::string, std::less<>> accessors_;  // by the hash of the secret
  std::set<std::pair<WallTime, std::string>> expiring_;        // the accessors, by their end
  // The names of the policies that are attached to a job, by its namespace and id.
  std::map<std::pair<std::string, std::string>, std::set<std::string>> of_job_;
  std::array<std::uint64_t, kAclTables> index_{};
  std::array<bool, kAclTables> touched_{};  // by the current write
  std::uint64_t last_index_ = 0;
  std::uint64_t bootstrap_index_ = 0;
};

}  // namespace drover
