// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/spec/blocks/change_policy.h"
#include "host/spec/job_place.h"

namespace drover {

// Adds the faults of the disconnect policy of a group. AT is the place of its block, which the
// group may have written with older fields. [part of CheckJob]
void CheckDisconnect(const DisconnectPolicy& policy, const JobPlace& at);

}  // namespace drover
