// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/acl/acl_changes.h"

#include <algorithm>
#include <string_view>

#include "host/acl/secret_hash.h"
#include "host/base/ids.h"
#include "host/base/text.h"
#include "host/base/utf8.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

constexpr std::size_t kMostAclName = 128;

Error Invalid(std::string why) { return Error(Code::kInvalidArgument, std::move(why)); }

// Clients read the beginning of the messages to which this is added.
constexpr char kHowToReset[] =
    ": to allow another one, write the reset index into the file acl-bootstrap-reset in the "
    "agent's data_dir, as root or as the agent's user";

Error Full(const char* what, std::size_t most) {
  return Error(Code::kResourceExhausted, "there are " + std::to_string(most) + " " + what +
                                             " already: remove those that nobody needs");
}

bool IsUuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_hyphen = i == 8 || i == 13 || i == 18 || i == 23;
    if (is_hyphen ? text[i] != '-' : HexDigit(text[i]) < 0) return false;
  }
  return true;
}

bool IsAclName(std::string_view name) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  };
  return !name.empty() && name.size() <= kMostAclName && std::ranges::all_of(name, is_plain);
}

Status CheckAclName(const char* what, const std::string& name) {
  if (IsAclName(name)) return Status();
  return Invalid(std::string("invalid name ") + Quoted(name) + ": a " + what +
                 " has 1 to 128 letters, digits and \"-\"");
}

Status CheckDescription(const std::string& text) {
  if (text.size() > kMostAclDescription) {
    return Invalid("description longer than " + std::to_string(kMostAclDescription) + " bytes");
  }
  if (ValidLength(text) < text.size()) return Invalid("the description is not UTF-8");
  return Status();
}

void SortOnce(std::vector<std::string>* names) {
  std::ranges::sort(*names);
  names->erase(std::unique(names->begin(), names->end()), names->end());
}

Status CheckPolicyNames(const std::vector<std::string>& names) {
  if (names.size() > kMostLinks) {
    return Invalid("more than " + std::to_string(kMostLinks) + " policies are named");
  }
  for (const std::string& name : names) DROVER_TRY(CheckAclName("policy", name));
  return Status();
}

Result<std::vector<std::string>> RoleIds(const AclTables& tables,
                                         const std::vector<RoleLink>& links) {
  if (links.size() > kMostLinks) {
    return Invalid("more than " + std::to_string(kMostLinks) + " roles are named");
  }
  std::vector<std::string> ids;
  for (const RoleLink& link : links) {
    const auto role = link.id.empty() ? tables.FindRoleNamed(link.name) : tables.FindRole(link.id);
    if (role == nullptr) {
      return Invalid("cannot find role " + Quoted(link.id.empty() ? link.name : link.id));
    }
    ids.push_back(role->id);
  }
  SortOnce(&ids);
  return ids;
}

// Checks what the type of a token asks for.
Status CheckTokenType(const TokenRecord& token, const std::string& type) {
  const bool has_links = !token.policies.empty() || !token.roles.empty();
  if (type != "client" && type != "management") {
    return Invalid("token type must be client or management");
  }
  if (type == "client" && !has_links) return Invalid("client token missing policies or roles");
  if (type == "management" && has_links) {
    return Invalid("management token cannot be associated with policies or roles");
  }
  return Status();
}

// Sets when a new token ends.
Status SetExpiration(const TokenRequest& request, const AclLimits& limits, TokenRecord* token) {
  if (request.expiration_ttl < Duration(0)) {
    return Invalid("token expiration TTL '" + FormatDuration(request.expiration_ttl) +
                   "' should not be negative");
  }
  Duration left = request.expiration_ttl;
  if (left == Duration(0)) {
    if (request.expiration_time == 0) return Status();
    if (request.expiration_time < token->create_time) {
      return Invalid("expiration time cannot be before create time");
    }
    left = Duration(request.expiration_time - token->create_time);
  }
  if (left > limits.longest_ttl) {
    return Invalid("expiration time cannot be more than " + FormatDuration(limits.longest_ttl) +
                   " in the future (was " + FormatDuration(left) + ")");
  }
  if (left < limits.shortest_ttl) {
    return Invalid("expiration time cannot be less than " + FormatDuration(limits.shortest_ttl) +
                   " in the future (was " + FormatDuration(left) + ")");
  }
  token->expiration_ttl = request.expiration_ttl;
  token->expiration_time = token->create_time + left.count();
  return Status();
}

