// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/result.h"
#include "host/base/unique_fd.h"

namespace drover {

// Opens the shim's program as a memory file that nobody can change. Even a task that runs as root
// and opens /proc/SHIM/exe cannot change it. An agent needs only one such file, and all shims
// share its pages.
Result<UniqueFd> OpenShimImage();

}  // namespace drover
