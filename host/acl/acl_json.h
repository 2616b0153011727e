// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/acl/acl_changes.h"
#include "host/acl/acl_tables.h"
#include "host/base/result.h"

// Tokens, policies and roles as clients of Nomad's API read and send them. The names are those of
// the Go client's types. [any thread]
namespace drover {

// ACLToken. SECRET is what the client has sent or what was made just now. If it is empty, the
// SecretID is empty, since nobody here knows it.
nlohmann::json TokenJson(const TokenRecord& token, const AclTables& tables,
                         const std::string& secret);
// ACLTokenListStub.
nlohmann::json TokenStubJson(const TokenRecord& token, const AclTables& tables);
// The token of clients that send none.
nlohmann::json AnonymousTokenJson();
// ACLPolicy with its rules as text and as JSON.
nlohmann::json PolicyRecordJson(const PolicyRecord& policy);
// ACLPolicyListStub.
nlohmann::json PolicyStubJson(const PolicyRecord& policy);
// ACLRole. It is also the form in lists.
nlohmann::json RoleJson(const RoleRecord& role);

// These functions read the body of a request. The error, kInvalidArgument, names all faults with
// their JSON pointers. Secrets, hashes, times of creation and indexes in a body are ignored, since
// a client cannot choose them.
Result<TokenRequest> ReadTokenRequest(const nlohmann::json& body);
// The policy has no rules yet: they take a program to read; see ReadPolicy.
Result<PolicyRequest> ReadPolicyRequest(const nlohmann::json& body);
Result<RoleRequest> ReadRoleRequest(const nlohmann::json& body);

}  // namespace drover
