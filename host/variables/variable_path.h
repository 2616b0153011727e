// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "host/base/result.h"

namespace drover {

inline constexpr std::size_t kMostVariablePath = 128;

// Checks that a variable may be at PATH: 1 to 128 letters, digits, "-", "_", "~" and "/", without
// an empty part. Below "nomad" there are only nomad/jobs, which the tasks of jobs may read, and
// nomad/job-templates/NAME. The error is kInvalidArgument.
Status CheckVariablePath(const std::string& path);

// Checks that a variable may be in the namespace NAME: 1 to 128 letters, digits and "-".
Status CheckVariableNamespace(const std::string& name);

}  // namespace drover
