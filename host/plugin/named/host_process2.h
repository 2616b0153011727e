// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace drover {

// Returns the function table of drover.process/2. Like those of host_process.h, its functions copy
// their arguments on the caller's thread and do their work on the control thread.
const void* NamedProcessExtension();

}  // namespace drover
