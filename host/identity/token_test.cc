// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/identity/token.h"

#include <gtest/gtest.h>

#include "host/identity/token_maker_for_test.h"

namespace drover {
namespace {

using nlohmann::json;

TEST(TokenTest, SaysWhatWasSigned) {
  const TokenMaker maker;
  const auto claims = ClaimsFromJson(maker.Body());
  ASSERT_TRUE(claims.ok());
  const auto token = SignedToken(*claims, maker.key, "key");
  ASSERT_TRUE(token.ok()) << token.error().message();
  const auto read = maker.Verify(*token);
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(*read, *claims);
  EXPECT_EQ(*FromBase64Url(token->substr(0, token->find('.'))),
            R"({"alg":"EdDSA","kid":"key","typ":"JWT"})");
}

TEST(TokenTest, TheHeaderTypMayBeMissing) {
  const TokenMaker maker;
  json header = maker.Header();
  header.erase("typ");
  EXPECT_TRUE(maker.Verify(maker.WithHeader(header)).ok());
}

TEST(TokenTest, OneOfTheAudiencesIsEnough) {
  const TokenMaker maker;
  json body = maker.Body();
  body["aud"] = {"sts.example.org", kApiAudience};
  EXPECT_TRUE(maker.Verify(maker.WithBody(body)).ok());
  body["aud"] = json::array({"sts.example.org"});
  EXPECT_FALSE(maker.Verify(maker.WithBody(body)).ok());
}

TEST(TokenTest, IsValidFromItsBeginningToItsEnd) {
  TokenMaker maker;
  constexpr WallTime kSecond = 1'000'000'000;
  const std::int64_t issued = TokenMaker::kNow / kSecond;
  json body = maker.Body();
  body["exp"] = issued + 60;
  const std::string token = maker.WithBody(body);
  maker.check.now = (issued - 11) * kSecond;
  EXPECT_FALSE(maker.Verify(token).ok());
  maker.check.now = (issued - 10) * kSecond;  // the clock was set back
  EXPECT_TRUE(maker.Verify(token).ok());
  maker.check.now = (issued + 60) * kSecond - 1;
  EXPECT_TRUE(maker.Verify(token).ok());
  maker.check.now = (issued + 60) * kSecond;
  EXPECT_FALSE(maker.Verify(token).ok());
}

TEST(TokenTest, WithoutAnEndItIsValidAsLongAsItsAllocation) {
  TokenMaker maker;
  const std::string token = maker.WithBody(maker.Body());
  maker.check.now = TokenMaker::kNow * 2;
  EXPECT_TRUE(maker.Verify(token).ok());
  maker.alive = false;
  EXPECT_FALSE(maker.Verify(token).ok());
  maker.alive = true;
  maker.check.is_alive = nullptr;
  EXPECT_FALSE(maker.Verify(token).ok());
}

TEST(TokenTest, OnlyARightTokenIsAskedAbout) {
  TokenMaker maker;
  int asked = 0;
  maker.check.is_alive = [&asked](const Claims& claims) {
    ++asked;
    return claims.task == "t";
  };
  EXPECT_FALSE(maker
                   .Verify(TokenMaker::Signed(maker.Header().dump(), maker.Body().dump(),
                                              TokenMaker::KeyOfByte('x')))
                   .ok());
  EXPECT_EQ(asked, 0);
  EXPECT_TRUE(maker.Verify(maker.WithBody(maker.Body())).ok());
  EXPECT_EQ(asked, 1);
}

TEST(TokenTest, TheIssuerCountsIfItIsAskedFor) {
  TokenMaker maker;
  json body = maker.Body();
  body["iss"] = "https://a";
  maker.check.issuer = "https://a";
  EXPECT_TRUE(maker.Verify(maker.WithBody(body)).ok());
  maker.check.issuer = "https://b";
  EXPECT_FALSE(maker.Verify(maker.WithBody(body)).ok());
}

TEST(TokenTest, ATooLongTokenIsNotMade) {
  const TokenMaker maker;
  Claims claims = *ClaimsFromJson(maker.Body());
  claims.audience = {std::string(kLongestToken, 'a')};
  EXPECT_EQ(SignedToken(claims, maker.key, "key").code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace drover
