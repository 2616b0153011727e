// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/identity/ed25519.h"

#include <gtest/gtest.h>

#include "host/identity/base64url.h"

namespace drover {
namespace {

// RFC 8037, appendix A.
constexpr char kPrivate[] = "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A";
constexpr char kPublic[] = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
constexpr char kText[] = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc";
constexpr char kSignature[] =
    "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";

TEST(Ed25519Test, GivesTheKnownAnswer) {
  const auto key = Ed25519Key::FromSeed(SecretBytes(*FromBase64Url(kPrivate)));
  ASSERT_TRUE(key.ok()) << key.error().message();
  EXPECT_EQ(Base64Url(key->public_key()), kPublic);
  const auto signature = key->Sign(kText);
  ASSERT_TRUE(signature.ok()) << signature.error().message();
  EXPECT_EQ(Base64Url(*signature), kSignature);
  EXPECT_TRUE(VerifyEd25519(key->public_key(), kText, *signature));
}

TEST(Ed25519Test, RefusesEverySignatureButTheRightOne) {
  const std::string key = *FromBase64Url(kPublic);
  const std::string signature = *FromBase64Url(kSignature);
  EXPECT_TRUE(VerifyEd25519(key, kText, signature));
  for (std::size_t i = 0; i < signature.size() * 8; ++i) {
    std::string changed = signature;
    changed[i / 8] = static_cast<char>(changed[i / 8] ^ (1 << i % 8));
    EXPECT_FALSE(VerifyEd25519(key, kText, changed)) << i;
  }
  EXPECT_FALSE(VerifyEd25519(key, std::string(kText) + " ", signature));
  EXPECT_FALSE(VerifyEd25519(key, "", signature));
  EXPECT_FALSE(VerifyEd25519(key, kText, signature + "x"));
  EXPECT_FALSE(VerifyEd25519(key, kText, ""));
  EXPECT_FALSE(VerifyEd25519(key, kText, std::string(64, '\0')));
  EXPECT_FALSE(VerifyEd25519("", kText, signature));
  EXPECT_FALSE(VerifyEd25519(std::string(32, '\xff'), kText, signature));
}

TEST(Ed25519Test, RandomKeysDiffer) {
  const auto a = Ed25519Key::Random();
  const auto b = Ed25519Key::Random();
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_NE(a->public_key(), b->public_key());
  EXPECT_FALSE(VerifyEd25519(b->public_key(), "text", *a->Sign("text")));
  EXPECT_EQ(Ed25519Key::FromSeed(SecretBytes("short")).code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace drover
