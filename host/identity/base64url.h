// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace drover {

// Returns BYTES in the form of RFC 4648, section 5, without padding.
std::string Base64Url(std::string_view bytes);

// Decodes TEXT. Each bytes have exactly one form: returns nothing for a text that Base64Url would
// not return, such as one with padding, line breaks or characters of the other alphabet.
std::optional<std::string> FromBase64Url(std::string_view text);

}  // namespace drover
