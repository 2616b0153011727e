// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "host/base/result.h"

namespace drover {

// Gives the file PATH the content TEXT. A reader, also one after a crash, sees the old content or
// the new one. Mode and owner stay, and so does a symbolic link to the file.
Status ReplaceFile(const std::string& path, std::string_view text);

}  // namespace drover
