// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/result.h"

namespace drover {

// Runs WORK on a thread of its own, because WORK may hang and must not delay other work. If CONTEXT
// ends first, returns the error of CONTEXT. WORK then continues, so it must own everything that it
// uses. Returns kResourceExhausted if no thread can be created. Control thread only.
Co<Status> RunOnOwnThread(Context context, std::function<void()> work);

}  // namespace drover
