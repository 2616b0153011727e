// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/request/api_request.h"
#include "host/scheduler/garbage.h"

namespace drover {

// Removes the ended allocations, evaluations and jobs that RULE chooses. The changes are durable
// when this call returns.
Co<Status> CollectGarbage(ApiRequest* request, GarbageRule rule);

}  // namespace drover
