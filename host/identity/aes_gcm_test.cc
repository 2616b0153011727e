// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/identity/aes_gcm.h"

#include <gtest/gtest.h>

#include "host/identity/hex_for_test.h"

namespace drover {
namespace {

// The cases 13 to 16 of the specification of GCM (McGrew and Viega).
struct KnownSeal {
  const char* key;
  const char* nonce;
  const char* associated;
  const char* plain;
  const char* sealed;
};

constexpr char kZeros[] = "0000000000000000000000000000000000000000000000000000000000000000";
constexpr char kKey[] = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308";

const KnownSeal kKnown[] = {
    {kZeros, "000000000000000000000000", "", "", "530f8afbc74536b9a963b4f1c4cb738b"},
    {kZeros, "000000000000000000000000", "", "00000000000000000000000000000000",
     "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"},
    {kKey, "cafebabefacedbaddecaf888", "",
     "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b"
     "5"
     "25b16aedf5aa0de657ba637b391aafd255",
     "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828"
     "8"
     "38c5f61e6393ba7a0abcc9f662898015adb094dac5d93471bdec1a502270e3cc6c"},
    {kKey, "cafebabefacedbaddecaf888", "feedfacedeadbeeffeedfacedeadbeefabaddad2",
     "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b"
     "5"
     "25b16aedf5aa0de657ba637b39",
     "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828"
     "8"
     "38c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b"}};

TEST(AesGcmTest, GivesTheKnownAnswers) {
  for (const KnownSeal& known : kKnown) {
    const SecretBytes key(BytesOfHex(known.key));
    const std::string nonce = BytesOfHex(known.nonce);
    const std::string associated = BytesOfHex(known.associated);
    const std::string plain = BytesOfHex(known.plain);
    const auto sealed = AesGcmEncrypt(key, nonce, associated, plain);
    ASSERT_TRUE(sealed.ok()) << sealed.error().message();
    EXPECT_EQ(*sealed, BytesOfHex(known.sealed));
    const auto opened = AesGcmDecrypt(key, nonce, associated, *sealed);
    ASSERT_TRUE(opened.ok()) << opened.error().message();
    EXPECT_EQ(opened->view(), plain);
  }
}

TEST(AesGcmTest, NoticesEachChangedBit) {
  const SecretBytes key(BytesOfHex(kKey));
  const std::string nonce(kAesNonceBytes, 'n');
  const std::string sealed = *AesGcmEncrypt(key, nonce, "where", "what");
  for (std::size_t i = 0; i < sealed.size() * 8; ++i) {
    std::string changed = sealed;
    changed[i / 8] = static_cast<char>(changed[i / 8] ^ (1 << i % 8));
    EXPECT_EQ(AesGcmDecrypt(key, nonce, "where", changed).code(), Code::kFailedPrecondition) << i;
  }
  EXPECT_FALSE(AesGcmDecrypt(key, nonce, "there", sealed).ok());
  EXPECT_FALSE(AesGcmDecrypt(key, std::string(kAesNonceBytes, 'm'), "where", sealed).ok());
  EXPECT_FALSE(AesGcmDecrypt(SecretBytes(BytesOfHex(kZeros)), nonce, "where", sealed).ok());
  EXPECT_FALSE(AesGcmDecrypt(key, nonce, "where", sealed.substr(1)).ok());
  EXPECT_FALSE(AesGcmDecrypt(key, nonce, "where", "").ok());
  EXPECT_TRUE(AesGcmDecrypt(key, nonce, "where", sealed).ok());
}

TEST(AesGcmTest, RefusesKeysAndNoncesOfOtherSizes) {
  EXPECT_FALSE(AesGcmEncrypt(SecretBytes("short"), std::string(12, 'n'), "", "").ok());
  EXPECT_FALSE(AesGcmEncrypt(SecretBytes(BytesOfHex(kKey)), "short", "", "").ok());
}

}  // namespace
}  // namespace drover
