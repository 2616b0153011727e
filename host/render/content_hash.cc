// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/render/content_hash.h"

#include <openssl/sha.h>

#include "host/base/text.h"

namespace drover {

std::string ContentHash(std::string_view content) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(content.data()), content.size(), digest);
  return HexText({reinterpret_cast<const char*>(digest), sizeof digest});
}

}  // namespace drover
