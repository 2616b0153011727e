// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

// What the tests of this room share: a state, and short ways to write to it.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/acl/acl_changes.h"
#include "host/acl/acl_state.h"
#include "host/base/loop.h"

namespace drover {

// For tests: rules that grant WORD in the namespace default.
inline std::shared_ptr<const Policy> DefaultRules(const std::string& word) {
  Policy policy;
  NamespaceRule rule;
  rule.name = "default";
  rule.word = word;
  rule.capabilities = NamespaceWord(word).value();
  policy.namespaces.push_back(std::move(rule));
  return std::make_shared<const Policy>(std::move(policy));
}

class AclFixture : public ::testing::Test {
 protected:
  AclMoment Moment(std::uint64_t index) { return {loop.Wall(), index}; }

  Result<TokenWrite> TryToken(const TokenRequest& request) {
    Result<TokenWrite> made = Error(Code::kInternal, "not made");
    (void)state.Write([&](const AclTables& tables, std::uint64_t index) -> Result<AclWrite> {
      made = PutToken(tables, request, limits, Moment(index));
      if (!made.ok()) return made.error();
      return made->write;
    });
    return made;
  }
  TokenWrite MustToken(const TokenRequest& request) { return TryToken(request).value(); }

  Result<TokenWrite> TryBootstrap(const std::string& secret = "", std::uint64_t reset_index = 0) {
    Result<TokenWrite> made = Error(Code::kInternal, "not made");
    (void)state.Write([&](const AclTables& tables, std::uint64_t index) -> Result<AclWrite> {
      made = BootstrapToken(tables, secret, reset_index, Moment(index));
      if (!made.ok()) return made.error();
      return made->write;
    });
    return made;
  }

  Result<PolicyWrite> TryPolicy(const PolicyRequest& request) {
    Result<PolicyWrite> made = Error(Code::kInternal, "not made");
    (void)state.Write([&](const AclTables& tables, std::uint64_t index) -> Result<AclWrite> {
      made = PutPolicy(tables, request, limits, Moment(index));
      if (!made.ok()) return made.error();
      return made->write;
    });
    return made;
  }
  void MustPolicy(const std::string& name, const std::string& word) {
    PolicyRequest request;
    request.name = name;
    request.rules = DefaultRules(word);
    ASSERT_TRUE(TryPolicy(request).ok());
  }

  Result<RoleWrite> TryRole(const RoleRequest& request) {
    Result<RoleWrite> made = Error(Code::kInternal, "not made");
    (void)state.Write([&](const AclTables& tables, std::uint64_t index) -> Result<AclWrite> {
      made = PutRole(tables, request, limits, Moment(index));
      if (!made.ok()) return made.error();
      return made->write;
    });
    return made;
  }

  Status TryDeleteTokens(const std::vector<std::string>& accessors) {
    const auto written = state.Write(
        [&](const AclTables& tables, std::uint64_t) { return DeleteTokens(tables, accessors); });
    return written.ok() ? Status() : Status(written.error());
  }
  Status TryDeletePolicies(const std::vector<std::string>& names) {
    const auto written = state.Write(
        [&](const AclTables& tables, std::uint64_t) { return DeletePolicies(tables, names); });
    return written.ok() ? Status() : Status(written.error());
  }
  Status TryDeleteRole(const std::string& id) {
    const auto written =
        state.Write([&](const AclTables& tables, std::uint64_t) { return DeleteRole(tables, id); });
    return written.ok() ? Status() : Status(written.error());
  }

  static TokenRequest ClientToken(std::vector<std::string> policies) {
    TokenRequest request;
    request.name = "of a test";
    request.type = "client";
    request.policies = std::move(policies);
    return request;
  }
  static TokenRequest ManagementToken() {
    TokenRequest request;
    request.type = "management";
    return request;
  }

  // Calls LOOK with the tables and returns what it returns.
  template <typename Function>
  auto Look(Function look) {
    decltype(look(AclTables())) found{};
    state.Read([&](const AclTables& tables) { found = look(tables); });
    return found;
  }

  SimLoop loop;
  AclState state;
  AclLimits limits;
};

}  // namespace drover
