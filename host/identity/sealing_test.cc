// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/identity/sealing.h"

#include <gtest/gtest.h>

#include "host/identity/aes_gcm.h"

namespace drover {
namespace {

SealKey KeyOf(char c) { return SealKey(SecretBytes(std::string(kAesKeyBytes, c))); }

TEST(SealingTest, OpensWhatItSealed) {
  const SealKey key = KeyOf('k');
  for (const std::string& plain :
       {std::string(), std::string("a secret"), std::string(9000, 'x')}) {
    const std::string sealed = *key.Seal("variable", "path", plain);
    EXPECT_EQ(sealed.find("a secret"), std::string::npos);
    const auto opened = key.Open("variable", "path", sealed);
    ASSERT_TRUE(opened.ok()) << opened.error().message();
    EXPECT_EQ(opened->view(), plain);
  }
}

TEST(SealingTest, TheSameTextIsNeverSealedTheSameWay) {
  const SealKey key = KeyOf('k');
  EXPECT_NE(*key.Seal("variable", "path", "a"), *key.Seal("variable", "path", "a"));
}

TEST(SealingTest, RecordsCannotBeSwapped) {
  const SealKey key = KeyOf('k');
  const std::string sealed = *key.Seal("variable", "path", "a");
  EXPECT_EQ(key.Open("variable", "other", sealed).code(), Code::kFailedPrecondition);
  EXPECT_EQ(key.Open("signing_key", "path", sealed).code(), Code::kFailedPrecondition);
  // The border between kind and id is a part of the binding.
  EXPECT_EQ(key.Open("variablep", "ath", sealed).code(), Code::kFailedPrecondition);
  EXPECT_EQ(KeyOf('l').Open("variable", "path", sealed).code(), Code::kFailedPrecondition);
}

TEST(SealingTest, RefusesAnyOtherText) {
  const SealKey key = KeyOf('k');
  const std::string sealed = *key.Seal("variable", "path", "a");
  for (std::size_t size = 0; size < sealed.size(); ++size) {
    EXPECT_EQ(key.Open("variable", "path", sealed.substr(0, size)).code(),
              Code::kFailedPrecondition);
  }
  std::string later = sealed;
  later[0] = 2;
  EXPECT_NE(key.Open("variable", "path", later).error().message().find("a later version"),
            std::string::npos);
}

}  // namespace
}  // namespace drover