// A request may repeat the times of the token, but it cannot change them.
Status CheckSameExpiration(const TokenRequest& request, const TokenRecord& token) {
  if (request.expiration_ttl != Duration(0) && request.expiration_ttl != token.expiration_ttl) {
    return Invalid("cannot update expiration TTL");
  }
  if (request.expiration_time != 0 && request.expiration_time != token.expiration_time) {
    return Invalid("cannot update expiration time");
  }
  return Status();
}

// A management token with a random accessor and SECRET.
TokenWrite NewToken(std::string secret, AclMoment moment) {
  auto token = std::make_shared<TokenRecord>();
  token->accessor_id = RandomUuid();
  token->secret_hash = SecretHash(secret);
  token->name = "Bootstrap Token";
  token->type = TokenType::kManagement;
  token->global = true;
  token->create_time = moment.now;
  token->create_index = token->modify_index = moment.index;
  TokenWrite made;
  made.token = token;
  made.secret = std::move(secret);
  made.write.changes.push_back({made.token});
  return made;
}

}  // namespace

Result<TokenWrite> BootstrapToken(const AclTables& tables, const std::string& given_secret,
                                  std::uint64_t reset_index, AclMoment moment) {
  const std::uint64_t done = tables.bootstrap_index();
  if (done != 0 && reset_index == 0) {
    return Invalid("ACL bootstrap already done (reset index: " + std::to_string(done) + ")" +
                   kHowToReset);
  }
  if (done != 0 && reset_index != done) {
    return Invalid("Invalid bootstrap reset index (specified " + std::to_string(reset_index) +
                   ", reset index: " + std::to_string(done) + ")" + kHowToReset);
  }
  if (!given_secret.empty() && !IsUuid(given_secret)) {
    return Invalid("invalid acl token: the secret of the bootstrap must be a UUID");
  }
  std::string secret = given_secret.empty() ? RandomUuid() : given_secret;
  if (tables.FindTokenByHash(SecretHash(secret)) != nullptr) {
    return Invalid("a token has this secret already");
  }
  TokenWrite made = NewToken(std::move(secret), moment);
  made.write.is_bootstrap = true;
  return made;
}

Result<TokenWrite> PutToken(const AclTables& tables, const TokenRequest& request,
                            const AclLimits& limits, AclMoment moment) {
  const auto existing =
      request.accessor_id.empty() ? nullptr : tables.FindToken(request.accessor_id);
  if (existing == nullptr && !request.accessor_id.empty()) {
    return Invalid("cannot find token " + Quoted(request.accessor_id));
  }
  if (existing == nullptr && tables.tokens().size() >= limits.tokens) {
    return Full("tokens", limits.tokens);
  }
  if (existing != nullptr && existing->IsExpired(moment.now)) {
    return Invalid("the token has expired: make a new one");
  }
  if (request.name.size() > kMostTokenName) return Invalid("token name too long");
  if (ValidLength(request.name) < request.name.size()) {
    return Invalid("the name of the token is not UTF-8");
  }
  auto token = std::make_shared<TokenRecord>();
  TokenWrite made;
  if (existing != nullptr) {
    *token = *existing;
  } else {
    made.secret = RandomUuid();
    token->accessor_id = RandomUuid();
    token->secret_hash = SecretHash(made.secret);
    token->global = request.global;
    token->create_time = moment.now;
    token->create_index = moment.index;
  }
  token->name = request.name;
  token->modify_index = moment.index;
  DROVER_TRY(CheckPolicyNames(request.policies));
  token->policies = request.policies;
  SortOnce(&token->policies);
  DROVER_ASSIGN(token->roles, RoleIds(tables, request.roles));
  DROVER_TRY(CheckTokenType(*token, request.type));
  token->type = request.type == "management" ? TokenType::kManagement : TokenType::kClient;
  if (existing != nullptr) {
    if (existing->global != request.global) {
      return Invalid("cannot toggle global mode of " + existing->accessor_id);
    }
    DROVER_TRY(CheckSameExpiration(request, *existing));
  } else {
    DROVER_TRY(SetExpiration(request, limits, token.get()));
  }
  made.token = token;
  made.write.changes.push_back({made.token});
  return made;
}

