// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/result.h"

namespace drover {

// Makes the damaged file of records PATH, which is closed, anew from what can still be read of it,
// and renames the damaged one. What it has done, in a sentence. After an error, such as that of a
// full disk, all is as it was.
Result<std::string> Rebuild(const std::string& path);

// Finishes what a program has begun that was killed meanwhile. Before the file is opened.
Status FinishRebuild(const std::string& path);

}  // namespace drover
