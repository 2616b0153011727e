// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace drover {

// Returns a hash by which a later agent knows that a content is the same (SHA-256, in hex).
std::string ContentHash(std::string_view content);

}  // namespace drover
