// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/api/acl_answer.h"

#include <optional>

#include "host/acl/acl_state.h"
#include "host/request/admission_watch.h"

namespace drover {
namespace {

// How often a request with ?index looks whether something has changed. Policies change so seldom
// that nothing notifies the request.
constexpr Duration kLookAgain = 500ms;

Co<Answer> IfEnabled(AclHandler handler, ApiRequest* request) {
  const ApiAgent& agent = request->agent();
  if (agent.acl == nullptr || !agent.settings.Get()->acl_enabled) {
    co_return ErrorAnswer(400,
                          "ACL support disabled: set acl { enabled = true } in the agent's "
                          "configuration, and reload it (SIGHUP)");
  }
  co_return co_await handler(request);
}

std::uint64_t IndexNow(const AclState& state, AclTable of) {
  std::uint64_t index = 0;
  state.Read([&](const AclTables& tables) { index = tables.IndexOf(of); });
  return index;
}

}  // namespace

std::function<Co<Answer>(ApiRequest*)> WithAcl(AclHandler handler) {
  return [handler](ApiRequest* request) { return IfEnabled(handler, request); };
}

Co<Result<std::uint64_t>> ChangeAcl(ApiRequest* request, AclPlan plan) {
  AclState* const state = request->agent().acl;
  const WallTime now = request->exchange()->loop()->Wall();
  std::optional<Error> refusal;
  const Result<std::uint64_t> written =
      co_await request->ControlNow([state, now, &plan, &refusal]() -> Result<std::uint64_t> {
        Result<std::uint64_t> index =
            state->Write([now, &plan](const AclTables& tables, std::uint64_t of_write) {
              return plan(tables, AclMoment{now, of_write});
            });
        if (index.ok()) return index;
        refusal = index.error();
        return std::uint64_t{0};
      });
  if (written.ok() && refusal) co_return *refusal;
  co_return written;
}

Co<Answer> AnswerAcl(ApiRequest* request, AclTable of, AclLook look) {
  DROVER_CO_ASSIGN(const std::uint64_t newer_than, WantedIndex(*request));
  DROVER_CO_ASSIGN(const Duration wait, WantedWait(*request));
  const Context limited = request->exchange()->context().WithTimeout(wait);
  const AclState* const state = request->agent().acl;
  while (newer_than > 0 && IndexNow(*state, of) <= newer_than) {
    if (!(co_await Sleep(limited, kLookAgain)).ok()) break;
  }
  // The client may have lost its right while it waited.
  if (newer_than > 0) DROVER_CO_TRY(AdmissionWatch(request).Check());
  std::uint64_t index = 0;
  std::function<Co<Answer>()> encode;
  state->Read([&](const AclTables& tables) {
    index = tables.IndexOf(of);
    encode = look(tables);
  });
  Answer answer = co_await encode();
  answer.index = index;
  co_return answer;
}

std::set<std::string> OwnPolicies(const ApiRequest& request, const AclTables& tables) {
  const AclPrincipal& who = request.caller().principal;
  std::vector<std::shared_ptr<const PolicyRecord>> policies;
  if (who.token != nullptr) {
    policies = tables.PoliciesOf(*who.token);
  } else if (who.acl->task()) {
    policies = tables.PoliciesOf(*who.acl->task());
  } else if (auto anonymous = tables.FindPolicy(kAnonymousPolicy);
             anonymous != nullptr && !who.acl->is_management()) {
    policies.push_back(std::move(anonymous));
  }
  std::set<std::string> names;
  for (const auto& policy : policies) names.insert(policy->name);
  return names;
}

}  // namespace drover
