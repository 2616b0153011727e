// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace drover {

// The function tables of the extensions drover.process and drover.task-output. Each function copies
// its arguments on the caller's thread and does its work on the control thread through the
// ProcessService. After this work the host calls the driver's done function on the plugin's pool.
const void* ProcessExtension();
const void* TaskOutputExtension();

}  // namespace drover
