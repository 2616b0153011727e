// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/identity/token.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

#include "host/identity/base64url.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr char kAlgorithm[] = "EdDSA";
constexpr JsonLimits kTokenJson{.bytes = kLongestToken, .depth = 8};

Error RefusedToken(std::string why) { return Error(Code::kPermissionDenied, std::move(why)); }

// The three parts of a token. SIGNED_TEXT is the first two of them, as they are in the token.
struct TokenParts {
  std::string_view header;
  std::string_view claims;
  std::string_view signature;
  std::string_view signed_text;
};

std::optional<TokenParts> PartsOf(std::string_view token) {
  const std::size_t first = token.find('.');
  if (first == std::string_view::npos) return std::nullopt;
  const std::size_t second = token.find('.', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  TokenParts parts{token.substr(0, first), token.substr(first + 1, second - first - 1),
                   token.substr(second + 1), token.substr(0, second)};
  const bool is_whole = !parts.header.empty() && !parts.claims.empty() && !parts.signature.empty();
  if (!is_whole || parts.signature.find('.') != std::string_view::npos) return std::nullopt;
  return parts;
}

// Reads the JSON object in PART, which NAME names in the error.
Result<json> DecodedPart(std::string_view part, const char* name) {
  const std::optional<std::string> text = FromBase64Url(part);
  if (!text) return RefusedToken(std::string("the ") + name + " of the token is not base64url");
  Result<json> value = ParseStrictJson(*text, kTokenJson);
  // The parser's message could contain parts of the token.
  if (!value.ok() || !value->is_object()) {
    return RefusedToken(std::string("the ") + name + " of the token is no JSON object");
  }
  return value;
}

// Returns the id of the key by which the token with HEADER is signed. Accepts only headers like
// those of SignedToken. So nothing in a token can choose how it is checked.
Result<std::string> KeyIdOf(const json& header) {
  std::string key_id;
  bool has_algorithm = false;
  for (const auto& [name, value] : header.items()) {
    const std::string* const text = value.get_ptr<const std::string*>();
    if (name == "alg" && text != nullptr && *text == kAlgorithm) {
      has_algorithm = true;
    } else if (name == "alg") {
      return RefusedToken("the token is not signed with EdDSA");
    } else if (name == "kid" && text != nullptr) {
      key_id = *text;
    } else if (name != "typ" || text == nullptr || *text != "JWT") {
      return RefusedToken("the token has the header " + Quoted(name) +
                          ", which is not that of a token of this agent");
    }
  }
  if (!has_algorithm) return RefusedToken("the token does not name its algorithm");
  if (key_id.empty()) return RefusedToken("the token does not name its key");
  return key_id;
}

Status CheckTimes(const Claims& claims, WallTime now) {
  const auto leeway = std::chrono::duration_cast<std::chrono::seconds>(kClockLeeway).count();
  const std::int64_t second = now / 1'000'000'000;
  if (claims.not_before > second + leeway) return RefusedToken("the token is not valid yet");
  if (claims.expires && *claims.expires <= second) return RefusedToken("the token has expired");
  return {};
}

}  // namespace

Result<std::string> SignedToken(const Claims& claims, const Ed25519Key& key,
                                const std::string& key_id) {
  const json header = {{"alg", kAlgorithm}, {"kid", key_id}, {"typ", "JWT"}};
  std::string token = Base64Url(JsonText(header)) + "." + Base64Url(JsonText(ClaimsToJson(claims)));
  DROVER_ASSIGN(const std::string signature, key.Sign(token));
  token += "." + Base64Url(signature);
  if (token.size() > kLongestToken) {
    return Error(Code::kInvalidArgument,
                 "the token would be longer than 16 KiB: shorten the audience");
  }
  return token;
}

Result<Claims> VerifyToken(std::string_view token, const PublicKeys& keys,
                           const TokenCheck& check) {
  if (token.size() > kLongestToken) return RefusedToken("the token is longer than 16 KiB");
  const std::optional<TokenParts> parts = PartsOf(token);
  if (!parts) return RefusedToken("the token is not three parts with dots between them");
  DROVER_ASSIGN(const json header, DecodedPart(parts->header, "header"));
  DROVER_ASSIGN(const std::string key_id, KeyIdOf(header));
  const auto key = keys.find(key_id);
  if (key == keys.end()) return RefusedToken("the token is signed with an unknown key");
  const std::optional<std::string> signature = FromBase64Url(parts->signature);
  if (!signature || !VerifyEd25519(key->second, parts->signed_text, *signature)) {
    return RefusedToken("the signature of the token is wrong");
  }
  DROVER_ASSIGN(const json body, DecodedPart(parts->claims, "body"));
  DROVER_ASSIGN(Claims claims, ClaimsFromJson(body));
  if (std::find(claims.audience.begin(), claims.audience.end(), check.audience) ==
      claims.audience.end()) {
    return RefusedToken("the token is for another audience than " + Quoted(check.audience));
  }
  if (!check.issuer.empty() && claims.issuer != check.issuer) {
    return RefusedToken("the token is from another issuer than " + Quoted(check.issuer));
  }
  DROVER_TRY(CheckTimes(claims, check.now));
  if (!check.is_alive || !check.is_alive(claims)) {
    return RefusedToken("the allocation of the token has ended, or is gone");
  }
  return claims;
}

}  // namespace drover
