// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "host/identity/hex_for_test.h"
#include "host/identity/token_maker_for_test.h"

// Tokens that somebody made who wants to be a task that he is not, one of each kind. Many of them
// have a right signature, so that nothing but the check under test refuses them.
namespace drover {
namespace {

using nlohmann::json;

std::string Without(std::string text, char c) {
  text.erase(std::remove(text.begin(), text.end(), c), text.end());
  return text;
}

std::string PartOf(const std::string& token, int number) {
  std::size_t begin = 0;
  for (int i = 0; i < number; ++i) begin = token.find('.', begin) + 1;
  return token.substr(begin, token.find('.', begin) - begin);
}

// Returns the signature with another second half, which is right by arithmetic without bounds: S
// and the order of the group.
std::string OtherFormOf(std::string signature) {
  const std::string order =
      BytesOfHex("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");
  unsigned carry = 0;
  for (std::size_t i = 0; i < 32; ++i) {
    carry += static_cast<unsigned char>(signature[32 + i]) + static_cast<unsigned char>(order[i]);
    signature[32 + i] = static_cast<char>(carry & 0xff);
    carry >>= 8;
  }
  return signature;
}

struct ForgedTokenTest : testing::Test {
  void Header(const std::string& name, const char* key, const json& value) {
    json header = maker.Header();
    header[key] = value;
    forged[name] = maker.WithHeader(header);
  }
  void Body(const std::string& name, const char* key, const json& value) {
    json body = maker.Body();
    body[key] = value;
    forged[name] = maker.WithBody(body);
  }
  void HeaderText(const std::string& name, const std::string& text) {
    forged[name] = TokenMaker::Signed(text, maker.Body().dump(), maker.key);
  }
  void BodyText(const std::string& name, const std::string& text) {
    forged[name] = TokenMaker::Signed(maker.Header().dump(), text, maker.key);
  }
  // Each token must be refused, and the refusal must not repeat it.
  void RefuseAll(std::size_t number) {
    EXPECT_EQ(forged.size(), number);
    for (const auto& [name, token] : forged) {
      const auto claims = maker.Verify(token);
      ASSERT_FALSE(claims.ok()) << name;
      EXPECT_EQ(claims.code(), Code::kPermissionDenied) << name;
      if (token.size() > 20) {
        EXPECT_EQ(claims.error().message().find(token), std::string::npos) << name;
      }
    }
  }