Result<AclWrite> DeleteTokens(const AclTables& tables, const std::vector<std::string>& accessors) {
  if (accessors.empty()) return Invalid("must specify at least one token");
  AclWrite write;
  for (const std::string& accessor : accessors) {
    const auto token = tables.FindToken(accessor);
    if (token == nullptr) return Invalid("cannot delete nonexistent token " + Quoted(accessor));
    write.changes.push_back({token, true});
  }
  return write;
}

AclWrite DeleteExpiredTokens(const AclTables& tables, WallTime now, std::size_t most) {
  AclWrite write;
  for (const auto& token : tables.Expired(now, most)) write.changes.push_back({token, true});
  return write;
}

Result<PolicyWrite> PutPolicy(const AclTables& tables, PolicyRequest request,
                              const AclLimits& limits, AclMoment moment) {
  DROVER_CHECK(request.rules != nullptr);
  DROVER_TRY(CheckAclName("policy", request.name));
  DROVER_TRY(CheckDescription(request.description));
  if (request.scope) {
    const JobScope& scope = *request.scope;
    if (scope.job_namespace.empty()) return Invalid("namespace must be set to set job ID");
    if (scope.job.empty()) return Invalid("job ID must be set to attach a policy to a job");
    if (scope.group.empty() && !scope.task.empty()) {
      return Invalid("group must be set to set task");
    }
    for (const std::string* part : {&scope.job_namespace, &scope.job, &scope.group, &scope.task}) {
      if (part->size() > 256) return Invalid("a name of the job of the policy is too long");
    }
  }
  const auto existing = tables.FindPolicy(request.name);
  if (existing == nullptr && tables.policies().size() >= limits.policies) {
    return Full("policies", limits.policies);
  }
  auto policy = std::make_shared<PolicyRecord>();
  policy->name = std::move(request.name);
  policy->description = std::move(request.description);
  policy->text = std::move(request.text);
  policy->rules = std::move(request.rules);
  policy->scope = std::move(request.scope);
  policy->create_index = existing == nullptr ? moment.index : existing->create_index;
  policy->modify_index = moment.index;
  PolicyWrite made;
  made.policy = policy;
  made.write.changes.push_back({made.policy});
  return made;
}

Result<AclWrite> DeletePolicies(const AclTables& tables, const std::vector<std::string>& names) {
  if (names.empty()) return Invalid("must specify at least one policy");
  AclWrite write;
  for (const std::string& name : names) {
    const auto policy = tables.FindPolicy(name);
    if (policy != nullptr) write.changes.push_back({policy, true});
  }
  return write;
}

Result<RoleWrite> PutRole(const AclTables& tables, RoleRequest request, const AclLimits& limits,
                          AclMoment moment) {
  DROVER_TRY(CheckAclName("role", request.name));
  DROVER_TRY(CheckDescription(request.description));
  const auto existing = request.id.empty() ? nullptr : tables.FindRole(request.id);
  if (existing == nullptr && !request.id.empty()) {
    return Invalid("cannot find role " + Quoted(request.id));
  }
  if (existing == nullptr && tables.roles().size() >= limits.roles) {
    return Full("roles", limits.roles);
  }
  const auto same_name = tables.FindRoleNamed(request.name);
  if (same_name != nullptr && same_name != existing) {
    return Invalid("role with name " + request.name + " already exists");
  }
  DROVER_TRY(CheckPolicyNames(request.policies));
  if (request.policies.empty()) return Invalid("at least one policy should be specified");
  for (const std::string& name : request.policies) {
    if (tables.FindPolicy(name) == nullptr) return Invalid("cannot find policy " + name);
  }
  auto role = std::make_shared<RoleRecord>();
  role->id = existing == nullptr ? RandomUuid() : existing->id;
  role->name = std::move(request.name);
  role->description = std::move(request.description);
  role->policies = std::move(request.policies);
  SortOnce(&role->policies);
  role->create_index = existing == nullptr ? moment.index : existing->create_index;
  role->modify_index = moment.index;
  RoleWrite made;
  made.role = role;
  made.write.changes.push_back({made.role});
  return made;
}

Result<AclWrite> DeleteRole(const AclTables& tables, const std::string& id) {
  const auto role = tables.FindRole(id);
  if (role == nullptr) return Invalid("cannot find role " + Quoted(id));
  AclWrite write;
  write.changes.push_back({role, true});
  return write;
}

}  // namespace drover
