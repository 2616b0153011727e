// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "host/base/result.h"
#include "host/identity/secret_bytes.h"

// Signatures by Ed25519 (RFC 8032). [any thread]
namespace drover {

inline constexpr std::size_t kEd25519KeyBytes = 32;  // of the private and of the public key
inline constexpr std::size_t kEd25519SignatureBytes = 64;

// A private key and its public key. Move only. Outside of Sign the private key is only in memory
// that no core file contains.
class Ed25519Key {
 public:
  static Result<Ed25519Key> Random();
  // SEED is the private key, kEd25519KeyBytes bytes.
  static Result<Ed25519Key> FromSeed(SecretBytes seed);

  const SecretBytes& seed() const { return seed_; }
  const std::string& public_key() const { return public_key_; }  // kEd25519KeyBytes bytes
  Result<std::string> Sign(std::string_view text) const;

 private:
  Ed25519Key(SecretBytes seed, std::string public_key);

  SecretBytes seed_;
  std::string public_key_;
};

// Returns whether SIGNATURE is that of TEXT by the owner of PUBLIC_KEY. Any bytes may be given.
bool VerifyEd25519(std::string_view public_key, std::string_view text, std::string_view signature);

}  // namespace drover
