// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "host/base/result.h"
#include "host/base/time.h"
#include "host/identity/claims.h"
#include "host/identity/ed25519.h"

// Tokens of tasks: JSON web tokens (RFC 7519) with a signature by Ed25519 (RFC 8037). [any thread]
namespace drover {

// A longer text is no token.
inline constexpr std::size_t kLongestToken = 16u << 10;
// A token is valid this long before its time, because the machine's clock may be set back.
inline constexpr Duration kClockLeeway = 10s;

// The public keys by their ids.
using PublicKeys = std::map<std::string, std::string, std::less<>>;

// Returns the token with CLAIMS, signed with KEY, whose id is KEY_ID.
Result<std::string> SignedToken(const Claims& claims, const Ed25519Key& key,
                                const std::string& key_id);

// What a token must be like, beside its signature.
struct TokenCheck {
  std::string audience = kApiAudience;
  std::string issuer;  // empty: any
  WallTime now = 0;
  // Returns whether the allocation and task of a token still live. Called last, for a token that is
  // right in everything else. If empty, no token is accepted.
  std::function<bool(const Claims&)> is_alive;
};

// Returns the claims of TOKEN, which may be any text, if it was signed by one of KEYS and is what
// CHECK asks for. Every error is kPermissionDenied, and does not contain the token.
Result<Claims> VerifyToken(std::string_view token, const PublicKeys& keys, const TokenCheck& check);

}  // namespace drover
