// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace drover {

// What a sample of usage tells: of the whole alone, or of each process too. The files of a run's
// cgroups tell of the whole; for its processes each must be looked at.
enum class UsageDetail { kTotals, kProcesses };

}  // namespace drover
