// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/result.h"
#include "host/govalues/value.h"

namespace drover::templates {

// Returns VALUE in TOML, as the Go library BurntSushi/toml writes it.
Result<std::string> TomlText(const Value& value, const Heap& heap);

}  // namespace drover::templates
