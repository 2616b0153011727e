// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace drover {

// Returns the function table of the extension drover.task-place. It is constant.
const void* TaskPlaceExtension();

}  // namespace drover
