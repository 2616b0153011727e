// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/acl/secret_hash.h"

#include <openssl/sha.h>

#include "host/base/text.h"

namespace drover {

std::string SecretHash(std::string_view secret) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(secret.data()), secret.size(), digest);
  return HexText({reinterpret_cast<const char*>(digest), sizeof digest});
}

}  // namespace drover
