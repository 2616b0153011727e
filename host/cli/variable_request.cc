// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/variable_request.h"

#include <utility>

#include "host/http/http_message.h"
#include "host/spec/strict_json.h"
#include "host/view/json_fields.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr int kConflict = 409;
constexpr std::size_t kMostAnswer = std::size_t{64} << 20;

Code CodeOfStatus(int status) {
  switch (status) {
    case 400:
      return Code::kInvalidArgument;
    case 403:
      return Code::kPermissionDenied;
    case 404:
      return Code::kNotFound;
    case 501:
      return Code::kUnimplemented;
    default:
      return Code::kInternal;
  }
}

Error RefusalOf(int status, std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (status == 403) text += ": see --token and NOMAD_TOKEN";
  if (text.empty()) text = "HTTP status " + std::to_string(status) + ": is it an agent?";
  return Error(CodeOfStatus(status), std::move(text));
}

}  // namespace

Result<VariableAnswer> AskAboutVariables(ApiClient* client, ClientRequest request) {
  int status = 0;
  VariableAnswer answer;
  // With take_head, an answer that is no success is no error: its body may be a variable.
  request.take_head = [&status, &answer](const ReplyHead& head) {
    status = head.status;
    for (const auto& [name, value] : head.headers) {
      if (EqualsIgnoringCase(name, "X-Nomad-NextToken")) answer.next_token = value;
    }
  };
  DROVER_ASSIGN(ClientReply reply, client->Send(std::move(request)));
  answer.conflict = status == kConflict;
  if (status >= 300 && !answer.conflict) return RefusalOf(status, std::move(reply.body));
  if (reply.body.empty()) return answer;
  Result<json> body = ParseStrictJson(reply.body, {.bytes = kMostAnswer});
  if (!body.ok()) {
    return Error(Code::kInternal,
                 "the answer of " + client->options().address + " is no JSON: is it an agent?");
  }
  answer.body = std::move(*body);
  return answer;
}

ClientRequest VariableRequest(const ApiClient& client, const std::string& method,
                              const std::string& path, const std::string& name_space) {
  ClientRequest request;
  request.method = method;
  request.path = ApiPath("/v1/var", path);
  const std::string& wanted = client.options().job_namespace;
  const std::string& counts = wanted.empty() ? name_space : wanted;
  if (!counts.empty()) request.query.emplace_back("namespace", counts);
  return request;
}

Error ConflictOf(std::uint64_t checked, const json& there) {
  const std::string path = "\"" + RawField(there, "Path") + "\"";
  const std::int64_t index = NumberField(there, "ModifyIndex");
  if (index == 0) {
    return Error(Code::kFailedPrecondition,
                 "there is no variable " + path + ", so its modify index is not " +
                     std::to_string(checked) + ": use --check-index 0 to make it");
  }
  if (checked == 0) {
    return Error(Code::kFailedPrecondition,
                 "there is a variable " + path + " already: use --check-index " +
                     std::to_string(index) +
                     " to replace it as it is now, or --force to replace "
                     "it in any case");
  }
  return Error(Code::kFailedPrecondition,
               "the variable " + path + " has been changed: its modify index is " +
                   std::to_string(index) + ", not " + std::to_string(checked) +
                   ": read it again before you change it");
}

}  // namespace drover
