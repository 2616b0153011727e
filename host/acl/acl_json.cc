// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/acl/acl_json.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "host/acl/secret_hash.h"
#include "host/base/base64.h"
#include "host/base/text.h"
#include "host/spec/job_faults.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

using nlohmann::json;

// Returns a hash of the fields that a client can change, by which clients find changes.
std::string ContentHash(const json& content) {
  const std::string hex = SecretHash(JsonText(content));
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(HexDigit(hex[i]) << 4 | HexDigit(hex[i + 1]));
  }
  return Base64(bytes);
}

json RoleLinksJson(const std::vector<std::string>& ids, const AclTables& tables) {
  json links = json::array();
  for (const std::string& id : ids) {
    // A role that is gone is no role of the token any more.
    if (const auto role = tables.FindRole(id)) {
      links.push_back({{"ID", role->id}, {"Name", role->name}});
    }
  }
  return links;
}

json PolicyLinksJson(const std::vector<std::string>& names) {
  json links = json::array();
  for (const std::string& name : names) links.push_back(json::object({{"Name", name}}));
  return links;
}

// Returns whether A and B differ at most in upper and lower case.
bool IsSameWord(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

// Reads the fields of an object, and collects the faults.
class FieldReader {
 public:
  FieldReader(const json& object, std::string pointer, JobFaults* faults)
      : object_(object), pointer_(std::move(pointer)), faults_(faults) {
    if (!object.is_object()) faults->Add(pointer_, "must be an object");
  }

  // Each function leaves OUT as it is if the field is absent or null.
  void Text(const char* key, std::string* out) {
    const json* const found = Find(key);
    if (found == nullptr) return;
    if (!found->is_string()) return Fault(key, "must be a text");
    *out = found->get<std::string>();
  }
  void Boolean(const char* key, bool* out) {
    const json* const found = Find(key);
    if (found == nullptr) return;
    if (!found->is_boolean()) return Fault(key, "must be true or false");
    *out = found->get<bool>();
  }
  void Time(const char* key, WallTime* out) {
    std::string text;
    Text(key, &text);
    if (text.empty()) return;
    const Result<WallTime> time = ParseRfc3339(text);
    if (!time.ok()) return Fault(key, time.error().message());
    // Clients write the year 1 for no time. The first second of 1970 is a time, and long over.
    if (*time == 0 && !text.starts_with("0001-")) return Fault(key, "must be after 1970-01-01");
    *out = *time;
  }
  // A duration is a text such as "8h", or a number of nanoseconds.
  void Span(const char* key, Duration* out) {
    const json* const found = Find(key);
    if (found == nullptr) return;
    if (found->is_number_integer()) {
      *out = Duration(found->get<std::int64_t>());
    } else if (!found->is_string()) {
      Fault(key, "must be a duration such as \"8h\"");
    } else if (const auto text = found->get<std::string>(); !text.empty()) {
      const Result<Duration> span = ParseDuration(text);
      if (!span.ok()) return Fault(key, span.error().message());
      *out = *span;
    }
  }
  // Calls READ with each element of a list and its pointer.
  template <typename Read>
  void List(const char* key, Read read) {
    const json* const found = Find(key);
    if (found == nullptr) return;
    if (!found->is_array()) return Fault(key, "must be a list");
    // One more than a record may have, so that its check reports the excess.
    for (std::size_t i = 0; i < found->size() && i <= kMostLinks; ++i) {
      read((*found)[i], JsonPointer(JsonPointer(pointer_, key), i));
    }
  }
  // A name in another case is a fault. Clients may rely on Nomad, which accepts it. If it were
  // ignored, a token could have no end, and a policy could belong to no job.
  const json* Find(const char* key) {
    if (!object_.is_object()) return nullptr;
    for (const auto& [name, value] : object_.items()) {
      if (name != key && IsSameWord(name, key)) {
        Fault(name.c_str(), std::string("is not known; write ") + key);
      }
    }
    const auto found = object_.find(key);
    return found == object_.end() || found->is_null() ? nullptr : &*found;
  }
  void Fault(const char* key, const std::string& what) {
    faults_->Add(JsonPointer(pointer_, key), what);
  }

 private:
  const json& object_;
  const std::string pointer_;
  JobFaults* const faults_;
};

Error BodyError(const JobFaults& faults) {
  std::string text;
  for (const JobFault& fault : faults.list()) {
    if (!text.empty()) text += "\n";
    text += (fault.pointer.empty() ? "the body" : fault.pointer) + ": " + fault.message;
  }
  return Error(Code::kInvalidArgument, std::move(text));
}

}  // namespace

