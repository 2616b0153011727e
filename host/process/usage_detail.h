// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace drover {

// The detail of a usage sample: only the totals of the run, or also each process. The totals come
// from the files of the run's cgroups. Each process costs a read of its own files.
enum class UsageDetail { kTotals, kProcesses };

}  // namespace drover
