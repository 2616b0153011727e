// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Routes for variables. Their items are secrets: they are open only here, and each copy that this
// file makes is overwritten, but for the body of the answer.
#include <algorithm>
#include <string_view>

#include "host/acl/rights.h"
#include "host/api/router.h"
#include "host/encode/encode.h"
#include "host/spec/strict_json.h"
#include "host/variables/variable_items.h"
#include "host/variables/variable_path.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr TableMask kOfVariables = MaskOf(Table::kVariables);

// Returns whether the client may do RIGHT with the variable at PATH of NAME_SPACE.
bool MayUseVariable(const ApiRequest& request, const std::string& name_space,
                    const std::string& path, VariableRight right) {
  return request.acl().AllowsVariable(name_space, path, right);
}

// A copy of secrets, which is overwritten with this object.
struct SecretTree {
  ~SecretTree() { WipeJson(&value); }
  json value;
};
struct SecretText {
  ~SecretText() { WipeText(&value); }
  std::string value;
};

Answer SecretAnswer(std::string body) {
  Answer answer;
  answer.reply.body = std::move(body);
  answer.reply.headers.emplace_back("Cache-Control", "no-store");
  return answer;
}

Answer WholeVariable(const ApiRequest& request, const VariableRecord& variable) {
  const Result<SecretBytes> items = OpenItems(*request.agent().seal_key, variable);
  if (!items.ok()) return items.error();
  return SecretAnswer(VariableWithItems(variable, items->view()));
}

using VariableRecords = std::vector<std::shared_ptr<const VariableRecord>>;

// The number of variables that are judged before other requests on the same thread continue.
constexpr std::size_t kJudged = 256;

// Answers with those of VARIABLES that the client may list. A policy may have many paths, so they
// are not judged during the read of the store, for which writers wait.
Co<Answer> VariableList(ApiRequest* request, VariableRecords variables) {
  std::vector<ListItem> items;
  std::size_t judged = 0;
  for (const auto& variable : variables) {
    if (++judged % kJudged == 0) co_await NextTurn(request->exchange()->loop());
    if (!MayUseVariable(*request, variable->name_space, variable->path, VariableRight::kList)) {
      continue;
    }
    items.push_back({variable->name_space + "." + variable->path,
                     [variable] { return EncodeVariableMetadata(*variable); }});
  }
  std::sort(items.begin(), items.end(),
            [](const ListItem& a, const ListItem& b) { return a.key < b.key; });
  co_return co_await ListAnswer(request, std::move(items));
}

Co<Answer> ListVariables(ApiRequest* request) {
  if (!request->acl().AllowsAnyVariable(request->Namespace())) co_return DeniedAnswer();
  const std::string prefix = request->Text("prefix");
  co_return co_await AnswerRead(request, kOfVariables, [request, &prefix](const Tables& tables) {
    VariableRecords found;
    for (const auto& [key, variable] : tables.variables) {
      if (!request->InNamespace(key.first) || !key.second.starts_with(prefix)) continue;
      found.push_back(variable);
    }
    return Found{tables.IndexOf(kOfVariables),
                 [request, found = std::move(found)] { return VariableList(request, found); }};
  });
}

Co<Answer> ShowVariable(ApiRequest* request) {
  const VariableKey key(request->Namespace(), request->parameter(0));
  if (!MayUseVariable(*request, key.first, key.second, VariableRight::kRead)) {
    co_return DeniedAnswer();
  }
  co_return co_await AnswerRead(request, kOfVariables, [request, key](const Tables& tables) {
    const auto variable = Tables::Find(tables.variables, key);
    const std::uint64_t index =
        variable == nullptr ? tables.IndexOf(kOfVariables) : variable->modify_index;
    return Found{index, [request, key, variable] {
                   // A client that has waited may have lost its right to the path.
                   if (!MayUseVariable(*request, key.first, key.second, VariableRight::kRead)) {
                     return DeniedAnswer();
                   }
                   return variable == nullptr ? ErrorAnswer(404, "variable not found")
                                              : WholeVariable(*request, *variable);
                 }};
  });
}

// Returns the value of ?cas, the modify index that the variable must have.
Result<std::optional<std::uint64_t>> CheckIndexOf(const ApiRequest& request) {
  const std::string* const text = request.http().Query("cas");
  if (text != nullptr && text->empty()) {
    return Error(Code::kInvalidArgument, "Failed to parse value of \"cas\": it is empty");
  }
  return request.Number("cas");
}

// Answers with the variable that another client has put meanwhile. Where there is none, all indexes
// are 0.
Answer VariableConflict(const ApiRequest& request, const VariableKey& key,
                        const VariableReply& reply) {
  VariableRecord variable;
  variable.name_space = key.first;
  variable.path = key.second;
  if (reply.variable != nullptr) variable = *reply.variable;
  const bool is_open = reply.variable != nullptr &&
                       MayUseVariable(request, key.first, key.second, VariableRight::kRead);
  Answer answer = is_open ? WholeVariable(request, variable)
                          : SecretAnswer(VariableWithItems(variable, "null"));
  if (answer.reply.status == 200) answer.reply.status = 409;
  answer.index = reply.index;
  return answer;
}

