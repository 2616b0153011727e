// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace drover {

// The number of bytes at the beginning of a file that are enough to find the file's type.
inline constexpr std::size_t kSniffedBytes = 512;

// Returns the media type of a file by its NAME and by the BEGINNING of its content.
std::string ContentTypeOf(std::string_view name, std::string_view beginning);

// Returns a media type for a file that an untrusted link may open in a browser. With this type, the
// browser shows the file, and executes nothing in it.
std::string PassiveContentType(std::string_view beginning);

}  // namespace drover
