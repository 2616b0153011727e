// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "host/base/result.h"

namespace drover {

// Gives the file PATH the content TEXT. A reader, also one after a crash, sees the old content or
// the new one. Mode and owner stay, and so does a symbolic link to the file. Fails if PATH is not a
// regular file, or if this program may not write it.
Status ReplaceFile(const std::string& path, std::string_view text);

// Makes the file PATH with the content TEXT. Returns Code::kFailedPrecondition if there is such a
// file. After an error, nothing is left of a new file.
Status WriteNewFile(const std::string& path, std::string_view text);

}  // namespace drover
