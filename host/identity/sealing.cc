// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/identity/sealing.h"

#include <array>
#include <cstdint>
#include <utility>

#include "host/base/ids.h"
#include "host/identity/aes_gcm.h"

namespace drover {
namespace {

// The first byte of a sealed text. It names the form, so that a later version can have another one.
constexpr char kSealForm = 1;

// Returns the data that binds a sealed text to its record. The size of KIND is part of it, so two
// records never have the same data.
std::string BindingOf(std::string_view kind, std::string_view id) {
  std::string data(1, kSealForm);
  const std::uint64_t size = kind.size();
  for (int shift = 56; shift >= 0; shift -= 8) data += static_cast<char>(size >> shift & 0xff);
  data += kind;
  data += id;
  return data;
}

}  // namespace

SealKey::SealKey(SecretBytes bytes) : bytes_(std::move(bytes)) {
  DROVER_CHECK(bytes_.size() == kAesKeyBytes);
}

Result<std::string> SealKey::Seal(std::string_view kind, std::string_view id,
                                  std::string_view plain) const {
  std::string nonce(kAesNonceBytes, '\0');
  RandomBytes(nonce.data(), nonce.size());
  DROVER_ASSIGN(const std::string cipher, AesGcmEncrypt(bytes_, nonce, BindingOf(kind, id), plain));
  return std::string(1, kSealForm) + nonce + cipher;
}

Result<SecretBytes> SealKey::Open(std::string_view kind, std::string_view id,
                                  std::string_view sealed) const {
  if (sealed.size() < 1 + kAesNonceBytes + kAesTagBytes || sealed[0] != kSealForm) {
    return Error(Code::kFailedPrecondition,
                 "it is not in the form of this version: it was changed, or a later version of the "
                 "agent has sealed it");
  }
  return AesGcmDecrypt(bytes_, sealed.substr(1, kAesNonceBytes), BindingOf(kind, id),
                       sealed.substr(1 + kAesNonceBytes));
}

}  // namespace drover
