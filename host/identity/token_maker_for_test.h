// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "host/identity/base64url.h"
#include "host/identity/token.h"

namespace drover {

// For tests: makes tokens of any form, and says by which keys and rules they are checked.
struct TokenMaker {
  TokenMaker() {
    check.now = kNow;
    check.is_alive = [this](const Claims&) { return alive; };
  }
  TokenMaker(const TokenMaker&) = delete;
  TokenMaker& operator=(const TokenMaker&) = delete;

  static Ed25519Key KeyOfByte(char c) {
    return std::move(*Ed25519Key::FromSeed(SecretBytes(std::string(kEd25519KeyBytes, c))));
  }

  nlohmann::json Header() const { return {{"alg", "EdDSA"}, {"kid", "key"}, {"typ", "JWT"}}; }
  nlohmann::json Body() const {
    Claims claims;
    claims.job_namespace = "team";
    claims.job_id = "web";
    claims.allocation_id = "11111111-2222-3333-4444-555555555555";
    claims.task = "t";
    claims.subject = "eu:team:web:g:t:default";
    claims.audience = {kApiAudience};
    claims.token_id = "id";
    claims.issued_at = claims.not_before = kNow / 1'000'000'000;
    return ClaimsToJson(claims);
  }
  // Returns a token of these texts, whatever they are, signed with KEY.
  static std::string Signed(const std::string& header, const std::string& body,
                            const Ed25519Key& key) {
    const std::string text = Base64Url(header) + "." + Base64Url(body);
    return text + "." + Base64Url(*key.Sign(text));
  }
  std::string WithHeader(const nlohmann::json& header) const {
    return Signed(header.dump(), Body().dump(), key);
  }
  std::string WithBody(const nlohmann::json& body) const {
    return Signed(Header().dump(), body.dump(), key);
  }
  Result<Claims> Verify(const std::string& token) const { return VerifyToken(token, keys, check); }

  static constexpr WallTime kNow = 1'700'000'000'500'000'000;
  Ed25519Key key = KeyOfByte('k');
  PublicKeys keys = {{"key", key.public_key()}};
  TokenCheck check;
  bool alive = true;
};

}  // namespace drover
