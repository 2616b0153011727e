// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/identity/key_documents.h"

#include <nlohmann/json.hpp>

#include "host/identity/base64url.h"
#include "host/spec/strict_json.h"

namespace drover {

using nlohmann::json;

std::string KeySetDocument(const PublicKeys& keys) {
  json list = json::array();
  for (const auto& [id, key] : keys) {
    list.push_back({{"kty", "OKP"},
                    {"crv", "Ed25519"},
                    {"use", "sig"},
                    {"alg", "EdDSA"},
                    {"kid", id},
                    {"x", Base64Url(key)}});
  }
  json document = json::object();
  document["keys"] = std::move(list);
  return JsonText(document);
}

std::optional<std::string> OpenIdDocument(const std::string& issuer) {
  if (issuer.empty()) return std::nullopt;
  std::string base = issuer;
  while (base.ends_with('/')) base.pop_back();
  return JsonText({{"issuer", issuer},
                   {"jwks_uri", base + kKeySetPath},
                   {"id_token_signing_alg_values_supported", json::array({"EdDSA"})},
                   {"response_types_supported", json::array({"code"})},
                   {"subject_types_supported", json::array({"public"})}});
}

}  // namespace drover
