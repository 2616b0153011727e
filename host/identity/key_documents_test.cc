// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/identity/key_documents.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "host/identity/base64url.h"

namespace drover {
namespace {

using nlohmann::json;

TEST(KeyDocumentsTest, TheKeySetHasAllKeys) {
  EXPECT_EQ(json::parse(KeySetDocument({})), json::parse(R"({"keys": []})"));
  const PublicKeys keys = {{"a", *FromBase64Url("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")},
                           {"b", std::string(32, 'b')}};
  const json document = json::parse(KeySetDocument(keys));
  ASSERT_EQ(document.at("keys").size(), 2u);
  EXPECT_EQ(document.at("keys")[0], json::parse(R"({"kty": "OKP", "crv": "Ed25519", "use": "sig",
    "alg": "EdDSA", "kid": "a", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"})"));
  EXPECT_EQ(document.at("keys")[1].at("kid"), "b");
}

TEST(KeyDocumentsTest, TheConfigurationNamesTheKeySet) {
  EXPECT_FALSE(OpenIdDocument(""));
  for (const char* issuer : {"https://drover.example.org", "https://drover.example.org/"}) {
    const auto document = OpenIdDocument(issuer);
    ASSERT_TRUE(document);
    const json read = json::parse(*document);
    EXPECT_EQ(read.at("issuer"), issuer);
    EXPECT_EQ(read.at("jwks_uri"), "https://drover.example.org/.well-known/jwks.json");
    EXPECT_EQ(read.at("id_token_signing_alg_values_supported"), json::parse(R"(["EdDSA"])"));
    EXPECT_EQ(read.at("response_types_supported"), json::parse(R"(["code"])"));
    EXPECT_EQ(read.at("subject_types_supported"), json::parse(R"(["public"])"));
  }
}

}  // namespace
}  // namespace drover
