// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/acl/policy.h"
#include "host/base/time.h"

namespace drover {

enum class TokenType { kClient, kManagement };
const char* TokenTypeName(TokenType type);

// A token. Its secret is known only to the client that has created it.
struct TokenRecord {
  std::string accessor_id;  // a UUID, which is no secret
  std::string secret_hash;  // see SecretHash
  std::string name;
  TokenType type = TokenType::kClient;
  std::vector<std::string> policies;  // names, sorted, each once; the policy may be missing
  std::vector<std::string> roles;     // ids, sorted, each once; the role may be missing
  bool global = false;
  WallTime create_time = 0;
  WallTime expiration_time = 0;  // 0: never
  Duration expiration_ttl{0};    // as the client has asked for it
  std::uint64_t create_index = 0;
  std::uint64_t modify_index = 0;

  bool IsExpired(WallTime now) const { return expiration_time != 0 && expiration_time <= now; }
  bool operator==(const TokenRecord&) const = default;
};

// The tasks that have a policy by their identity: those of a job, of a group of it, or one task.
struct JobScope {
  std::string job_namespace;
  std::string job;
  std::string group;  // empty: all groups
  std::string task;   // empty: all tasks of the group

  bool operator==(const JobScope&) const = default;
};

struct PolicyRecord {
  std::string name;
  std::string description;
  std::string text;                     // as the client has sent it
  std::shared_ptr<const Policy> rules;  // never null
  std::optional<JobScope> scope;
  std::uint64_t create_index = 0;
  std::uint64_t modify_index = 0;
};

// A name for some policies. A token with a role has the policies that the role has at the moment.
struct RoleRecord {
  std::string id;  // a UUID
  std::string name;
  std::string description;
  std::vector<std::string> policies;  // names, sorted, each once
  std::uint64_t create_index = 0;
  std::uint64_t modify_index = 0;

  bool operator==(const RoleRecord&) const = default;
};

// The name of the policy of clients that send no token.
inline constexpr char kAnonymousPolicy[] = "anonymous";

}  // namespace drover
