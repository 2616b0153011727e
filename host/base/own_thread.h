// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/result.h"

namespace drover {

// Runs WORK on a thread of its own, for what may hang and must hold nobody else up. When CONTEXT
// ends first this returns its error, and WORK goes on: it owns what it uses. kResourceExhausted
// when no thread can be made. Control thread.
Co<Status> RunOnOwnThread(Context context, std::function<void()> work);

}  // namespace drover
