// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace drover {

// Returns the function table of the extension drover.task-env. It is constant.
const void* TaskEnvExtension();

}  // namespace drover
