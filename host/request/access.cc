// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/request/access.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <string>

namespace drover {

namespace {

// Returns the client's token from the HTTP header with NAME and VALUE, or an empty text if this
// header does not contain a token.
std::string_view TokenIn(const std::string& name, std::string_view value) {
  if (EqualsIgnoringCase(name, "X-Nomad-Token")) return value;
  constexpr std::string_view kBearer = "bearer ";
  if (!EqualsIgnoringCase(name, "Authorization") || value.size() <= kBearer.size()) return {};
  if (!EqualsIgnoringCase(value.substr(0, kBearer.size()), kBearer)) return {};
  return value.substr(kBearer.size());
}

}  // namespace

std::string_view GivenToken(const HttpRequest& request) {
  for (const auto& [name, value] : request.headers) {
    if (const std::string_view token = TokenIn(name, value); !token.empty()) return token;
  }
  return {};
}

bool SaysTwoTokens(const HttpRequest& request) {
  const std::string_view first = GivenToken(request);
  for (const auto& [name, value] : request.headers) {
    const std::string_view token = TokenIn(name, value);
    if (!token.empty() && token != first) return true;
  }
  return false;
}

bool SameSecret(std::string_view a, std::string_view b) {
  unsigned char digests[2][SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(a.data()), a.size(), digests[0]);
  SHA256(reinterpret_cast<const unsigned char*>(b.data()), b.size(), digests[1]);
  return CRYPTO_memcmp(digests[0], digests[1], SHA256_DIGEST_LENGTH) == 0;
}

}  // namespace drover
