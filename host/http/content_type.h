// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace drover {

// This many bytes of a file's beginning are enough to find its type.
inline constexpr std::size_t kSniffedBytes = 512;

// The media type of a file by its name and BEGINNING.
std::string ContentTypeOf(std::string_view name, std::string_view beginning);

// The same for files to which a browser may be led: a type that it shows and does not execute.
std::string PassiveContentType(std::string_view beginning);

}  // namespace drover