json TokenStubJson(const TokenRecord& token, const AclTables& tables) {
  json roles = RoleLinksJson(token.roles, tables);
  json out = {{"AccessorID", token.accessor_id},
              {"Name", token.name},
              {"Type", TokenTypeName(token.type)},
              {"Policies", token.policies},
              {"Roles", std::move(roles)},
              {"Global", token.global},
              {"Hash", ContentHash({token.name, TokenTypeName(token.type), token.policies,
                                    token.roles, token.global})},
              {"CreateTime", Rfc3339(token.create_time)},
              {"CreateIndex", token.create_index},
              {"ModifyIndex", token.modify_index}};
  if (token.expiration_time != 0) out["ExpirationTime"] = Rfc3339(token.expiration_time);
  return out;
}

json TokenJson(const TokenRecord& token, const AclTables& tables, const std::string& secret) {
  json out = TokenStubJson(token, tables);
  out["SecretID"] = secret;
  if (token.expiration_ttl != Duration(0)) {
    out["ExpirationTTL"] = FormatDuration(token.expiration_ttl);
  }
  return out;
}

json AnonymousTokenJson() {
  TokenRecord anonymous;
  anonymous.accessor_id = kAnonymousPolicy;
  anonymous.name = "Anonymous Token";
  anonymous.policies = {kAnonymousPolicy};
  return TokenJson(anonymous, AclTables(), "");
}

json PolicyStubJson(const PolicyRecord& policy) {
  json out = {{"Name", policy.name},
              {"Description", policy.description},
              {"Hash", ContentHash({policy.name, policy.description, policy.text})},
              {"JobACL", nullptr},
              {"CreateIndex", policy.create_index},
              {"ModifyIndex", policy.modify_index}};
  if (policy.scope) {
    out["JobACL"] = {{"Namespace", policy.scope->job_namespace},
                     {"JobID", policy.scope->job},
                     {"Group", policy.scope->group},
                     {"Task", policy.scope->task}};
  }
  return out;
}

json PolicyRecordJson(const PolicyRecord& policy) {
  json out = PolicyStubJson(policy);
  out["Rules"] = policy.text;
  out["RulesJSON"] = PolicyJson(*policy.rules);
  return out;
}

json RoleJson(const RoleRecord& role) {
  return {{"ID", role.id},
          {"Name", role.name},
          {"Description", role.description},
          {"Policies", PolicyLinksJson(role.policies)},
          {"Hash", ContentHash({role.name, role.description, role.policies})},
          {"CreateIndex", role.create_index},
          {"ModifyIndex", role.modify_index}};
}

Result<TokenRequest> ReadTokenRequest(const json& body) {
  JobFaults faults;
  TokenRequest request;
  FieldReader fields(body, "", &faults);
  fields.Text("AccessorID", &request.accessor_id);
  fields.Text("Name", &request.name);
  fields.Text("Type", &request.type);
  fields.Boolean("Global", &request.global);
  fields.Time("ExpirationTime", &request.expiration_time);
  fields.Span("ExpirationTTL", &request.expiration_ttl);
  fields.List("Policies", [&](const json& name, const std::string& at) {
    if (!name.is_string()) return faults.Add(at, "must be the name of a policy");
    request.policies.push_back(name.get<std::string>());
  });
  fields.List("Roles", [&](const json& link, const std::string& at) {
    FieldReader of_link(link, at, &faults);
    RoleLink role;
    of_link.Text("ID", &role.id);
    of_link.Text("Name", &role.name);
    request.roles.push_back(std::move(role));
  });
  if (!faults.empty()) return BodyError(faults);
  return request;
}

Result<PolicyRequest> ReadPolicyRequest(const json& body) {
  JobFaults faults;
  PolicyRequest request;
  FieldReader fields(body, "", &faults);
  fields.Text("Name", &request.name);
  fields.Text("Description", &request.description);
  fields.Text("Rules", &request.text);
  if (const json* const scope = fields.Find("JobACL")) {
    FieldReader of_scope(*scope, "/JobACL", &faults);
    JobScope read;
    of_scope.Text("Namespace", &read.job_namespace);
    of_scope.Text("JobID", &read.job);
    of_scope.Text("Group", &read.group);
    of_scope.Text("Task", &read.task);
    // Clients send an empty object for a policy that belongs to no job.
    if (read != JobScope()) request.scope = std::move(read);
  }
  if (!faults.empty()) return BodyError(faults);
  return request;
}

Result<RoleRequest> ReadRoleRequest(const json& body) {
  JobFaults faults;
  RoleRequest request;
  FieldReader fields(body, "", &faults);
  fields.Text("ID", &request.id);
  fields.Text("Name", &request.name);
  fields.Text("Description", &request.description);
  fields.List("Policies", [&](const json& link, const std::string& at) {
    FieldReader of_link(link, at, &faults);
    std::string name;
    of_link.Text("Name", &name);
    request.policies.push_back(std::move(name));
  });
  if (!faults.empty()) return BodyError(faults);
  return request;
}

}  // namespace drover
