// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace drover {

// The tables of drover.process and drover.task-output. Their functions copy the arguments on the
// caller's thread, do the work on the control thread through the ProcessService, and call the
// driver's function on the plugin's pool.
const void* ProcessExtension();
const void* TaskOutputExtension();

}  // namespace drover
