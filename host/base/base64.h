// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace drover {

// Bytes as JSON carries them: the standard alphabet of RFC 4648, padded.
std::string Base64(std::string_view bytes);

// Nothing when TEXT is none of that.
std::optional<std::string> FromBase64(std::string_view text);

}  // namespace drover
