// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "host/base/result.h"
#include "host/identity/secret_bytes.h"

// AES-256-GCM (NIST SP 800-38D), which encrypts a text so that nobody can change it unnoticed.
// [any thread]
namespace drover {

inline constexpr std::size_t kAesKeyBytes = 32;
inline constexpr std::size_t kAesNonceBytes = 12;
inline constexpr std::size_t kAesTagBytes = 16;

// Returns PLAIN as ciphertext, with the tag behind it. ASSOCIATED is not part of the result, but
// must be the same when it is decrypted. A key must never be used twice with one NONCE.
Result<std::string> AesGcmEncrypt(const SecretBytes& key, std::string_view nonce,
                                  std::string_view associated, std::string_view plain);

// Reverts AesGcmEncrypt. Returns kFailedPrecondition if any of the arguments is not that of the
// encryption.
Result<SecretBytes> AesGcmDecrypt(const SecretBytes& key, std::string_view nonce,
                                  std::string_view associated, std::string_view sealed);

}  // namespace drover
