// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace drover {

// Splits a process without threads: the child returns, and what started this waits for the child,
// then kills whatever that has started and has not ended, also what has made itself a session of
// its own, and ends as the child did. It does so, too, when it gets SIGTERM or its parent ends.
void ReapAfterChild();

}  // namespace drover
