// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "host/base/result.h"
#include "host/spec/job.h"

namespace drover {

// Reads the variables in CONTENT, one NAME=VALUE per line. Empty lines and comments, which begin
// with "#", are left out, and so is "export " before a name. Of two values of one name the later
// counts. A value may have single quotes, in which all stands for itself, or double quotes, in
// which \n, \t, \r, \", \\, \$ and \uXXXX are escapes. Without quotes, a comment may follow after a
// blank. The error names the line, but not its content, which may be a secret.
Result<StringMap> ReadEnvFile(std::string_view content);

}  // namespace drover
