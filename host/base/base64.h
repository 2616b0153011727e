// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace drover {

// Encodes BYTES for use in JSON, with the standard alphabet of RFC 4648 and with padding.
std::string Base64(std::string_view bytes);

// Decodes TEXT. Returns nothing if TEXT is not valid Base64.
std::optional<std::string> FromBase64(std::string_view text);

}  // namespace drover
