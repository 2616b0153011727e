// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/identity/ed25519.h"

#include <openssl/err.h>
#include <openssl/evp.h>

#include <memory>
#include <utility>

#include "host/base/ids.h"

namespace drover {
namespace {

using EvpKey = std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)>;

const unsigned char* BytesOf(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* BytesOf(std::string* text) { return reinterpret_cast<unsigned char*>(text->data()); }

// Other users of this thread's queue of OpenSSL errors must not find the error.
Error NoEd25519() {
  ERR_clear_error();
  return Error(Code::kInternal, "Ed25519 of this libcrypto does not work");
}

EvpKey PrivateKey(const SecretBytes& seed) {
  return EvpKey(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, seed.data(), seed.size()),
                EVP_PKEY_free);
}

}  // namespace

Ed25519Key::Ed25519Key(SecretBytes seed, std::string public_key)
    : seed_(std::move(seed)), public_key_(std::move(public_key)) {}

Result<Ed25519Key> Ed25519Key::Random() {
  SecretBytes seed(kEd25519KeyBytes);
  RandomBytes(seed.data(), seed.size());
  return FromSeed(std::move(seed));
}

Result<Ed25519Key> Ed25519Key::FromSeed(SecretBytes seed) {
  if (seed.size() != kEd25519KeyBytes) {
    return Error(Code::kInvalidArgument,
                 "a private key of Ed25519 has 32 bytes, not " + std::to_string(seed.size()));
  }
  const EvpKey key = PrivateKey(seed);
  std::string public_key(kEd25519KeyBytes, '\0');
  std::size_t size = public_key.size();
  if (!key || EVP_PKEY_get_raw_public_key(key.get(), BytesOf(&public_key), &size) != 1 ||
      size != kEd25519KeyBytes) {
    return NoEd25519();
  }
  return Ed25519Key(std::move(seed), std::move(public_key));
}

Result<std::string> Ed25519Key::Sign(std::string_view text) const {
  const EvpKey key = PrivateKey(seed_);
  const DigestContext context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  std::string signature(kEd25519SignatureBytes, '\0');
  std::size_t size = signature.size();
  if (!key || !context ||
      EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key.get()) != 1 ||
      EVP_DigestSign(context.get(), BytesOf(&signature), &size, BytesOf(text), text.size()) != 1 ||
      size != kEd25519SignatureBytes) {
    return NoEd25519();
  }
  return signature;
}

bool VerifyEd25519(std::string_view public_key, std::string_view text, std::string_view signature) {
  if (public_key.size() != kEd25519KeyBytes || signature.size() != kEd25519SignatureBytes) {
    return false;
  }
  const EvpKey key(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, BytesOf(public_key),
                                               public_key.size()),
                   EVP_PKEY_free);
  const DigestContext context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  const bool right =
      key && context &&
      EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
      EVP_DigestVerify(context.get(), BytesOf(signature), signature.size(), BytesOf(text),
                       text.size()) == 1;
  if (!right) ERR_clear_error();
  return right;
}

}  // namespace drover
