// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "host/spec/job.h"

namespace drover {

// Returns whether an allocation of the group GROUP can run on when its job changes from FROM to TO.
// It can if runners apply every change while the tasks run, or if no task would notice the change
// before its next start. If a job has no such group, returns false.
bool CanUpdateInPlace(const Job& from, const Job& to, std::string_view group);

}  // namespace drover
