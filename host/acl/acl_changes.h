// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/acl/acl_tables.h"
#include "host/base/result.h"

// The rules by which tokens, policies and roles are made, changed and removed. Each function looks
// at the tables and returns what to write, and changes nothing itself. Errors are
// kInvalidArgument, or kResourceExhausted at a limit. [any thread]
namespace drover {

// What a configuration may limit, and what bounds memory.
struct AclLimits {
  Duration shortest_ttl = std::chrono::minutes(1);
  Duration longest_ttl = std::chrono::hours(24);
  std::size_t tokens = 65'536;
  std::size_t policies = 1'024;
  std::size_t roles = 1'024;
};
inline constexpr std::size_t kMostLinks = 128;           // policies and roles of one record
inline constexpr std::size_t kMostTokenName = 256;       // bytes
inline constexpr std::size_t kMostAclDescription = 256;  // bytes

// When a change is made, and the index that it will have.
struct AclMoment {
  WallTime now = 0;
  std::uint64_t index = 0;
};

// A role as a client names it: by id, or by name.
struct RoleLink {
  std::string id;
  std::string name;
};

// A token as a client sends it.
struct TokenRequest {
  std::string accessor_id;  // empty: a new token
  std::string name;
  std::string type;
  std::vector<std::string> policies = {};
  std::vector<RoleLink> roles = {};
  bool global = false;
  WallTime expiration_time = 0;
  Duration expiration_ttl{0};
};

struct PolicyRequest {
  std::string name;
  std::string description;
  std::string text;
  std::shared_ptr<const Policy> rules;  // of the text; see ReadPolicy
  std::optional<JobScope> scope = {};
};

struct RoleRequest {
  std::string id;  // empty: a new role
  std::string name;
  std::string description;
  std::vector<std::string> policies = {};
};

// A write that puts a token. Only a new token has its secret here. It is stored nowhere.
struct TokenWrite {
  std::shared_ptr<const TokenRecord> token;
  std::string secret;
  AclWrite write;
};
struct PolicyWrite {
  std::shared_ptr<const PolicyRecord> policy;
  AclWrite write;
};
struct RoleWrite {
  std::shared_ptr<const RoleRecord> role;
  AclWrite write;
};

// Makes the first token, which is a management token. There is only one first token, unless
// RESET_INDEX, which an operator has written to a file on this machine, is the index of the last
// bootstrap. GIVEN_SECRET is a UUID that becomes the secret; if it is empty, the secret is random.
Result<TokenWrite> BootstrapToken(const AclTables& tables, const std::string& given_secret,
                                  std::uint64_t reset_index, AclMoment moment);

// Makes or changes a token. A change keeps the secret, the times and whether the token is global.
Result<TokenWrite> PutToken(const AclTables& tables, const TokenRequest& request,
                            const AclLimits& limits, AclMoment moment);
// Removes tokens. If one of them does not exist, none is removed.
Result<AclWrite> DeleteTokens(const AclTables& tables, const std::vector<std::string>& accessors);
// Removes at most MOST tokens that have expired before NOW.
AclWrite DeleteExpiredTokens(const AclTables& tables, WallTime now, std::size_t most);

Result<PolicyWrite> PutPolicy(const AclTables& tables, PolicyRequest request,
                              const AclLimits& limits, AclMoment moment);
// Removes policies. Those that do not exist are ignored. Tokens and roles may still name them.
Result<AclWrite> DeletePolicies(const AclTables& tables, const std::vector<std::string>& names);

// Makes or changes a role, whose policies must exist.
Result<RoleWrite> PutRole(const AclTables& tables, RoleRequest request, const AclLimits& limits,
                          AclMoment moment);
Result<AclWrite> DeleteRole(const AclTables& tables, const std::string& id);

}  // namespace drover
