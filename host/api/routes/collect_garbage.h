// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/api/routes/api_request.h"
#include "host/scheduler/garbage.h"

namespace drover {

// Has what has ended collected by RULE. What that has done is durable then.
Co<Status> CollectGarbage(ApiRequest* request, GarbageRule rule);

}  // namespace drover
