// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace drover {

// So much of a file's beginning tells its type.
inline constexpr std::size_t kSniffedBytes = 512;

// The media type of a file by its name and BEGINNING.
std::string ContentTypeOf(std::string_view name, std::string_view beginning);

// The same for what a browser may be led to: a type that it shows and does not carry out.
std::string PassiveContentType(std::string_view beginning);

}  // namespace drover
