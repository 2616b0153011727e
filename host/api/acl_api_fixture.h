// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "host/acl/acl_resolver.h"
#include "host/acl/acl_state.h"
#include "host/acl/secret_hash.h"
#include "host/api/api_fixture.h"
#include "host/request/admission.h"

// For tests: an agent whose policies count, with clients of all kinds.
namespace drover {

class AclApiFixture : public ApiFixture {
 protected:
  AclApiFixture() {
    resolver_.SetVerifier(
        {[this](std::string_view identity, WallTime) -> Result<AclIdentity> {
           const auto found = tasks_.find(std::string(identity));
           if (found == tasks_.end()) {
             return Error(Code::kPermissionDenied, "the signature is wrong");
           }
           return AclIdentity{found->second, 0};
         },
         [this](const std::string& alloc_id) { return !ended_.contains(alloc_id); }});
    agent_.resolver = &resolver_;
    agent_.acl = &state_;
    Enable(true);
  }

  // Sets whether policies count, and the token of the agent.
  void Enable(bool enabled, const std::string& agent_token = "") {
    const std::string hash = agent_token.empty() ? "" : SecretHash(agent_token);
    resolver_.SetSettings({.enabled = enabled, .agent_token_hash = hash});
    ApiSettings settings;
    settings.acl_enabled = enabled;
    settings.needs_token = enabled || !agent_token.empty();
    agent_.settings.Set(settings);
  }

  // Makes the policy NAME with RULES in JSON.
  void MakePolicy(const std::string& name, const std::string& rules) {
    PolicyRequest request;
    request.name = name;
    request.text = rules;
    request.rules = std::make_shared<const Policy>(ReadPolicy(rules).value());
    const auto written =
        state_.Write([&](const AclTables& tables, std::uint64_t index) -> Result<AclWrite> {
          DROVER_ASSIGN(const PolicyWrite made,
                        PutPolicy(tables, request, AclLimits(), {loop.Wall(), index}));
          return made.write;
        });
    ASSERT_TRUE(written.ok()) << written.error().message();
  }
  // Makes a token and returns it. Without POLICIES, it has one that does not exist.
  TokenWrite MakeToken(std::vector<std::string> policies, Duration ttl = Duration(0)) {
    TokenRequest request;
    request.type = "client";
    request.policies = std::move(policies);
    if (request.policies.empty()) request.policies = {"none"};
    request.expiration_ttl = ttl;
    return Made(request);
  }
  TokenWrite MakeManagement() {
    TokenRequest request;
    request.type = "management";
    return Made(request);
  }
  // Makes a token with RULES, and returns its secret.
  std::string TokenWith(const std::string& rules) {
    const std::string name = "p" + std::to_string(++made_);
    MakePolicy(name, rules);
    return MakeToken({name}).secret;
  }
  static std::string CapabilityRules(const std::string& capability,
                                     const std::string& name_space = "default") {
    return R"({"namespace": {")" + name_space + R"(": {"capabilities": [")" + capability +
           R"("]}}})";
  }

  HttpReply AskAs(const std::string& secret, const std::string& method, const std::string& target,
                  const nlohmann::json& body = nullptr) {
    return Ask(method, target, body, {{"X-Nomad-Token", secret}});
  }
  // Sends a request, and returns the status.
  int StatusAs(const std::string& secret, const std::string& method, const std::string& target,
               const nlohmann::json& body = nullptr) {
    return AskAs(secret, method, target, body).status;
  }
  nlohmann::json GetAs(const std::string& secret, const std::string& target) {
    const HttpReply reply = AskAs(secret, "GET", target);
    EXPECT_EQ(reply.status, 200) << target << ": " << reply.body;
    return nlohmann::json::parse(reply.body, nullptr, false);
  }

  AclState state_;
  AclResolver resolver_{&state_, {.at_once = 100'000, .each = Duration(1), .sources = 100}};
  std::map<std::string, TaskPrincipal> tasks_;  // by identity
  std::set<std::string> ended_;                 // allocations

 private:
  TokenWrite Made(const TokenRequest& request) {
    TokenWrite made;
    const auto written =
        state_.Write([&](const AclTables& tables, std::uint64_t index) -> Result<AclWrite> {
          DROVER_ASSIGN(made, PutToken(tables, request, AclLimits(), {loop.Wall(), index}));
          return made.write;
        });
    EXPECT_TRUE(written.ok());
    return made;
  }
  int made_ = 0;
};

}  // namespace drover
