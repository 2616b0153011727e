// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "host/base/result.h"
#include "host/identity/secret_bytes.h"

namespace drover {

// The key that protects the secrets in an agent's records. Move only. The methods may be called on
// any thread.
class SealKey {
 public:
  // BYTES are kAesKeyBytes random bytes.
  explicit SealKey(SecretBytes bytes);

  // Returns PLAIN encrypted, with a random nonce, for the record with KIND and ID. The key is good
  // for 2^32 calls.
  Result<std::string> Seal(std::string_view kind, std::string_view id,
                           std::string_view plain) const;
  // Returns the text that Seal was given. Returns kFailedPrecondition if SEALED was changed, comes
  // from another record, or was sealed with another key.
  Result<SecretBytes> Open(std::string_view kind, std::string_view id,
                           std::string_view sealed) const;

 private:
  SecretBytes bytes_;
};

}  // namespace drover