// Returns the name of the lock operation that the client wants, or null.
const char* LockOperationOf(const ApiRequest& request) {
  for (const char* operation : {"lock-acquire", "lock-release", "lock-renew"}) {
    if (request.http().Query(operation) != nullptr) return operation;
  }
  return nullptr;
}

Answer NoLocks(const std::string& name) {
  return ErrorAnswer(501,
                     name + ": locks of variables are not supported by this version of Drover");
}

// Returns the body. The error does not quote it, as that of a parser would.
Result<json> SecretBody(const ApiRequest& request) {
  Result<json> body = request.Body();
  if (body.ok() || request.http().body.empty()) return body;
  return Error(Code::kInvalidArgument,
               "the body is not the JSON of a variable; it is not quoted here, because it may have "
               "secrets");
}

// Returns an error if BODY has NAME in another case. That would not count, and so the secret could
// come into another namespace than the client wants.
Status CheckCase(const json& body, std::string_view name) {
  for (const auto& [given, value] : body.items()) {
    if (given == name || !EqualsIgnoringCase(given, name)) continue;
    return Error(Code::kInvalidArgument,
                 "the field " + Quoted(given) + " is not known: write it as " + Quoted(name));
  }
  return {};
}

// Returns the namespace and the path of the variable in BODY. The path of the request counts, and
// the body must not have another one. The namespace of the body counts before that of the query.
Result<VariableKey> KeyIn(const ApiRequest& request, const json& body) {
  for (const char* name : {"Namespace", "Path", "Items"}) DROVER_TRY(CheckCase(body, name));
  VariableKey key(Field<std::string>(body, "Namespace"), request.parameter(0));
  if (key.first.empty()) key.first = request.Namespace();
  DROVER_TRY(CheckVariableNamespace(key.first));
  DROVER_TRY(CheckVariablePath(key.second));
  const std::string path = Field<std::string>(body, "Path");
  if (path.empty() || path == key.second) return key;
  return Error(Code::kInvalidArgument, "the path in the body, " + Quoted(path) +
                                           ", is not that of the request, " + Quoted(key.second));
}

Co<Answer> WriteVariable(ApiRequest* request) {
  if (const char* lock = LockOperationOf(*request)) co_return NoLocks(lock);
  VariableDraft draft;
  DROVER_CO_ASSIGN(draft.check_index, CheckIndexOf(*request));
  SecretTree body;
  DROVER_CO_ASSIGN(body.value, SecretBody(*request));
  if (!Field<json>(body.value, "Lock").is_null()) co_return NoLocks("Lock");
  DROVER_CO_ASSIGN(const VariableKey key, KeyIn(*request, body.value));
  if (!MayUseVariable(*request, key.first, key.second, VariableRight::kWrite)) {
    co_return DeniedAnswer();
  }
  json& sent = body.value["Items"];
  DROVER_CO_TRY(CheckItems(sent));
  SecretText items;
  items.value = JsonText(sent);
  draft.key = key;
  DROVER_CO_ASSIGN(draft.sealed_items,
                   SealItems(*request->agent().seal_key, key.first, key.second, items.value));
  Scheduler* const scheduler = request->agent().scheduler;
  const Result<VariableReply> reply = co_await request->ControlNow(
      [scheduler, &draft] { return scheduler->PutVariable(std::move(draft)); });
  if (!reply.ok()) co_return reply.error();
  if (reply->conflict) co_return VariableConflict(*request, key, *reply);
  Answer answer = SecretAnswer(VariableWithItems(*reply->variable, items.value));
  answer.index = reply->index;
  co_return answer;
}

Co<Answer> RemoveVariable(ApiRequest* request) {
  DROVER_CO_ASSIGN(const std::optional<std::uint64_t> check_index, CheckIndexOf(*request));
  const VariableKey key(request->Namespace(), request->parameter(0));
  DROVER_CO_TRY(CheckVariableNamespace(key.first));
  DROVER_CO_TRY(CheckVariablePath(key.second));
  if (!MayUseVariable(*request, key.first, key.second, VariableRight::kDestroy)) {
    co_return DeniedAnswer();
  }
  Scheduler* const scheduler = request->agent().scheduler;
  const Result<VariableReply> reply = co_await request->ControlNow(
      [scheduler, &key, check_index] { return scheduler->DeleteVariable(key, check_index); });
  if (!reply.ok()) co_return reply.error();
  if (reply->conflict) co_return VariableConflict(*request, key, *reply);
  Answer answer = EmptyAnswer();
  answer.reply.status = 204;
  answer.index = reply->index;
  co_return answer;
}

}  // namespace

std::vector<Route> VariableRoutes() {
  return {
      {"GET", "/v1/vars", ListVariables},
      {"GET", "/v1/var/**", ShowVariable},
      {"PUT POST", "/v1/var/**", WriteVariable},
      {"DELETE", "/v1/var/**", RemoveVariable},
  };
}

}  // namespace drover
