// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/identity/aes_gcm.h"

#include <openssl/err.h>
#include <openssl/evp.h>

#include <memory>

namespace drover {
namespace {

constexpr std::size_t kMaxSealed = std::size_t{1} << 30;  // far below the limit of int

using CipherContext = std::unique_ptr<EVP_CIPHER_CTX, void (*)(EVP_CIPHER_CTX*)>;

const unsigned char* Octets(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* Octets(std::string* text) { return reinterpret_cast<unsigned char*>(text->data()); }

// Other users of this thread's queue of OpenSSL errors must not find the error.
Error NoCipher() {
  ERR_clear_error();
  return Error(Code::kInternal, "AES-256-GCM of this libcrypto does not work");
}

bool FitsCipher(const SecretBytes& key, std::string_view nonce, std::string_view associated,
                std::size_t size) {
  return key.size() == kAesKeyBytes && nonce.size() == kAesNonceBytes &&
         associated.size() <= kMaxSealed && size <= kMaxSealed;
}

}  // namespace

Result<std::string> AesGcmEncrypt(const SecretBytes& key, std::string_view nonce,
                                  std::string_view associated, std::string_view plain) {
  if (!FitsCipher(key, nonce, associated, plain.size())) {
    return Error(Code::kInvalidArgument, "the text to seal is larger than 1 GiB");
  }
  const CipherContext context(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free);
  std::string sealed(plain.size() + kAesTagBytes, '\0');
  int done = 0;
  int rest = 0;
  const bool ok = context &&
                  EVP_EncryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, key.data(),
                                     Octets(nonce)) == 1 &&
                  EVP_EncryptUpdate(context.get(), nullptr, &done, Octets(associated),
                                    static_cast<int>(associated.size())) == 1 &&
                  EVP_EncryptUpdate(context.get(), Octets(&sealed), &done, Octets(plain),
                                    static_cast<int>(plain.size())) == 1 &&
                  EVP_EncryptFinal_ex(context.get(), Octets(&sealed) + done, &rest) == 1 &&
                  EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, kAesTagBytes,
                                      Octets(&sealed) + plain.size()) == 1;
  if (!ok) return NoCipher();
  return sealed;
}

Result<SecretBytes> AesGcmDecrypt(const SecretBytes& key, std::string_view nonce,
                                  std::string_view associated, std::string_view sealed) {
  const Error changed(Code::kFailedPrecondition,
                      "it was changed, or it was sealed with another key or for another record");
  if (sealed.size() < kAesTagBytes || !FitsCipher(key, nonce, associated, sealed.size())) {
    return changed;
  }
  const std::string_view cipher = sealed.substr(0, sealed.size() - kAesTagBytes);
  std::string tag(sealed.substr(cipher.size()));
  const CipherContext context(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free);
  SecretBytes plain(cipher.size());
  int done = 0;
  int rest = 0;
  const bool ready =
      context &&
      EVP_DecryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, key.data(), Octets(nonce)) ==
          1 &&
      EVP_DecryptUpdate(context.get(), nullptr, &done, Octets(associated),
                        static_cast<int>(associated.size())) == 1 &&
      EVP_DecryptUpdate(context.get(), plain.data(), &done, Octets(cipher),
                        static_cast<int>(cipher.size())) == 1 &&
      EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_TAG, kAesTagBytes, tag.data()) == 1;
  if (!ready) return NoCipher();
  if (EVP_DecryptFinal_ex(context.get(), plain.data() + done, &rest) != 1) {
    ERR_clear_error();
    return changed;
  }
  return plain;
}

}  // namespace drover
