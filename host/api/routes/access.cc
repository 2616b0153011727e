// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/api/routes/access.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>

namespace drover {

std::string_view GivenToken(const HttpRequest& request) {
  if (const std::string* token = request.Header("X-Nomad-Token"); token && !token->empty()) {
    return *token;
  }
  constexpr std::string_view kBearer = "bearer ";
  const std::string* authorization = request.Header("Authorization");
  if (authorization == nullptr || authorization->size() <= kBearer.size()) return {};
  const std::string_view text = *authorization;
  if (!EqualsIgnoringCase(text.substr(0, kBearer.size()), kBearer)) return {};
  return text.substr(kBearer.size());
}

bool SameSecret(std::string_view a, std::string_view b) {
  unsigned char digests[2][SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(a.data()), a.size(), digests[0]);
  SHA256(reinterpret_cast<const unsigned char*>(b.data()), b.size(), digests[1]);
  return CRYPTO_memcmp(digests[0], digests[1], SHA256_DIGEST_LENGTH) == 0;
}

std::optional<std::string> Refusal(const HttpRequest& request, const std::string& token) {
  return Refusal(GivenToken(request), token);
}

std::optional<std::string> Refusal(std::string_view given, const std::string& token) {
  if (token.empty()) return std::nullopt;
  if (given.empty()) return "Permission denied";
  if (!SameSecret(given, token)) return "ACL token not found";
  return std::nullopt;
}

}  // namespace drover
