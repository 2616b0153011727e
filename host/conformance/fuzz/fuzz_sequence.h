// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace drover {

struct KitEntry;

// Returns the case that runs one random sequence of verbs against a driver, and compares each
// answer with the reference model. The seed and the number of steps are those of its KitSpec. It is
// no part of the kit's list of cases: RunFuzz runs it.
const KitEntry& FuzzEntry();

// A line that begins with this text is that of a step, which the case writes to KitSpec::progress
// before it does the step.
inline constexpr char kStepMark[] = "step ";

}  // namespace drover
