// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace drover {

// Forks this process, which must have no other threads. The function returns only in the child. The
// parent waits for the child and kills all of its descendants that are left, also those with a
// session of their own. After that, it ends with the child's exit code or signal. If it gets
// SIGTERM or its own parent ends, it kills the child first and then continues in the same way.
void ReapAfterChild();

}  // namespace drover