  TokenMaker maker;
  const std::string right = maker.WithBody(maker.Body());
  std::map<std::string, std::string> forged;
};

TEST_F(ForgedTokenTest, TheRightOneIsAccepted) { EXPECT_TRUE(maker.Verify(right).ok()); }

TEST_F(ForgedTokenTest, OfAnotherAlgorithm) {
  for (const char* algorithm : {"none", "None", "NONE", "HS256", "HS512", "RS256", "PS256", "ES256",
                                "eddsa", "Ed448", ""}) {
    Header(std::string("alg ") + algorithm, "alg", algorithm);
  }
  Header("alg null", "alg", nullptr);
  Header("alg as a list", "alg", json::array({"EdDSA"}));
  json header = maker.Header();
  header.erase("alg");
  forged["no alg"] = maker.WithHeader(header);
  header["alg"] = "none";
  const std::string unsigned_text =
      Base64Url(header.dump()) + "." + Base64Url(maker.Body().dump()) + ".";
  forged["alg none without a signature"] = unsigned_text;
  forged["alg none with a short signature"] = unsigned_text + "AA";
  RefuseAll(16);
}

TEST_F(ForgedTokenTest, WithAHeaderThatChangesTheCheck) {
  Header("crit", "crit", json::array({"exp"}));
  Header("empty crit", "crit", json::array());
  Header("b64", "b64", false);
  Header("a key", "jwk", {{"kty", "OKP"}, {"crv", "Ed25519"}, {"x", "AAAA"}});
  Header("the address of keys", "jku", "https://evil.example.org/jwks.json");
  Header("the address of a certificate", "x5u", "https://evil.example.org/cert.pem");
  Header("a certificate", "x5c", json::array({"AAAA"}));
  Header("another type", "typ", "JOSE");
  Header("another content", "cty", "JWT");
  Header("compression", "zip", "DEF");
  HeaderText("two algorithms", R"({"alg":"none","alg":"EdDSA","kid":"key"})");
  HeaderText("two keys", R"({"alg":"EdDSA","kid":"none","kid":"key"})");
  HeaderText("a list", R"([{"alg":"EdDSA","kid":"key"}])");
  HeaderText("no JSON", "EdDSA");
  HeaderText("nothing", "");
  HeaderText("trailing bytes", maker.Header().dump() + "x");
  HeaderText("a second object", maker.Header().dump() + maker.Header().dump());
  HeaderText("not UTF-8", "{\"alg\":\"EdDSA\",\"kid\":\"key\xff\"}");
  HeaderText("a NUL", R"({"alg":"EdDSA","kid":"key\u0000"})");
  RefuseAll(19);
}

TEST_F(ForgedTokenTest, OfAnotherKey) {
  for (const char* id : {"", "other", "KEY", "key ", "../key", "/dev/null", "key' OR '1'='1"}) {
    Header(std::string("kid ") + id, "kid", id);
  }
  Header("kid as a number", "kid", 0);
  Header("kid null", "kid", nullptr);
  json header = maker.Header();
  header.erase("kid");
  forged["no kid"] = maker.WithHeader(header);
  forged["signed by another"] =
      TokenMaker::Signed(maker.Header().dump(), maker.Body().dump(), TokenMaker::KeyOfByte('x'));
  RefuseAll(11);
  // A retired key is unknown as soon as it is dropped.
  maker.keys.clear();
  EXPECT_FALSE(maker.Verify(right).ok());
}

TEST_F(ForgedTokenTest, WithAnotherSignature) {
  const std::string text = PartOf(right, 0) + "." + PartOf(right, 1) + ".";
  const std::string signature = *FromBase64Url(PartOf(right, 2));
  std::string flipped = signature;
  flipped[7] = static_cast<char>(flipped[7] ^ 1);
  forged["a changed bit"] = text + Base64Url(flipped);
  forged["shortened"] = text + Base64Url(signature.substr(0, 63));
  forged["longer"] = text + Base64Url(signature + "x");
  forged["zeros"] = text + Base64Url(std::string(64, '\0'));
  forged["the other form"] = text + Base64Url(OtherFormOf(signature));
  forged["padded"] = right + "==";
  forged["with a line break"] = right + "\n";
  json body = maker.Body();
  body["nomad_job_id"] = "other";
  forged["of another body"] =
      PartOf(right, 0) + "." + Base64Url(body.dump()) + "." + PartOf(right, 2);
  forged["of another header"] =
      Base64Url(maker.Header().dump() + " ") + "." + PartOf(right, 1) + "." + PartOf(right, 2);
  RefuseAll(9);
}

TEST_F(ForgedTokenTest, OfAnotherForm) {
  forged["nothing"] = "";
  forged["a dot"] = ".";
  forged["two dots"] = "..";
  forged["one part"] = PartOf(right, 0);
  forged["two parts"] = PartOf(right, 0) + "." + PartOf(right, 1);
  forged["four parts"] = right + ".AAAA";
  forged["a leading dot"] = "." + right;
  forged["no dots"] = Without(right, '.');
  forged["a leading space"] = " " + right;
  forged["a NUL"] = right + std::string(1, '\0');
  forged["a padded header"] = PartOf(right, 0) + "=" + right.substr(PartOf(right, 0).size());
  forged["too long"] = right + std::string(kLongestToken, 'A');
  forged["a UUID"] = "11111111-2222-3333-4444-555555555555";
  forged["dots"] = std::string(kLongestToken, '.');
  RefuseAll(14);
}

TEST_F(ForgedTokenTest, WithABodyThatIsNotRight) {
  const std::int64_t now = TokenMaker::kNow / 1'000'000'000;
  Body("another audience", "aud", "sts.example.org");
  Body("a longer audience", "aud", "nomadproject.io.example.org");
  Body("an empty audience", "aud", json::array());
  Body("an audience as an object", "aud", {{"nomadproject.io", true}});
  Body("not valid yet", "nbf", now + 3600);
  Body("expired", "exp", now - 1);
  Body("expires now", "exp", now);
  Body("never expires", "exp", "never");
  Body("expires before all time", "exp", -1);
  Body("expires with a fraction", "exp", 1e300);
  Body("no namespace", "nomad_namespace", nullptr);
  Body("an empty allocation", "nomad_allocation_id", "");
  Body("a job as a list", "nomad_job_id", json::array({"web"}));
  json body = maker.Body();
  body.erase("aud");
  forged["no audience"] = maker.WithBody(body);
  const std::string text = maker.Body().dump();
  BodyText("trailing bytes", text + "x");
  BodyText("two audiences", R"({"aud":"x",)" + text.substr(1));
  BodyText("a list", "[" + text + "]");
  BodyText("no JSON", "web");
  BodyText("deep", std::string(5000, '[') + std::string(5000, ']'));
  BodyText("a number that does not end", R"({"iat":)" + std::string(5000, '9') + "}");
  RefuseAll(20);
}

TEST_F(ForgedTokenTest, OfAnAllocationThatHasEnded) {
  maker.alive = false;
  forged["right"] = right;
  RefuseAll(1);
}

}  // namespace
}  // namespace drover
