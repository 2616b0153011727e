// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace drover {

// Returns the SHA-256 of SECRET in lower-case hex digits. Tables are searched by this text, so the
// time of a search reveals nothing about a secret. [any thread]
std::string SecretHash(std::string_view secret);

}  // namespace drover
