// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace drover {

// The detail of a usage sample: totals of the run only, or each process too. The files of a run's
// cgroups have the totals; each process must be read on its own.
enum class UsageDetail { kTotals, kProcesses };

}  // namespace drover
