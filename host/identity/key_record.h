// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/result.h"
#include "host/base/time.h"

namespace drover {

// The record of a signing key. Its private part is encrypted.
struct KeyRecord {
  std::string id;  // a UUID, the "kid" of tokens
  WallTime created = 0;
  bool active = false;   // at most one key signs; if the records say so of several, the newest
  WallTime retired = 0;  // when the key was no longer active; 0 if it is
  // The longest time that a token of this key is valid. Tokens without an end do not count: they
  // end with their allocation.
  Duration longest_ttl{0};
  std::string public_key;
  std::string sealed_key;  // of SealKey::Seal; empty if the key only checks signatures

  bool operator==(const KeyRecord&) const = default;
};

// Returns RECORD as JSON.
std::string KeyRecordText(const KeyRecord& record);
// Reads a record that KeyRecordText wrote. The error says what is wrong with it.
Result<KeyRecord> ReadKeyRecord(const std::string& text);

}  // namespace drover
