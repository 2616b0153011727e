// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <spdlog/formatter.h>

#include <memory>

namespace drover {

// Returns a formatter that writes each line of a log as a JSON object, such as
// {"@level":"warn","@message":"…","@timestamp":"…"}.
std::unique_ptr<spdlog::formatter> NewJsonLogFormatter();

}  // namespace drover
