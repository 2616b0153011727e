// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/request/admission.h"

#include "host/request/access.h"

namespace drover {
namespace {

constexpr char kAnyNamespace[] = "*";

// Returns whose failures count together. Each user of this machine is a source of its own, and so
// is each allocation.
std::string SourceOf(Entrance entrance, const HttpRequest& http) {
  if (entrance == Entrance::kTask || http.client.starts_with("user ")) return http.client;
  return FailureSource(http.remote);
}

std::string NamespaceOfAlloc(const ApiAgent& agent, const std::string& id) {
  std::string name = kAnyNamespace;
  agent.store->Read([&](const Tables& tables) {
    if (const auto record = Tables::Find(tables.allocs, id)) {
      name = record->alloc->job->job_namespace;
    }
  });
  return name;
}

std::string NamespaceOfEval(const ApiAgent& agent, const std::string& id) {
  std::string name = kAnyNamespace;
  agent.store->Read([&](const Tables& tables) {
    if (const auto eval = Tables::Find(tables.evals, id)) name = eval->job_namespace;
  });
  return name;
}

std::string NamespaceOfDeployment(const ApiAgent& agent, const std::string& id) {
  std::string name = kAnyNamespace;
  agent.store->Read([&](const Tables& tables) {
    if (const auto found = Tables::Find(tables.deployments, id)) name = found->job_namespace;
  });
  return name;
}

// Returns the namespace that counts for a request; see Permits.
std::string NamespaceFor(const ApiAgent& agent, const RouteAccess& access, const HttpRequest& http,
                         const std::vector<std::string>& stars) {
  if (access.need == Need::kNamespace) return stars.at(0);
  switch (access.where) {
    case Where::kNowhere:
      return "";
    case Where::kQuery:
      return NamespaceInQuery(http);
    case Where::kAlloc:
      return NamespaceOfAlloc(agent, stars.at(0));
    case Where::kEval:
      return NamespaceOfEval(agent, stars.at(0));
    case Where::kDeployment:
      return NamespaceOfDeployment(agent, stars.at(0));
    case Where::kBody:
      return kAnyNamespace;
  }
  return "";
}

// Returns the answer to a client that is refused with ERROR. On the socket of a task it has no
// more than the status.
Answer RefusalAnswer(Entrance entrance, bool has_token, const Error& error) {
  if (error.code() == Code::kResourceExhausted) {
    Answer answer = ErrorAnswer(429, error.message());
    answer.reply.close = true;
    return answer;
  }
  if (entrance == Entrance::kAgent) return error;
  if (!has_token) return ErrorAnswer(401, "Unauthorized");
  if (error.code() == Code::kPermissionDenied) return ErrorAnswer(403, "Forbidden");
  return error;
}

// A client that nobody has asked for a token, where others are asked.
const AclPrincipal& Nobody() {
  static const auto& nobody = *new AclPrincipal{Acl::Of({}), nullptr, "nobody"};
  return nobody;
}

bool IsKnown(const AclPrincipal& principal) {
  return principal.acl->is_management() || principal.token != nullptr ||
         principal.acl->task().has_value();
}

bool NeedsARight(Need need) {
  return need != Need::kNothing && need != Need::kClient && need != Need::kEachPart;
}

}  // namespace

Result<AclPrincipal> WhoAsks(const ApiAgent& agent, Entrance entrance, const HttpRequest& http,
                             std::string_view token, Loop* loop) {
  if (agent.resolver == nullptr) return Caller().principal;
  const std::string source = SourceOf(entrance, http);
  if (entrance == Entrance::kTask) return agent.resolver->ResolveStrictly(loop, token, source);
  return agent.resolver->Resolve(loop, token, source);
}

bool MayUse(const ApiAgent& agent, const Acl& acl, const RouteAccess& access,
            const HttpRequest& http, const std::vector<std::string>& stars) {
  if (acl.is_management()) return true;
  const std::string alloc_id = access.where == Where::kAlloc ? stars.at(0) : "";
  return Permits(acl, access, NamespaceFor(agent, access, http, stars), alloc_id);
}

Admission Admit(const ApiAgent& agent, Entrance entrance, const HttpRequest& http,
                const RouteAccess* access, const std::vector<std::string>& stars, Loop* loop) {
  Admission admission;
  admission.caller.entrance = entrance;
  admission.caller.access = access;
  if (agent.resolver == nullptr) {
    admission.trusted = true;
    return admission;
  }
  const Result<AclPrincipal> anybody = WhoAsks(agent, Entrance::kAgent, http, "", loop);
  const bool is_open_to_all =
      entrance == Entrance::kAgent && anybody.ok() && anybody->acl->is_management();
  const bool is_open_route = entrance == Entrance::kAgent && access != nullptr &&
                             (access->need == Need::kNothing || access->after_websocket);
  if (is_open_route) {
    // A request for such a route needs no token, so it is no reason to trust its client. The
    // handler of a websocket finds out who asks.
    admission.caller.principal = is_open_to_all ? *anybody : Nobody();
    admission.trusted = is_open_to_all;
    return admission;
  }
  const std::string_view token = GivenToken(http);
  const auto refuse = [&](const Error& error) {
    admission.refusal = RefusalAnswer(entrance, !token.empty(), error);
    return admission;
  };
  if (!is_open_to_all && SaysTwoTokens(http)) {
    return refuse(Error(Code::kPermissionDenied, "two different tokens are given"));
  }
  Result<AclPrincipal> principal = WhoAsks(agent, entrance, http, token, loop);
  if (!principal.ok()) return refuse(principal.error());
  admission.caller.principal = std::move(*principal);
  const AclPrincipal& who = admission.caller.principal;
  const bool permitted = access == nullptr || MayUse(agent, *who.acl, *access, http, stars);
  if (!permitted) admission.refusal = DeniedAnswer();
  admission.trusted = IsKnown(who) || (permitted && access != nullptr && NeedsARight(access->need));
  return admission;
}

}  // namespace drover
