// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

namespace mock {

// Reads a duration as jobs write them: "300ms", "1h30m", "1.5s"; empty is zero. Throws
// drover::Error "NAME TEXT not a valid duration: ..." for anything else, also for a negative one.
std::chrono::nanoseconds ParseDuration(const std::string& name, const std::string& text);

}  // namespace mock
