// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

namespace mock {

// Parses a duration as jobs write it: "300ms", "1h30m", "1.5s". An empty text means zero. For an
// invalid text or a negative duration, throws drover::Error "NAME TEXT not a valid duration: ...".
std::chrono::nanoseconds ParseDuration(const std::string& name, const std::string& text);

}  // namespace mock
