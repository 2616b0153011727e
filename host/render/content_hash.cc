// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/render/content_hash.h"

#include <openssl/sha.h>

namespace drover {

std::string ContentHash(std::string_view content) {
  constexpr char kHex[] = "0123456789abcdef";
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(content.data()), content.size(), digest);
  std::string hash;
  for (const unsigned char byte : digest) {
    hash += kHex[byte >> 4];
    hash += kHex[byte & 15];
  }
  return hash;
}

}  // namespace drover
