// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Routes for the keys that sign the tokens of tasks, and the documents by which others check these
// tokens.
#include <algorithm>

#include "host/api/router.h"
#include "host/identity/key_documents.h"
#include "host/identity/keyring.h"

namespace drover {
namespace {

using nlohmann::json;

json EncodeSigningKey(const SigningKeyInfo& key) {
  return {{"KeyID", key.id},           {"Algorithm", "ed25519"},
          {"CreateTime", key.created}, {"CreateIndex", 0},
          {"ModifyIndex", 0},          {"State", key.active ? "active" : "inactive"},
          {"PublishTime", 0}};
}

Error NoKeyring() { return Error(Code::kUnimplemented, "this agent has no keyring"); }

// These two functions run on the control thread.
Co<Result<std::vector<SigningKeyInfo>>> ListSigningKeys(Keyring* keyring) {
  if (keyring == nullptr) co_return NoKeyring();
  co_return keyring->List();
}

Co<Result<SigningKeyInfo>> RotateSigningKey(Keyring* keyring) {
  if (keyring == nullptr) co_return NoKeyring();
  DROVER_CO_TRY(co_await keyring->Rotate());
  const std::vector<SigningKeyInfo> keys = keyring->List();
  const auto active =
      std::find_if(keys.begin(), keys.end(), [](const SigningKeyInfo& key) { return key.active; });
  if (active == keys.end()) co_return Error(Code::kInternal, "no signing key is active");
  co_return *active;
}

Co<Answer> AnswerSigningKeys(ApiRequest* request) {
  Keyring* const keyring = request->agent().keyring;
  const Result<std::vector<SigningKeyInfo>> keys =
      co_await request->Control([keyring](Context) { return ListSigningKeys(keyring); });
  if (!keys.ok()) co_return keys.error();
  json list = json::array();
  for (const SigningKeyInfo& key : *keys) list.push_back(EncodeSigningKey(key));
  co_return JsonAnswer(list, LastIndex(*request));
}

Co<Answer> AnswerRotation(ApiRequest* request) {
  if (request->Flag("full")) {
    co_return ErrorAnswer(501,
                          "full: variables are not sealed by these keys, and the key that "
                          "seals them is not replaced by this version of Drover");
  }
  for (const char* name : {"algo", "publish_time"}) {
    const std::string text = request->Text(name);
    if (text.empty() || text == "0") continue;
    co_return ErrorAnswer(501, std::string(name) + ": is not supported by this version of Drover");
  }
  Keyring* const keyring = request->agent().keyring;
  const Result<SigningKeyInfo> key =
      co_await request->Control([keyring](Context) { return RotateSigningKey(keyring); });
  if (!key.ok()) co_return key.error();
  json answer = json::object();
  answer["Key"] = EncodeSigningKey(*key);
  co_return JsonAnswer(answer, LastIndex(*request));
}

Co<Answer> AnswerKeySet(ApiRequest* request) {
  const Keyring* const keyring = request->agent().keyring;
  if (keyring == nullptr) co_return NoKeyring();
  Answer answer;
  answer.reply.body = KeySetDocument(*keyring->public_keys());
  co_return answer;
}

Co<Answer> AnswerOpenId(ApiRequest* request) {
  std::optional<std::string> document = OpenIdDocument(request->agent().oidc_issuer);
  if (!document) {
    co_return ErrorAnswer(404,
                          "this agent has no URL as an issuer of tokens: set oidc_issuer in the "
                          "block server of its configuration");
  }
  Answer answer;
  answer.reply.body = std::move(*document);
  co_return answer;
}

}  // namespace

std::vector<Route> KeyringRoutes() {
  return {
      {"GET", "/v1/operator/keyring/keys", AnswerSigningKeys},
      {"PUT POST", "/v1/operator/keyring/rotate", AnswerRotation},
      {"GET", kKeySetPath, AnswerKeySet, Access::kOpen},
      {"GET", kOpenIdPath, AnswerOpenId, Access::kOpen},
  };
}

}  // namespace drover
