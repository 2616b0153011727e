// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/identity/base64url.h"

#include <algorithm>

#include "host/base/base64.h"

namespace drover {

std::string Base64Url(std::string_view bytes) {
  std::string text = Base64(bytes);
  std::replace(text.begin(), text.end(), '+', '-');
  std::replace(text.begin(), text.end(), '/', '_');
  text.erase(text.find_last_not_of('=') + 1);
  return text;
}

std::optional<std::string> FromBase64Url(std::string_view text) {
  std::string padded(text);
  std::replace(padded.begin(), padded.end(), '-', '+');
  std::replace(padded.begin(), padded.end(), '_', '/');
  padded.append((4 - padded.size() % 4) % 4, '=');
  std::optional<std::string> bytes = FromBase64(padded);
  if (!bytes || Base64Url(*bytes) != text) return std::nullopt;
  return bytes;
}

}  // namespace drover
