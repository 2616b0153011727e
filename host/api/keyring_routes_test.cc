// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "host/acl/acl_resolver.h"
#include "host/acl/acl_state.h"
#include "host/acl/secret_hash.h"
#include "host/api/api_fixture.h"
#include "host/identity/keyring.h"
#include "host/identity/memory_key_store_for_test.h"

namespace drover {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class KeyringRouteTest : public ApiFixture {
 protected:
  KeyringRouteTest() : keyring_(Options()) {
    EXPECT_TRUE(Await<Status>(keyring_.Load()).ok());
    agent_.keyring = &keyring_;
  }

  std::string ActiveKey() {
    std::string active;
    for (const json& key : Get("/v1/operator/keyring/keys")) {
      if (key["State"] == "active") active = key["KeyID"].get<std::string>();
    }
    return active;
  }

  MemoryKeyStore key_store_;
  Keyring keyring_;

 private:
  KeyringOptions Options() {
    KeyringOptions options;
    options.loop = &loop;
    options.store = &key_store_;
    options.seal_key = agent_.seal_key;
    return options;
  }
};

TEST_F(KeyringRouteTest, ARotationMakesAnotherKeyActive) {
  const std::string before = ActiveKey();
  EXPECT_FALSE(before.empty());
  loop.Advance(1s);
  const json key = Must("PUT", "/v1/operator/keyring/rotate")["Key"];
  EXPECT_EQ(key["State"], "active");
  EXPECT_EQ(key["Algorithm"], "ed25519");
  EXPECT_EQ(key["CreateTime"], loop.Wall());
  EXPECT_NE(key["KeyID"], before);
  EXPECT_EQ(json(ActiveKey()), key["KeyID"]);
  const json all = Get("/v1/operator/keyring/keys");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0], key) << "the newest first";
  EXPECT_EQ(all[1]["State"], "inactive");
  EXPECT_EQ(HeaderOf(Ask("GET", "/v1/operator/keyring/keys"), "X-Nomad-LastContact"), "0");
}

TEST_F(KeyringRouteTest, WhatARotationCannotDoIsRefusedByName) {
  for (const char* query : {"full=true", "algo=aes256-gcm", "publish_time=1700000000"}) {
    const std::string refusal = Refusal("PUT", std::string("/v1/operator/keyring/rotate?") + query);
    EXPECT_THAT(refusal, HasSubstr("501 ")) << query;
    EXPECT_THAT(refusal, HasSubstr(std::string(query).substr(0, 4))) << query;
  }
  EXPECT_EQ(Get("/v1/operator/keyring/keys").size(), 1u);
  Must("PUT", "/v1/operator/keyring/rotate?full=false");
}

TEST_F(KeyringRouteTest, AKeyThatCannotBeStoredDoesNotSign) {
  const std::string before = ActiveKey();
  key_store_.error = Error(Code::kUnavailable, "the disk is full");
  EXPECT_THAT(Refusal("PUT", "/v1/operator/keyring/rotate"), HasSubstr("the disk is full"));
  EXPECT_EQ(ActiveKey(), before);
}

TEST_F(KeyringRouteTest, EverybodyMayReadTheKeysThatCheckTokens) {
  AclState state;
  AclResolver resolver(&state, {.at_once = 1000, .each = 1s, .sources = 10});
  resolver.SetSettings({.enabled = false, .agent_token_hash = SecretHash("0123456789abcdef")});
  agent_.resolver = &resolver;
  const json set = Get("/.well-known/jwks.json");
  ASSERT_EQ(set["keys"].size(), 1u);
  EXPECT_EQ(set["keys"][0]["alg"], "EdDSA");
  EXPECT_FALSE(set["keys"][0].contains("d")) << "no private part";
  EXPECT_THAT(Refusal("GET", "/.well-known/openid-configuration"),
              HasSubstr("404 this agent has no URL as an issuer of tokens: set oidc_issuer"));
  agent_.oidc_issuer = "https://drover.example/";
  const json document = Get("/.well-known/openid-configuration");
  EXPECT_EQ(document["issuer"], "https://drover.example/");
  EXPECT_EQ(document["jwks_uri"], "https://drover.example/.well-known/jwks.json");
  EXPECT_EQ(Ask("GET", "/v1/operator/keyring/keys").status, 403);
}

}  // namespace
}  // namespace drover
