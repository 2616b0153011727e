// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/result.h"

namespace drover {

// Reads a file of text. The path "-" is standard input. WHAT is what the file is, such as "job
// file", for the error. Fails if the text is longer than an agent accepts. The code of the error is
// Code::kInvalidArgument if the text is too long, and another code if the file cannot be read.
Result<std::string> ReadTextFile(const std::string& what, const std::string& path);

}  // namespace drover
