// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Routes for tokens.
#include "host/acl/acl_json.h"
#include "host/acl/acl_state.h"
#include "host/api/acl_answer.h"
#include "host/request/access.h"

namespace drover {
namespace {

using nlohmann::json;

using TokenRecords = std::vector<std::shared_ptr<const TokenRecord>>;

Co<Answer> TokenList(ApiRequest* request, TokenRecords tokens) {
  const AclState* const state = request->agent().acl;
  std::vector<ListItem> items;
  items.reserve(tokens.size());
  for (const auto& token : tokens) {
    items.push_back({token->accessor_id, [token, state] {
                       json stub;
                       state->Read(
                           [&](const AclTables& now) { stub = TokenStubJson(*token, now); });
                       return stub;
                     }});
  }
  co_return co_await ListAnswer(request, std::move(items));
}

Co<Answer> ListTokens(ApiRequest* request) {
  return AnswerAcl(request, AclTable::kTokens, [request](const AclTables& tables) {
    const std::string prefix = request->Text("prefix");
    const bool only_global = request->Flag("global");
    TokenRecords found;
    for (const auto& [accessor, token] : tables.tokens()) {
      if (accessor.starts_with(prefix) && (token->global || !only_global)) found.push_back(token);
    }
    return [request, found] { return TokenList(request, found); };
  });
}

Co<Answer> TokenAnswer(json token) { co_return JsonAnswer(token); }
Co<Answer> NoToken() { co_return ErrorAnswer(404, "ACL token not found"); }
Co<Answer> NotYours() { co_return DeniedAnswer(); }

// The token of the agent itself, as clients read it. It is in no table.
json AgentTokenJson(const std::string& secret) {
  TokenRecord token;
  token.accessor_id = token.name = "agent-token";
  token.type = TokenType::kManagement;
  return TokenJson(token, AclTables(), secret);
}

// Answers with the token that the request has. A task has none.
Co<Answer> ShowOwn(ApiRequest* request) {
  return AnswerAcl(request, AclTable::kTokens,
                   [request](const AclTables& tables) -> std::function<Co<Answer>()> {
                     const AclPrincipal& who = request->caller().principal;
                     const std::string secret(GivenToken(request->http()));
                     json token;
                     if (who.token != nullptr) {
                       token = TokenJson(*who.token, tables, secret);
                     } else if (who.acl->is_management()) {
                       token = AgentTokenJson(secret);
                     } else if (!who.acl->task()) {
                       token = AnonymousTokenJson();
                     } else {
                       return [] { return NoToken(); };
                     }
                     return [token] { return TokenAnswer(token); };
                   });
}

Co<Answer> ShowToken(ApiRequest* request) {
  return AnswerAcl(request, AclTable::kTokens,
                   [request](const AclTables& tables) -> std::function<Co<Answer>()> {
                     const std::string& accessor = request->parameter(0);
                     const AclPrincipal& who = request->caller().principal;
                     const bool own = who.token != nullptr && who.token->accessor_id == accessor;
                     if (!own && !who.acl->is_management()) return [] { return NotYours(); };
                     const auto token = tables.FindToken(accessor);
                     if (token == nullptr) return [] { return NoToken(); };
                     // Only the client itself knows the secret.
                     const std::string secret(own ? GivenToken(request->http()) : "");
                     return
                         [found = TokenJson(*token, tables, secret)] { return TokenAnswer(found); };
                   });
}

Co<Answer> StoreToken(ApiRequest* request, const std::string accessor) {
  DROVER_CO_ASSIGN(const json body, request->Body());
  DROVER_CO_ASSIGN(TokenRequest wanted, ReadTokenRequest(body));
  if (!accessor.empty()) {
    if (!wanted.accessor_id.empty() && wanted.accessor_id != accessor) {
      co_return ErrorAnswer(400, "ACL token accessor ID does not match request path");
    }
    wanted.accessor_id = accessor;
  }
  const AclLimits limits = request->agent().settings.Get()->acl_limits;
  TokenWrite made;
  const AclPlan plan = [&](const AclTables& tables, AclMoment moment) -> Result<AclWrite> {
    DROVER_ASSIGN(made, PutToken(tables, wanted, limits, moment));
    return made.write;
  };
  DROVER_CO_ASSIGN(const std::uint64_t index, co_await ChangeAcl(request, plan));
  json token;
  request->agent().acl->Read(
      [&](const AclTables& tables) { token = TokenJson(*made.token, tables, made.secret); });
  co_return JsonAnswer(token, index);
}

Co<Answer> MakeToken(ApiRequest* request) { return StoreToken(request, ""); }
Co<Answer> ChangeToken(ApiRequest* request) { return StoreToken(request, request->parameter(0)); }

Co<Answer> RemoveToken(ApiRequest* request) {
  const std::vector<std::string> accessors = {request->parameter(0)};
  const AclPlan plan = [&accessors](const AclTables& tables, AclMoment) {
    return DeleteTokens(tables, accessors);
  };
  DROVER_CO_ASSIGN(const std::uint64_t index, co_await ChangeAcl(request, plan));
  Answer done = EmptyAnswer();
  done.index = index;
  co_return done;
}

}  // namespace

std::vector<Route> AclTokenRoutes() {
  return {
      {"GET", "/v1/acl/tokens", WithAcl(ListTokens)},
      {"PUT POST", "/v1/acl/token", WithAcl(MakeToken)},
      {"GET", "/v1/acl/token/self", WithAcl(ShowOwn)},
      {"GET", "/v1/acl/token/*", WithAcl(ShowToken)},
      {"PUT POST", "/v1/acl/token/*", WithAcl(ChangeToken)},
      {"DELETE", "/v1/acl/token/*", WithAcl(RemoveToken)},
  };
}

}  // namespace drover
